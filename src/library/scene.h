/* One run's knowledge about libraries, shared by all processes that are simulated in it. */
#ifndef LIBRARY_SCENE_H
#define LIBRARY_SCENE_H

#include "library/load_spec.h"
#include "library/place.h"
#include "loader/map.h"
#include "loader/process.h"
#include "probe/reach.h"

struct symbol_memo;

struct scene {
    struct probe_context *context; /* its arena holds everything here */
    struct library_set known;
    struct loader_map *families; /* names of libraries to numbers of `known`, as they are asked */
    struct loader_prefix *prefixes; /* room for those of all known libraries */
    bool *are_needed;               /* room for one of each */
    struct loader_world world;
    struct loader_store *store;
    struct reach reach;      /* the store leaves alone what it keeps out */
    struct load_spec *specs; /* one for each descriptor of the context; read when asked for */
    char *spec_states;
    struct symbol_memo *memo;
    bool is_partial;    /* the machine is a tree that holds only what matters to its story */
    bool env_known;     /* variables are known: LD_LIBRARY_PATH is what it is */
    bool binds_at_load; /* LD_BIND_NOW */
};

/* scene_done() in any case. */
void scene_start(struct scene *scene, struct probe_context *context);
void scene_done(struct scene *scene);

/* What is known of the loading of that framework; NULL where nothing is, or its descriptor is
 * broken (which is noted). */
const struct load_spec *scene_load_spec(struct scene *scene, const char *framework);

/* The prefixes of symbols that an object is checked for, until the next call: those of the known
 * libraries that it names as needed. Not of its own: members of a library come together, and
 * PyTorch's have ten thousands of references to each other. */
const struct loader_prefix *scene_prefixes(struct scene *scene, const struct loader_object *object,
                                           size_t *ret_count);

/* The known library that an object or a name belongs to: by soname, else by file name. */
const struct library_spec *scene_family(const struct scene *scene, const char *soname,
                                        const char *path);

#endif
