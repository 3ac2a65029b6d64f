/* One environment's search path as it is put together; search_path.c goes through the environments,
 * search_path_folder.c looks into each folder. */
#ifndef PYTHON_SEARCH_PATH_H
#define PYTHON_SEARCH_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe.h"

#define SEARCH_PATH_FILLS "search_path startup_code"

struct search_owner {
    const char *prefix, *kind;
};

struct search {
    struct probe_context *context;
    struct arena *arena; /* until the environment is done */
    const char *environment_id;
    const struct search_owner *owners; /* every environment there is */
    size_t owner_count;
    const char **seen; /* folders so far */
    size_t count, capacity;
    bool is_cut;
};

/* Adds a folder, unless it is on the path already. `kind` and `source` are those of the table. A
 * site folder (is_site) has its .pth files followed. */
void search_add(struct search *search, const char *path, const char *kind, const char *source,
                bool is_site);
/* sitecustomize.py and usercustomize.py, which Python imports from wherever it finds them. */
void search_find_custom(struct search *search, const char *folder);
void search_done(struct search *search);

#endif
