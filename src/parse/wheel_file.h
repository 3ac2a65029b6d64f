/* WHEEL: what kind of wheel a distribution was installed from. */
#ifndef PARSE_WHEEL_FILE_H
#define PARSE_WHEEL_FILE_H

#include <stddef.h>

#include "base/arena.h"

/* Platform of the tag that asks least of the system: of several the manylinux one with the oldest
 * C library, "any" before all. NULL where no tag can be read. From `arena`. */
char *wheel_platform(const char *data, size_t length, struct arena *arena);

#endif
