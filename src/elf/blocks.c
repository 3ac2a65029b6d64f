#include "elf/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/read.h"

static size_t slot_of(const struct elf_block_table *table, uint64_t number)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (table->slots[at] && table->slots[at]->number != number)
        at = (at + 1) & mask;
    return at;
}

void elf_block_table_done(struct elf_block_table *table)
{
    for (size_t i = 0; table->slots && i < table->slot_count; i++)
        free(table->slots[i]);
    free(table->slots);
    *table = (struct elf_block_table){0};
}

/* At most half of the slots are in use, so that slot_of() ends. */
static void make_room(struct elf_block_table *table)
{
    if (table->count == ELF_BLOCKS_MAX)
        elf_block_table_done(table);
    if (table->slots && (table->count + 1) * 2 <= table->slot_count)
        return;
    struct elf_block_table old = *table;
    table->slot_count = old.slot_count ? old.slot_count * 2 : 16;
    table->slots = xcalloc(table->slot_count, sizeof(struct elf_block *));
    for (size_t i = 0; old.slots && i < old.slot_count; i++)
        if (old.slots[i])
            table->slots[slot_of(table, old.slots[i]->number)] = old.slots[i];
    free(old.slots);
}

const struct elf_block *elf_block_get(struct elf_block_table *table, int fd, uint64_t start,
                                      uint64_t size, uint64_t number, uint64_t *bytes_read,
                                      int *ret_error)
{
    *ret_error = 0;
    if (table->last && table->last->number == number)
        return table->last;
    if (number > UINT64_MAX / ELF_BLOCK || number * ELF_BLOCK >= size)
        return NULL;
    uint64_t begin = number * ELF_BLOCK;
    if (table->slots) {
        struct elf_block *known = table->slots[slot_of(table, number)];
        if (known)
            return table->last = known;
    }
    size_t want = size - begin < ELF_BLOCK ? (size_t)(size - begin) : ELF_BLOCK;
    if (start > UINT64_MAX - begin)
        return NULL;
    struct elf_block *block = xmalloc(sizeof *block + want);
    ssize_t n = read_at(fd, block->data, want, start + begin);
    if (n <= 0) {
        free(block);
        *ret_error = (int)n;
        return NULL;
    }
    *bytes_read += (uint64_t)n;
    block->number = number;
    block->length = (size_t)n;
    make_room(table);
    table->slots[slot_of(table, number)] = block;
    table->count++;
    return table->last = block;
}
