/* The search for containers in sections that hold other things, too. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "elf/fatbin.h"
#include "elf/fatbin_field.h"

enum {
    BLOCK = 256 * 1024, /* fits the processor's second cache */
    GROUP = 32,         /* words that are compared before the first branch */
    NEAR = 32           /* words behind a container that are looked at one by one */
};

/* Magic, version 1 and a header of 16 bytes, as one word. */
#define BEGINNING (0x0010000100000000ULL | FATBIN_MAGIC)

/* The first word that begins a container; `count` where there is none. */
static size_t find_beginning(const uint64_t *words, size_t count)
{
    const uint64_t beginning = htole64(BEGINNING);
    size_t i = 0;
    for (; count - i >= GROUP; i += GROUP) {
        uint64_t found = 0; /* without branches, so that the compiler makes vectors of it */
        for (size_t k = 0; k < GROUP; k++)
            found |= (uint64_t)(words[i + k] == beginning);
        if (found)
            break;
    }
    while (i < count && words[i] != beginning)
        i++;
    return i;
}

struct search {
    struct elf_window *window;
    uint64_t end;
    uint64_t *block; /* BLOCK bytes of the file */
    uint64_t offset; /* that it holds, from here */
    size_t words;
};

static bool load(struct search *search, uint64_t offset)
{
    uint64_t rest = search->end - offset;
    size_t want = rest < BLOCK ? (size_t)rest : BLOCK;
    search->offset = offset;
    search->words =
        elf_window_read(search->window, search->block, want, offset) / sizeof *search->block;
    return search->words > 0;
}

/* Most containers of a table of them follow each other within a few words: a block for each would
 * read all of the payloads. */
static uint64_t find_near(struct search *search, uint64_t offset)
{
    for (size_t i = 0; i < NEAR && search->end - offset >= FATBIN_HEADER; i++) {
        const unsigned char *at = elf_window_at(search->window, offset, FATBIN_ALIGN);
        if (!at)
            break;
        if (fatbin_u64(at) == BEGINNING)
            return offset;
        offset += FATBIN_ALIGN;
    }
    return 0;
}

static uint64_t find_far(struct search *search, uint64_t offset)
{
    while (search->end - offset >= FATBIN_HEADER) {
        uint64_t skip = (offset - search->offset) / FATBIN_ALIGN;
        if (offset < search->offset || skip >= search->words) {
            if (!load(search, offset))
                return 0;
            skip = 0;
        }
        size_t at = find_beginning(search->block + skip, search->words - (size_t)skip);
        offset += at * FATBIN_ALIGN;
        if (skip + at < search->words)
            return offset;
    }
    return 0;
}

void fatbin_search(struct fatbin_walk *walk, uint64_t start, uint64_t end)
{
    CLEANUP_FREE uint64_t *block = NULL;
    struct search search = {.window = walk->window, .end = end};
    uint64_t offset = start;
    bool is_near = false; /* behind a container */
    while (offset < end && end - offset >= FATBIN_HEADER && !walk->tally->is_full) {
        uint64_t found = is_near ? find_near(&search, offset) : 0;
        if (!found) {
            if (!block)
                search.block = block =
                    xmalloc(end - offset < BLOCK ? (size_t)(end - offset) : BLOCK);
            found = find_far(&search, offset);
        }
        if (!found)
            return;
        uint64_t behind = 0;
        if (fatbin_is_here(walk->window, found, end))
            behind = fatbin_container(walk, found, end);
        else
            device_tally_chance(walk->tally);
        is_near = behind > found;
        offset = is_near ? behind : found + FATBIN_ALIGN;
        offset += (FATBIN_ALIGN - (offset - start) % FATBIN_ALIGN) % FATBIN_ALIGN;
    }
}
