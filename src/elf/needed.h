/* What a shared object asks for: the sonames in its dynamic section. */
#ifndef ELF_NEEDED_H
#define ELF_NEEDED_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum { ELF_NEEDED_MAX = 512, ELF_NAME_MAX = 1024 };

struct elf_names {
    const char **items; /* in the file's order; arbitrary bytes without NUL */
    size_t count;
};

/* Reads the DT_NEEDED entries of an ELF file that is open for reading; only headers, the dynamic
 * segment and the names themselves are read. Strings live in `arena`. 0; -ENOEXEC when it is no
 * ELF file, -EBADMSG with a sentence when it is a broken one. A static file has no entries. */
int elf_needed(int fd, struct arena *arena, struct elf_names *ret, struct error *err);

#endif
