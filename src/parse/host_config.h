/* crt/host_config.h of a CUDA toolkit: the host compilers that its nvcc accepts. */
#ifndef PARSE_HOST_CONFIG_H
#define PARSE_HOST_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/opt.h"

struct compiler_bounds {
    struct opt min_major, max_major; /* unknown: the header sets no such bound */
    char *evidence;                  /* the words of its #error; NULL: it does not judge it */
};
struct host_config {
    struct compiler_bounds gcc, clang;
};
/* False where the header judges neither compiler: then it is not that header. */
bool parse_host_config(const char *data, size_t size, struct arena *arena, struct host_config *ret);

#endif
