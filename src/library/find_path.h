/* Where the files that a framework opens by path lie in an environment. */
#ifndef LIBRARY_FIND_PATH_H
#define LIBRARY_FIND_PATH_H

#include "library/scene.h"

enum { FOUND_PATHS_MAX = 64 };

struct found_paths {
    const char *items[FOUND_PATHS_MAX]; /* from the context's arena, by name */
    size_t count;
};

/* A relative path, with "*" perhaps in its last component, below the folders that the environment
 * searches, or below its prefix: what the first folder has that has any. Compiled modules for
 * another version of Python than the folder's are left out. `place` may be NULL: nothing then. */
void find_paths(struct scene *scene, const struct place *place, const char *path, bool below_prefix,
                struct found_paths *ret);

/* Likewise, below the toolkit that the variables CUDA_PATH or CUDA_HOME name: the former wins. */
void find_paths_of_cuda(struct scene *scene, const char *path, struct found_paths *ret);

#endif
