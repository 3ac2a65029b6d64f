/* Long stretches of data that are searched for their first container by several threads, while the
 * caller still follows containers elsewhere. */
#ifndef ELF_FATBIN_AHEAD_H
#define ELF_FATBIN_AHEAD_H

#include <pthread.h>

#include "base/parallel.h"
#include "elf/window.h"

enum {
    FATBIN_BLOCK = 256 * 1024, /* bytes that are read at once; fits the processor's second cache */
    FATBIN_STRETCHES_MAX = 64  /* a linker leaves below ten */
};

/* Magic, version 1 and a header of 16 bytes, as one word. */
#define FATBIN_BEGINNING 0x00100001BA55ED50ULL

/* The first word that begins a container; `count` where there is none. */
size_t fatbin_beginning(const uint64_t *words, size_t count);

struct fatbin_stretch {
    uint64_t start, end; /* in bytes of the file */
    size_t blocks;       /* from start to end; the last may be short */
    size_t taken, done;  /* of them, by rising number */
    size_t stop;         /* the first that ends the search; `blocks` where none is known to */
    uint64_t found;      /* there: the offset of a beginning; 0 where it ended otherwise */
    int error;           /* there: a negative errno; 0: the file has become shorter */
};

/* Zero-initialise; add stretches, start, ask. fatbin_ahead_done() in any case; where none was added
 * or started, it does nothing. */
struct fatbin_ahead {
    int fd; /* borrowed */
    struct fatbin_stretch stretches[FATBIN_STRETCHES_MAX];
    size_t count;
    uint64_t bytes; /* of all stretches */
    bool is_started, is_over;
    pthread_mutex_t lock; /* of the stretches, and of is_over */
    pthread_cond_t changed;
    struct parallel_team team;
};

/* A stretch that is too short to pay for a thread, or more than the window's budget has for all, is
 * left to the caller. */
void fatbin_ahead_add(struct fatbin_ahead *ahead, const struct elf_window *window, uint64_t start,
                      uint64_t end);

/* Begins, where what was added pays for threads at all, and the window may use any. */
void fatbin_ahead_start(struct fatbin_ahead *ahead, const struct elf_window *window);

/* Whether this stretch was added; `ret` is the offset of the first word in it, at places aligned
 * relative to its start, that begins a container: 0 where there is none, when the window's budget
 * is spent, or where reading fails. Waits for it, and does what is left of the work. The window's
 * budget and bytes_read are charged with what a search from front to back reads, however many
 * threads there were. */
bool fatbin_ahead_first(struct fatbin_ahead *ahead, struct elf_window *window, uint64_t start,
                        uint64_t end, uint64_t *ret);

void fatbin_ahead_done(struct fatbin_ahead *ahead);

#endif
