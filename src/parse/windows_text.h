/* Text files that Windows programs write. */
#ifndef PARSE_WINDOWS_TEXT_H
#define PARSE_WINDOWS_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

/* The text as UTF-8: UTF-16 of either byte order is recognised by its mark and decoded, the mark of
 * UTF-8 is left out, other bytes stay as they are. It points into `data` or into the arena. */
struct span windows_text(const char *data, size_t size, struct arena *arena);

#endif
