/* The environments that discovery has found so far: each folder once, whatever way led to it. */
#ifndef PROBE_ENVIRONMENT_SET_H
#define PROBE_ENVIRONMENT_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe.h"

enum { ENVIRONMENTS_MAX = 1024 };

/* What an environment's trouble can leave unknown. */
#define ENVIRONMENT_FILLS "environment package requirement framework"

struct environment {
    const char *prefix; /* links resolved */
    const char *kind, *found_by;
    bool is_read, is_active, has_system_site;
    const char *version, *home, *uv; /* of pyvenv.cfg */
};

struct environment_set {
    struct probe_context *context;
    struct environment *items;
    size_t count, capacity;
    bool read_all; /* whatever is found is read */
    bool is_full;
};

/* Looks at a folder and adds it, if it is an environment; the same folder again only widens what
 * is known of it. The pointer is good until the next addition; NULL: no environment there. */
struct environment *environment_add(struct environment_set *set, const char *path,
                                    const char *found_by, bool is_read);
/* Why no environment was found at `path`: the negative errno that keeps us out of the folder, or
 * -ENOENT where there is none. */
int environment_obstacle(const struct environment_set *set, const char *path);
/* Whether the folder has pyvenv.cfg or conda-meta. */
bool environment_is_marked(const struct environment_set *set, const char *prefix);
void environment_set_done(struct environment_set *set);

/* environment_path.c: VIRTUAL_ENV, CONDA_PREFIX, the interpreters on PATH and ./.venv. */
void environment_find_active(struct environment_set *set);
/* environment_places.c: the folders where environments usually are. */
void environment_find_places(struct environment_set *set);
/* environment_walk.c: all folders of a recorded tree or an image. */
void environment_walk(struct environment_set *set);

/* environment_path.c: `path`, or the working folder with `path` behind it; NULL without one. */
const char *environment_absolute(const struct environment_set *set, const char *path);

#endif
