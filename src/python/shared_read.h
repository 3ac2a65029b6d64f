/* The lines of a RECORD as files of folders; shared_file_find.c compares what comes of it. */
#ifndef PYTHON_SHARED_READ_H
#define PYTHON_SHARED_READ_H

#include "base/text.h"
#include "parse/record.h"
#include "python/shared_file.h"

enum { SHARED_PATH_MAX = 4096 };

struct shared_folder {
    const char *path; /* below the site, or absolute; "" is the site itself */
    size_t length;
    uint64_t hash;  /* of it */
    bool is_common; /* the site itself, or a folder outside of it */
};

struct shared_reader {
    const struct owners *owners;
    const struct owner *owner;
    uint64_t most; /* bytes: what stands behind them is not read */
    /* Whether files of the folder are wanted. Most lines lie in the folder of the line before: then
     * it is not asked again. */
    bool (*wants)(void *data, const struct shared_folder *folder);
    /* `key` is the hash of its path. */
    void (*file)(void *data, const struct shared_folder *folder, struct span leaf, uint64_t key,
                 struct opt size);
    void *data;
};

struct shared_read {
    int code; /* 0, or the negative errno of opening or reading */
    struct record_end end;
    uint64_t bytes; /* read */
    bool is_longer; /* than `most` */
};

/* Reads the RECORD of the owner. Several may be read at once, in threads. */
void shared_read(const struct machine *machine, const struct shared_reader *reader,
                 struct shared_read *ret);
/* Its path, to be freed with text_done(). */
void shared_record_path(const struct owner *owner, struct text *ret);

#endif
