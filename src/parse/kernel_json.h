/* kernel.json of a Jupyter kernel: the command that starts it. */
#ifndef PARSE_KERNEL_JSON_H
#define PARSE_KERNEL_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { KERNEL_ARGUMENTS_MAX = 64 };

enum kernel_start {
    KERNEL_UNKNOWN,       /* the command does not tell which Python it starts */
    KERNEL_PYTHON,        /* `target` is an absolute path of Python */
    KERNEL_PYTHON_NAME,   /* `target` is a name such as "python": Jupyter takes its own Python */
    KERNEL_PYTHON_LOOKUP, /* `target` is a name that is looked up on PATH */
    KERNEL_ENV_NAME,      /* `target` is the name of a conda environment */
    KERNEL_ENV_PREFIX,    /* `target` is the folder of an environment */
};

struct kernel_json {
    const char *display_name; /* NULL where it is not given */
    const char *language;     /* as written; NULL likewise */
    enum kernel_start start;
    const char *target;
};

/* False where it is not such a document. Strings come from `arena`; control characters in
 * display_name are made visible. */
bool kernel_json_parse(const char *data, size_t length, struct arena *arena,
                       struct kernel_json *ret);

#endif
