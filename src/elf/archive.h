/* Static libraries: archives as GNU and LLVM ar write them. */
#ifndef ELF_ARCHIVE_H
#define ELF_ARCHIVE_H

#include "elf/window.h"

enum { ARCHIVE_MAGIC = 8 /* bytes */, ARCHIVE_NAME_MAX = 256 };
extern const char archive_magic[], archive_thin_magic[];

/* Set `window`, `offset` (behind the magic) and `end`, leave the rest zero. */
struct archive {
    struct elf_window *window;
    uint64_t offset, end; /* in the file */
    uint64_t names, names_size;
};

struct archive_member {
    char name[ARCHIVE_NAME_MAX]; /* cut; empty where it cannot be told */
    uint64_t start, size;        /* in the file; a size is cut at the archive's end */
    bool is_cut;
};

/* Steps to the next member that is a file, past symbol tables. 1; 0 at the end; -EBADMSG where no
 * member's header stands. */
int archive_next(struct archive *archive, struct archive_member *ret);

#endif
