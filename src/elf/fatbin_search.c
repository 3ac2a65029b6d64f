/* The search for containers in sections that hold other things, too. */
#include <stdlib.h>

#include "base/alloc.h"
#include "elf/fatbin.h"
#include "elf/fatbin_ahead.h"
#include "elf/fatbin_field.h"

enum { NEAR = 32 }; /* words behind a container that are looked at one by one */

struct search {
    struct elf_window *window;
    uint64_t end;
    uint64_t *block; /* FATBIN_BLOCK bytes of the file */
    uint64_t offset; /* that it holds, from here */
    size_t words;
};

static bool load(struct search *search, uint64_t offset)
{
    uint64_t rest = search->end - offset;
    size_t want = rest < FATBIN_BLOCK ? (size_t)rest : FATBIN_BLOCK;
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
        if (fatbin_u64(at) == FATBIN_BEGINNING)
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
        size_t at = fatbin_beginning(search->block + skip, search->words - (size_t)skip);
        offset += at * FATBIN_ALIGN;
        if (skip + at < search->words)
            return offset;
    }
    return 0;
}

/* The next beginning from `offset`; 0 where there is none. */
static uint64_t find(struct search *search, uint64_t offset, bool is_near)
{
    uint64_t found = is_near ? find_near(search, offset) : 0;
    if (found)
        return found;
    if (!search->block) {
        uint64_t rest = search->end - offset;
        search->block = xmalloc(rest < FATBIN_BLOCK ? (size_t)rest : FATBIN_BLOCK);
    }
    return find_far(search, offset);
}

void fatbin_search(struct fatbin_walk *walk, uint64_t start, uint64_t end)
{
    struct search search = {.window = walk->window, .end = end};
    uint64_t offset = start, found = 0;
    bool is_near = false; /* behind a container */
    if (walk->ahead && fatbin_ahead_first(walk->ahead, walk->window, start, end, &found) && !found)
        return;
    while (offset < end && end - offset >= FATBIN_HEADER && !walk->tally->is_full) {
        found = found ? found : find(&search, offset, is_near);
        if (!found)
            break;
        uint64_t behind = 0;
        if (fatbin_is_here(walk->window, found, end))
            behind = fatbin_container(walk, found, end);
        else
            device_tally_chance(walk->tally);
        is_near = behind > found;
        offset = is_near ? behind : found + FATBIN_ALIGN;
        offset += (FATBIN_ALIGN - (offset - start) % FATBIN_ALIGN) % FATBIN_ALIGN;
        found = 0;
    }
    free(search.block);
}
