/* Paths as text. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <string.h>

/* What follows the last slash; all of it where there is none. */
static inline const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
