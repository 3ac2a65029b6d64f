/* A package's desc in pacman's local database: "%NAME%", then lines of values, then an empty one.
 */
#ifndef PARSE_PACMAN_DESC_H
#define PARSE_PACMAN_DESC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct pacman_desc {
    struct span name, version, arch; /* of the data; data NULL where it is not there */
};

/* False when it has no name. */
bool parse_pacman_desc(const char *data, size_t size, struct pacman_desc *ret);

/* The name in that of a package's folder, "nvidia-utils-580.95.05-1"; false when it is none. */
bool pacman_folder_name(const char *folder, struct span *ret);

#endif
