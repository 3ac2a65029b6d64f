/* Reading a large file by hops: from one header to the next, over data that nobody needs. Headers
 * that stand close together come with one read, those far apart with a small one each. */
#ifndef ELF_WINDOW_H
#define ELF_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_WINDOW_SIZE = 64 * 1024 };

/* Set `fd`, `end`, `budget` and `threads`, leave the rest zero; elf_window_done() in any case. */
struct elf_window {
    int fd;              /* borrowed */
    uint64_t end;        /* of the file */
    uint64_t budget;     /* bytes that may be read in all */
    size_t threads;      /* that a search may read in; 0 or 1: in the caller's alone */
    uint64_t bytes_read; /* so far */
    int error;           /* a negative errno once reading has failed; 0 before */
    bool is_spent;       /* the budget was not enough */

    unsigned char *data; /* what is held of the file: */
    uint64_t offset;
    size_t length;
    uint64_t last; /* what was asked for before */
    size_t ahead;  /* that were read for it */
};

/* The bytes from `offset`, valid until the next call; 1 to ELF_WINDOW_SIZE of them. NULL where the
 * file ends before, when the budget is spent, or where reading fails. */
const unsigned char *elf_window_at(struct elf_window *window, uint64_t offset, size_t size);

/* Reads past what is held into a buffer of the caller: how many bytes, less only at the end of the
 * file; 0 when the budget is spent, or where reading fails. */
size_t elf_window_read(struct elf_window *window, void *buffer, size_t size, uint64_t offset);

void elf_window_done(struct elf_window *window);

#endif
