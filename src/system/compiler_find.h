/* Where compilers lie. */
#ifndef SYSTEM_COMPILER_FIND_H
#define SYSTEM_COMPILER_FIND_H

#include "probe/probe.h"

enum { COMPILERS_MAX = 64 };

struct compiler_item {
    const char *name;      /* "gcc", ... */
    const char *path;      /* as it was found */
    const char *real_path; /* links resolved, also of a wrapper such as ccache; NULL unknown */
    const char *found_by;
};

struct compilers {
    struct probe_context *context;
    struct compiler_item items[COMPILERS_MAX];
    size_t count;
    bool cut; /* there were more */
};

/* From PATH, from variables, and from known places, in this order. */
void compilers_find(struct compilers *compilers);

#endif
