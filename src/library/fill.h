/* Placeholders in the paths and names of descriptors. */
#ifndef LIBRARY_FILL_H
#define LIBRARY_FILL_H

#include "base/arena.h"

/* The text with each `token` replaced; from the arena. */
const char *fill_token(struct arena *arena, const char *text, const char *token, const char *value);

/* "12" of "12.8"; NULL where it is not known. */
const char *cuda_major_of(struct arena *arena, const char *cuda);

/* "{cuda_major}" filled in; NULL where a path has it and the major is not known (NULL). */
const char *fill_cuda_major(struct arena *arena, const char *path, const char *major);

#endif
