/* Work that is done in several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Calls work(data, i) once for each i below `count`, in up to as many threads as there are
 * processors for this process (at most 16); in this thread alone where `count` is less than 2, or
 * no thread can be started. Returns when all are done. */
void parallel_for(size_t count, void (*work)(void *data, size_t number), void *data);

/* The same in at most so many threads: a few milliseconds' work does not pay for more, each of
 * which costs some tens of microseconds. */
void parallel_for_most(size_t most, size_t count, void (*work)(void *data, size_t number),
                       void *data);

enum { PARALLEL_FEW = 6 };

#endif
