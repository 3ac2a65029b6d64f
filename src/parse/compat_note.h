/* The text in the ELF note of a cuda-compat libcuda: with which drivers and GPUs it may be used. */
#ifndef PARSE_COMPAT_NOTE_H
#define PARSE_COMPAT_NOTE_H

#include "base/arena.h"
#include "base/error.h"

enum { COMPAT_NUMBERS_MAX = 1024 };

struct compat_numbers {
    int *items; /* in the note's order, each once */
    size_t count;
};

struct compat_note {
    const char *cuda;              /* "13.1"; NULL where it does not say */
    struct compat_numbers drivers; /* branches of the kernel module: 535, 550 */
    struct compat_numbers devices; /* classes of GPUs, in NVIDIA's numbering */
};

/* All of *ret lives in `arena`. 0, or -EBADMSG with a sentence: no JSON, another format than the
 * one that is known, or lists of something else; *ret is empty then. */
int parse_compat_note(const char *data, size_t size, struct arena *arena, struct compat_note *ret,
                      struct error *err);

#endif
