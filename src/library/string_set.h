/* A set of texts that somebody else keeps. Zero-initialise. */
#ifndef LIBRARY_STRING_SET_H
#define LIBRARY_STRING_SET_H

#include <stdbool.h>
#include <stddef.h>

struct string_set {
    const char **slots;
    size_t count, capacity; /* capacity is 0 or a power of two */
};

/* True when it was not there before. */
bool string_set_add(struct string_set *set, const char *text);
void string_set_done(struct string_set *set);

#endif
