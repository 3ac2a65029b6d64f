/* Where the files that a framework opens by path, or that hold its device code, lie in an
 * environment. */
#ifndef LIBRARY_FIND_PATH_H
#define LIBRARY_FIND_PATH_H

#include "library/fill.h"
#include "library/place.h"

enum { FOUND_PATHS_MAX = 64 };

struct found_paths {
    const char *items[FOUND_PATHS_MAX]; /* from the context's arena, by name */
    size_t count;
    const char *doubt; /* why there may be others, which was noted; NULL: there are none */
};

/* Who looks. */
struct path_finder {
    struct probe_context *context;
    const char *probe; /* its name, under which is noted what cannot be read or is too much */
    struct reach *reach;
};

/* A relative path, with "*" perhaps in its last component, below the folders that the environment
 * searches, or below its prefix: what the first folder has that has any. Compiled modules for
 * another version of Python than the folder's are left out. What lies out of reach counts as found,
 * a pattern as it is: opening it tells that it is not known. `place` may be NULL: nothing then. */
void find_paths(const struct path_finder *finder, const struct place *place, const char *path,
                bool below_prefix, struct found_paths *ret);

/* Likewise, where placeholders were filled in. Of a path with "~" that is not there, it is the one
 * with the next lower number in that place, else with the next higher one; none where not all of
 * them are known. */
void find_filled(const struct path_finder *finder, const struct place *place,
                 const struct filled *filled, bool below_prefix, struct found_paths *ret);

/* Where such a path would be, as find_filled() found none: in the first folder of its name that is
 * there. NULL where there is none, or where a tree that holds a part of a machine may have left the
 * file out. */
const char *find_expected(const struct path_finder *finder, const struct place *place,
                          const char *path);

/* Likewise, below the toolkit that the variables CUDA_PATH or CUDA_HOME name: the former wins. */
void find_paths_of_cuda(const struct path_finder *finder, const char *path,
                        struct found_paths *ret);
/* Likewise, below the toolkit in /usr/local/cuda. */
void find_paths_of_toolkit(const struct path_finder *finder, const char *path,
                           struct found_paths *ret);

#endif
