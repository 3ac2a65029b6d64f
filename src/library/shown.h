/* Paths as the tables show them. The loader joins "$ORIGIN/../../nvidia/cudnn/lib" and a name as
 * they stand; what people and other tables call that file has no ".." in it. */
#ifndef LIBRARY_SHOWN_H
#define LIBRARY_SHOWN_H

#include "library/simulate.h"

/* The path without "." and "..", where that leads to the same file (a link on the way may be in the
 * way); else as it is. From the context's arena, or `path` itself. */
const char *shown_path(const struct scene *scene, const char *path);
/* The path of a file that somebody named, as the loader is to open it: without "." and ".." like
 * all paths that are shown. Where that is another folder, since ".." stands behind a link, the
 * folder is named by its real path. */
const char *shown_named(const struct scene *scene, const char *path);
/* A path without "." and "..", unchecked: for sentences. */
const char *shown_folder(const struct scene *scene, const char *path);
/* The path by which the tables name an object of the process; NULL where it has no such object. */
const char *shown_object(struct simulation *simulation, size_t object);

#endif
