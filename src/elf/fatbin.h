/* Containers of device code ("fatbins"): a header, then entries of a header and a payload each.
 * The format is not published; docs/device-code.md tells what is known of it. */
#ifndef ELF_FATBIN_H
#define ELF_FATBIN_H

#include "elf/device_tally.h"
#include "elf/window.h"

struct fatbin_ahead;

#define FATBIN_MAGIC 0xBA55ED50U /* begins a container */

enum {
    FATBIN_HEADER = 16,       /* bytes of a container's header */
    FATBIN_ENTRY_HEADER = 64, /* bytes of an entry's header, at least */
    FATBIN_ALIGN = 8
};

/* How a piece of a file is walked. */
struct fatbin_walk {
    struct elf_window *window;
    struct device_tally *tally;
    struct fatbin_ahead *ahead; /* knows the first container of long stretches; NULL: of none */
    enum device_place place;    /* of what is found */
    /* Asked of a container, by its offset in the file, that might be the empty one of a device
     * link; NULL: there is none here. */
    bool (*is_stub)(void *data, uint64_t offset);
    void *data;
};

/* Whether a container whose first entry makes sense begins here, and ends before `end`. */
bool fatbin_is_here(struct elf_window *window, uint64_t offset, uint64_t end);

/* Counts the container at `offset`, which ends before `end`, both in bytes of the file. The offset
 * behind it, or 0 where no container begins, or one of a size that leads out of the piece. */
uint64_t fatbin_container(struct fatbin_walk *walk, uint64_t offset, uint64_t end);

/* Counts containers that stand back to back, as sections made for them hold them. */
void fatbin_walk(struct fatbin_walk *walk, uint64_t start, uint64_t end);

/* Searches data for containers, at places that are aligned relative to `start`. What only looks
 * like one is passed over silently. */
void fatbin_search(struct fatbin_walk *walk, uint64_t start, uint64_t end);

#endif
