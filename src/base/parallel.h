/* Work that is done in several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stddef.h>

/* Calls work(data, i) once for each i below `count`, in up to as many threads as there are
 * processors for this process (at most PARALLEL_MOST); in this thread alone where `count` is less
 * than 2, or no thread can be started. Returns when all are done. */
void parallel_for(size_t count, void (*work)(void *data, size_t number), void *data);

/* The same in at most so many threads: a few milliseconds' work does not pay for more, each of
 * which costs some tens of microseconds. */
void parallel_for_most(size_t most, size_t count, void (*work)(void *data, size_t number),
                       void *data);

enum { PARALLEL_FEW = 6, PARALLEL_MOST = 16 };

/* As many threads as there are processors for this process, 1 to PARALLEL_MOST. */
size_t parallel_threads(void);

/* Helpers that work beside the caller. Neither copied nor moved while they do. */
struct parallel_team {
    pthread_t threads[PARALLEL_MOST];
    size_t count;
    void (*work)(void *data);
    void *data;
};

/* Calls work(data) in each of `wanted` threads, or of as many as can be started beside this one
 * with a processor each: there may be none. parallel_join() in any case, which waits for them. */
void parallel_start(struct parallel_team *team, size_t wanted, void (*work)(void *data),
                    void *data);
void parallel_join(struct parallel_team *team);

#endif
