/* An environment, as far as the loading of libraries goes: its Python, the folders that it
 * searches, the shared objects that lie where its packages keep libraries. */
#ifndef LIBRARY_PLACE_H
#define LIBRARY_PLACE_H

#include "probe/reach.h"

struct own_file {
    const char *name, *path;
};

struct place {
    const char *id, *prefix, *kind;
    const char *python; /* NULL: not known */
    const char **sites; /* in the order of the search; those that are there */
    size_t site_count;
    struct own_file *files; /* by name, then path */
    size_t file_count;
    bool has_files; /* they were listed */
    struct reach *reach;
};

/* The environments that were read; from the context's arena. What is too much is noted under the
 * probe's name. They themselves are in `reach`, which must outlive them. */
void places_load(struct probe_context *context, const char *probe, struct reach *reach,
                 struct place **ret, size_t *ret_count);

/* Whether the path lies below the environment: below its prefix where that is its own (a venv or
 * conda environment), or below a folder that it searches. *ret_site is that folder, or NULL. */
bool place_holds(const struct place *place, const char *path, const char **ret_site);

/* The libraries of that file name in the environment's own library folders: nvidia/NAME/lib below
 * each folder that it searches, and lib of a conda environment. *ret_count of them. A folder that
 * cannot be read is noted under the probe "library". */
const struct own_file *place_files_named(struct place *place, struct probe_context *context,
                                         const char *name, size_t *ret_count);

#endif
