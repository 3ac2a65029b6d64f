/* The environments that discovery has found so far: each folder once, whatever way led to it. */
#ifndef PYTHON_ENVIRONMENT_SET_H
#define PYTHON_ENVIRONMENT_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "parse/pyvenv.h"
#include "probe/probe.h"
#include "python/environment_reach.h"

enum { ENVIRONMENTS_MAX = 1024 };

/* What an environment's trouble can leave unknown. */
#define ENVIRONMENT_FILLS "environment package requirement framework"

struct environment {
    const char *prefix; /* links resolved */
    const char *kind, *found_by;
    bool is_read, is_active;
    struct pyvenv pyvenv; /* of a venv */
};

struct environment_set {
    struct probe_context *context;
    struct environment *items;
    size_t count, capacity;
    bool read_all; /* whatever is found is read */
    bool is_full;
    struct reach reach;
};

/* Looks at a folder and adds it, if it is an environment; the same folder again only widens what
 * is known of it. The pointer is good until the next addition; NULL: no environment there. */
struct environment *environment_add(struct environment_set *set, const char *path,
                                    const char *found_by, bool is_read);
/* The same for a folder that somebody names, which may also hold packages and nothing else
 * (pip install --target). */
struct environment *environment_add_named(struct environment_set *set, const char *path,
                                          const char *found_by);
/* Why no environment was found at `path`: the negative errno that keeps us out of the folder, or
 * -ENOENT where there is none. */
int environment_obstacle(const struct environment_set *set, const char *path);
/* Whether the folder has pyvenv.cfg or conda-meta. */
bool environment_is_marked(const struct environment_set *set, const char *prefix);
void environment_set_done(struct environment_set *set);

/* environment_option.c: what --env names. 0, or -EINVAL with a sentence. */
int environment_take_options(struct environment_set *set);
/* environment_path.c: VIRTUAL_ENV, CONDA_PREFIX, the interpreters on PATH and ./.venv. */
void environment_find_active(struct environment_set *set);
/* environment_places.c: the folders where environments usually are. */
void environment_find_places(struct environment_set *set);
/* environment_walk.c: all folders of a recorded tree or an image. */
void environment_walk(struct environment_set *set);

/* environment_base.c: the prefix of the Python that a venv was made from; NULL without one. */
const char *environment_base_of_home(struct arena *arena, const char *home);
/* The same, following `home` from venv to venv; NULL with a note where that leads in a circle. */
const char *environment_base(struct environment_set *set, const struct environment *item);
/* Adds the bases whose packages a venv lets in, and the folders that PYTHONPATH names. */
void environment_add_searched(struct environment_set *set);

/* environment_manager.c: who made the environment, by the marks that it left. */
struct environment_marks {
    const char *manager, *version, *name, *project; /* version, name, project: NULL not known */
};
void environment_read_marks(const struct environment_set *set, const struct environment *item,
                            struct environment_marks *ret);

/* environment_known.c: the folders where tools keep environments, as data. */
enum place_kind {
    PLACE_SELF,     /* the folder is an environment */
    PLACE_CHILDREN, /* each folder in it may be one */
    PLACE_DEEP,     /* folders three levels below may be: PROJECT/HASH/NAME of hatch */
    PLACE_ROOT,     /* a conda installation: itself, and the folders in envs/ */
    PLACE_GLOB,     /* conda installations whose path begins like this */
    PLACE_LIST,     /* a variable with several folders, each as PLACE_CHILDREN */
    PLACE_PROGRAM,  /* a variable with ROOT/bin/conda */
};
struct place {
    enum place_kind kind;
    /* "~" is the home folder, "." the working folder, "$NAME" a variable. */
    const char *path;
    const char *manager; /* who keeps environments there; NULL: their marks tell */
};
extern const struct place environment_places[];
extern const size_t environment_place_count;
/* The place's folder; NULL where its home, working folder or variable is not known. */
const char *environment_expand(const struct environment_set *set, const char *path);

#endif
