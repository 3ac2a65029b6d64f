/* What has been read of a file: blocks of it, each read once and kept until there are too many. */
#ifndef ELF_BLOCKS_H
#define ELF_BLOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    /* What is looked for is scattered: names of symbols stand one in each page of a string table.
     * Measured, larger blocks cost more in copying and in fresh pages than they save in calls. */
    ELF_BLOCK = 4 * 1024,
    ELF_BLOCKS_MAX = 16 * 1024, /* 64 MiB: then all are dropped and reading begins anew */
};

struct elf_block {
    uint64_t number;
    size_t length; /* below ELF_BLOCK only where the piece ends */
    unsigned char data[];
};

struct elf_block_table {
    struct elf_block **slots; /* open addressing, a power of two of them */
    size_t slot_count, count;
    struct elf_block *last; /* most reads are next to the one before */
};

/* The block that begins at number * ELF_BLOCK of the piece; NULL past its end. Valid until the next
 * call. A failure to read is a negative errno in *ret_error (else 0). `bytes_read` is added to. */
const struct elf_block *elf_block_get(struct elf_block_table *table, int fd, uint64_t start,
                                      uint64_t size, uint64_t number, uint64_t *bytes_read,
                                      int *ret_error);
void elf_block_table_done(struct elf_block_table *table);

#endif
