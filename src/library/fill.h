/* Placeholders in the paths and names of descriptors. */
#ifndef LIBRARY_FILL_H
#define LIBRARY_FILL_H

#include "base/arena.h"
#include "base/error.h"
#include "machine/machine.h"

/* The text with each `token` replaced; from the arena. */
const char *fill_token(struct arena *arena, const char *text, const char *token, const char *value);

/* "12" of "12.8"; NULL where it is not known. */
const char *cuda_major_of(struct arena *arena, const char *cuda);

/* What placeholders stand for. */
struct fill_values {
    const struct machine *machine; /* its variables */
    const char *cuda;              /* the framework's own; NULL: not known */
    /* Whether another framework is in the same environment, and its CUDA or NULL. */
    bool (*cuda_of)(void *data, const char *framework, const char **ret_cuda);
    void *data;
};

struct filled {
    const char *path; /* from the arena; NULL where it is not known what a placeholder stands for */
    const char *lacks;             /* with that: a framework that is not there; else NULL */
    const char *odd_variable;      /* likewise: one whose value is no part of a file's name */
    size_t minor_at, minor_length; /* of a path with "~": the part that may be another number */
};

/* Whether what stands in braces are placeholders: -EINVAL with a sentence where not. */
int fill_check(const char *path, struct error *err);

/* A path that has passed, with all placeholders filled in. */
struct filled fill_path(struct arena *arena, const char *path, const struct fill_values *values);

#endif
