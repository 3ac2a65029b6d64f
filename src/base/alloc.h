/* Allocation that does not fail: out of memory ends the process with status 3 (the tool itself
 * failed), because no caller could say anything better. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
/* Grows an array to at least `need` elements of `size` bytes; *capacity is kept in elements. */
void *xgrow(void *array, size_t *capacity, size_t need, size_t size)
    __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));

#endif
