/* Names in a string table, asked for in the order of symbols, which is none in that table: a table
 * of megabytes is gone through once, forwards, through a buffer of its own. */
#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include "elf/object.h"

enum { ELF_NAMES_AT_ONCE = 16 * 1024 };

struct elf_name {
    uint32_t at;   /* offset in the string table */
    uint32_t kept; /* offset in `texts`, or one of those below */
    uint16_t need; /* the caller's own */
    bool is_weak, is_function;
};
#define ELF_NAME_UNREAD UINT32_MAX        /* too long, too many, or broken: see for yourself */
#define ELF_NAME_DROPPED (UINT32_MAX - 1) /* not wanted */

struct elf_names {
    struct elf_file *file;
    const struct elf_symbol_tables *tables;
    bool (*wants)(void *data, const struct elf_name *name, const char *text);
    void *data;
    uint64_t bytes, bytes_max;    /* of names so far, and how many it may be */
    uint64_t read_from, read_max; /* file->bytes_read before, and how much more it may be */
    struct text texts;            /* names that are wanted, each with its NUL */
};

/* Reads as many names as that, at most ELF_NAMES_AT_ONCE; `texts` begins anew. */
void elf_names_read(struct elf_names *names, struct elf_name *items, size_t count);

#endif
