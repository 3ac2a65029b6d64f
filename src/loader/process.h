/* The dynamic loader of glibc, simulated: which files a process loads, in which order, from where
 * and why. Nothing is executed. The rules are those of elf/dl-load.c; docs/loader.md states them
 * and how they were checked.
 *
 * A process begins with a program (which may be unknown) and what is preloaded; then libraries are
 * opened into it one after the other, as dlopen() would. One table of loaded objects serves all. */
#ifndef LOADER_PROCESS_H
#define LOADER_PROCESS_H

#include "loader/store.h"
#include "loader/world.h"

enum loader_via {
    VIA_NONE,         /* not found */
    VIA_PROGRAM,      /* the program itself */
    VIA_LOADED,       /* an object of that name was there already */
    VIA_PATH,         /* the name is a path */
    VIA_RPATH,        /* DT_RPATH of the one who asks, or inherited */
    VIA_LIBRARY_PATH, /* LD_LIBRARY_PATH */
    VIA_RUNPATH,
    VIA_CACHE,
    VIA_DEFAULT,
};
const char *loader_via_name(enum loader_via via); /* "RPATH", "LD_LIBRARY_PATH", "cache", ... */

struct loader_object {
    const struct loader_file *file;
    const char *path;   /* by which it was opened: what $ORIGIN counts from */
    const char *origin; /* folder of it */
    size_t loader;      /* index of the object that caused it to load; SIZE_MAX: the program, or it
                           is the program or its interpreter */
    enum loader_via via;
    const char *via_list; /* the search element that gave it, expanded; NULL where none */
    size_t via_owner;     /* object whose RPATH or RUNPATH that was; SIZE_MAX */
    bool is_preloaded, is_opened /* by dlopen, not by need */, is_global /* symbols for all */;
    bool is_interpreter; /* the program's loader, which the kernel brings */
    bool is_doubtful;    /* what it was found by had left places alone before, which may hold
                            another that the loader finds first */
    bool is_removed;     /* came with a dlopen() that failed: not loaded, kept for its requests */
};

/* A place where the search looked. */
struct loader_step {
    enum loader_via via;
    const char *path; /* candidate */
    const struct loader_file *file;
};

/* One request and its answer. */
struct loader_request {
    size_t requester; /* index of the object that asks; SIZE_MAX: the program or its interpreter */
    const char *name; /* as it stands in DT_NEEDED, or as dlopen() got it */
    bool is_needed;   /* DT_NEEDED; else dlopen or preload */
    size_t object;    /* index of the answer; SIZE_MAX: none */
    bool is_first;    /* the object was loaded for this request */
    bool is_lacking;  /* nothing answers this need, and world->may_lack says that it need not */
    enum loader_via via;
    const char *error;         /* the loader's message for what it could not load, else NULL */
    const char *left_alone;    /* first place that was not looked at before the answer, or before
                                  none was found, which then is not known; NULL: none */
    struct loader_step *steps; /* tried before, in order; without what was absent when found */
    size_t step_count;
    struct loader_step *shadowed; /* further files of that name, in the search's order, that the
                                     answer keeps from being found; without the answer itself */
    size_t shadowed_count;
};

struct loader_process {
    const struct loader_world *world;
    struct loader_store *store;
    struct arena *arena;
    struct loader_object *objects;
    size_t object_count, object_capacity;
    struct loader_request *requests;
    size_t request_count, request_capacity;
    bool is_secure;         /* setuid and the like: LD_LIBRARY_PATH and $ORIGIN do not count */
    const char *left_alone; /* of the first request that has it; NULL: of none */
    bool is_cut;            /* more objects, requests or folders than are followed */
    /* internal tables of the simulator follow */
    struct loader_names *names;
};

enum { LOADER_OBJECTS_MAX = 4096 };

enum { LOADER_GLOBAL = 1 /* RTLD_GLOBAL */ };

/* Starts a process: the program at `path` (NULL: one that is not known, with no paths of its own
 * and nothing loaded), then LD_PRELOAD and /etc/ld.so.preload, then what they need. 0; -ENOENT and
 * the like where the program cannot be loaded; -ELIBACC where something that it needs cannot (the
 * rest is loaded all the same, and the request has the message); -ENOTSUP for musl. All memory is
 * of `arena`. */
int loader_process_start(struct loader_process *process, const struct loader_world *world,
                         struct loader_store *store, struct arena *arena, const char *path);

/* dlopen(name) called by the object `caller` (SIZE_MAX: the program). The needs of what is loaded
 * are loaded as well, breadth first. Returns the index of its request in process->requests; its
 * `object` is SIZE_MAX where dlopen fails, because of itself or of a need: then everything that
 * came with it is taken out again (is_removed), and `error` holds the message. The requests stay:
 * those behind the first that failed are not what the loader does, which stops there, but show all
 * that is missing. */
size_t loader_process_open(struct loader_process *process, const char *name, size_t caller,
                           unsigned flags);

/* The loaded object of that soname, or whose file name is that; SIZE_MAX: none. */
size_t loader_process_find(const struct loader_process *process, const char *name);

/* --- do the symbols fit? --- */

struct loader_missing {
    size_t user, provider; /* objects; provider SIZE_MAX: no single one, the scope was searched */
    const char *symbol;    /* NULL: the version node itself is missing */
    const char *version;   /* NULL: unversioned */
    bool is_fatal;         /* at load (version nodes, immediate binding, data); else when called */
};
struct loader_symbols {
    struct loader_missing *missing;
    size_t missing_count;
    size_t checked;      /* references that were looked up */
    const char *problem; /* tables that could not be read: a sentence, or NULL */
};
/* Whose references are looked up, and where: `prefix` ("cublas", "_ZN3c10") belongs to a library
 * whose soname begins with one of `sonames` (NULL-terminated). */
struct loader_prefix {
    const char *prefix;
    const char *const *sonames;
};
/* Checks one object: all version nodes that it needs, versioned references to objects whose soname
 * begins with one of the prefixes' sonames, and unversioned ones that begin with a prefix (the
 * longest that fits counts): first in that library as loaded, then in everything that is loaded.
 * Weak references are passed over. `binds_now`: it is opened with RTLD_NOW, as Python does. */
void loader_check_symbols(struct loader_process *process, size_t object, bool binds_now,
                          const struct loader_prefix *prefixes, size_t prefix_count,
                          struct loader_symbols *ret);

#endif
