/* The full version of a Python: include/python3.X/patchlevel.h, and the names of folders that pyenv
 * and uv install into. */
#ifndef PARSE_PATCHLEVEL_H
#define PARSE_PATCHLEVEL_H

#include <stddef.h>

#include "base/arena.h"

/* "3.11.2" of `#define PY_VERSION "3.11.2+"`; NULL where there is none. From `arena`. */
char *patchlevel_version(const char *data, size_t length, struct arena *arena);
/* "3.11.2" of "3.11.2" and of "cpython-3.11.2-linux-x86_64-gnu"; NULL for any other name. */
char *patchlevel_of_name(const char *name, struct arena *arena);

#endif
