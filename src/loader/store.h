/* Shared objects that have been looked at in this run: each file once, by device and inode, however
 * many names lead to it and however many processes load it. */
#ifndef LOADER_STORE_H
#define LOADER_STORE_H

#include "elf/object.h"
#include "machine/machine.h"

/* What the loader does with a file that it finds (glibc: open_verify). */
enum loader_class {
    LOADER_ABSENT,  /* not there, dangling, not readable: it goes on searching */
    LOADER_FOREIGN, /* of another machine or word size: likewise, silently */
    LOADER_FATAL,   /* it stops with an error: no ELF file, cut, a folder, ... */
    LOADER_FITS,
};

struct loader_file {
    uint64_t device, inode;
    enum loader_class class;
    int error;          /* negative errno for LOADER_ABSENT; -EREMOTE: it was left alone */
    const char *reason; /* the loader's own words for LOADER_FATAL and wrong classes, or NULL */
    uint64_t size;
    uint16_t type;            /* ET_* of LOADER_FITS */
    struct elf_object object; /* of LOADER_FITS */
    const char *problem;      /* its tables are broken: a sentence, or NULL */
    bool is_cut;              /* who loads it dies: it ends before its segments do (SIGBUS), or was
                                 not written to its end (elf_object.is_hollow) */
    bool is_read;             /* object and problem are known; without, the class alone is */
    const char *path;         /* by which it was found first; NULL for LOADER_ABSENT */
    size_t number;            /* in the store */
};

struct loader_store;

/* `elf_machine`: EM_* of the objects that fit. */
struct loader_store *loader_store_new(const struct machine *machine, uint16_t elf_machine);
void loader_store_free(struct loader_store *store);
/* From now on each path is asked about before it is looked at: where `leaves` says so it is left
 * alone, since a look could take for ever. */
void loader_store_guard(struct loader_store *store, bool (*leaves)(void *data, const char *path),
                        void *data);
/* What lies at the path; the same pointer for the same file. Never NULL; lives as long as the
 * store. Remembers what is absent too. */
const struct loader_file *loader_store_get(struct loader_store *store, const char *path);
/* Likewise, for whoever asks for its class alone: mostly one read instead of five. */
const struct loader_file *loader_store_look(struct loader_store *store, const char *path);
/* The file with all that loader_store_get() tells of it. */
const struct loader_file *loader_store_read(struct loader_store *store,
                                            const struct loader_file *file);
/* What ENOENT is answered with, wherever it came from. */
const struct loader_file *loader_store_absent(struct loader_store *store);
/* Whether both absolute paths are one name in one folder. */
bool loader_store_same_entry(struct loader_store *store, const char *a, const char *b);
/* Whether both absolute paths lead to the same file. */
bool loader_store_same(struct loader_store *store, const char *a, const char *b);
/* The path without links; NULL where it leads to nothing, or was left alone. Lives as long as the
 * store. */
const char *loader_store_realpath(struct loader_store *store, const char *path);
/* How many distinct files were read, and bytes of them. */
void loader_store_counts(const struct loader_store *store, size_t *ret_files, uint64_t *ret_bytes);

/* The file to look up symbols in: an open elf_file whose blocks are kept for the next time. NULL
 * where it cannot be opened any more. Not for two threads at once. */
struct elf_file *loader_store_reopen(struct loader_store *store, const struct loader_file *file);

#endif
