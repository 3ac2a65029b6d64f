/* What one process loads, for `gpudoctor deps`: read from the fact tables, then drawn as a tree for
 * people or given as JSON. Nothing is decided here but what is shown. */
#ifndef RENDER_DEPS_H
#define RENDER_DEPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "facts/facts.h"
#include "render/style.h"

enum { DEPS_NONE = -1 }; /* no such object */

/* Texts are NULL where the tables do not know. */
struct deps_process {
    const char *id, *environment, *framework, *title, *version, *program, *library_path, *preload;
    const char *outcome, *error;
    long objects; /* DEPS_NONE: not known */
};

struct deps_object {
    const char *path, *real_path, *soname, *family, *version, *loaded_by, *how, *via, *via_list,
        *via_path;
    int inside;       /* 1, 0, or DEPS_NONE */
    const char *site; /* folder that the environment searches, above it */
    long parent;      /* index of the object that brings it, always a lower one; DEPS_NONE */
    long child, last_child, next; /* its first and last child, the next of its parent's */
    size_t requests;              /* how often it was asked for, the first time included */
    bool is_folded;               /* a system library that brings nothing else than such */
    bool is_dropped; /* found, but what asked for it failed: not loaded, no row of its own */
};

struct deps_request {
    const char *needed_by, *name, *how, *found_path, *via, *family, *trail, *error;
    const char *purpose;    /* what alone fails without it; NULL: all, or nothing */
    int required;           /* 1, 0, or DEPS_NONE */
    bool is_first;          /* the one that the object was loaded for */
    bool is_consequence;    /* it fails for a need of the file that answers it: that is told */
    bool is_repeated;       /* missing, and the same object asked for it before, in vain */
    long requester, object; /* indices, DEPS_NONE */
    long next;              /* the next of the same requester; see deps.asked */
};

struct deps_shadowed {
    const char *name, *needed_by, *path, *via, *winner, *winner_via, *winner_list, *family;
};

struct deps_symbol {
    const char *path, *symbol, *version, *provider, *family;
    int fatal; /* 1, 0, or DEPS_NONE */
};

struct deps_unread {
    const char *path, *status, *detail;
};

struct deps {
    struct deps_process process;
    struct deps_object *objects; /* in the order of loading */
    size_t object_count;
    struct deps_request *requests; /* in the order of asking */
    size_t request_count;
    long *asked; /* per object: its first request that is no child: later ones, and missing ones */
    struct deps_shadowed *shadowed;
    size_t shadowed_count;
    struct deps_symbol *symbols;
    size_t symbol_count;
    struct deps_unread *unread;
    size_t unread_count;
    const char *const *elsewhere; /* other environments that have the framework */
    size_t elsewhere_count;
    const char *base; /* folder that most paths lie below, without '/' at its end; NULL: none */
};

/* Reads the process of that id; every pointer of *ret is of `arena`. 0; -ENOENT where there is no
 * such process; else negative with a sentence. */
int deps_read(struct facts *facts, const char *process_id, struct arena *arena, struct deps *ret,
              struct error *err);

/* Whether nothing answers the request, and not only because something else is missing. */
bool deps_is_missing(const struct deps_request *request);
/* Whether something is missing that must be there, or does not fit. */
bool deps_is_broken(const struct deps *deps);

/* For people: the verdict, the tree, what is missing, shadowed, or does not fit. `all`: every
 * system library, later request and trail. */
void render_deps(struct text *out, const struct style *style, const struct deps *deps, bool all);

enum { DEPS_SCHEMA = 1 };
/* For programs; a new reference. Keys: docs/gpudoctor.1. */
json_t *render_deps_json(const struct deps *deps);

/* --- between the files of this renderer --- */

/* Rows of the table library, by environment and path. */
struct deps_libraries {
    const struct row_library **rows;
    size_t count;
};
int deps_libraries_read(struct facts *facts, struct arena *arena, struct deps_libraries *ret,
                        struct error *err);
/* Real path, version, site and `inside` of an object, by its path. */
void deps_libraries_describe(const struct deps_libraries *libraries, const char *environment,
                             struct deps_object *object);

/* Ties rows together by their paths: parents, later requests, what is folded, the base. */
void deps_tie(struct deps *deps, struct arena *arena);

void deps_draw_tree(struct text *out, const struct style *style, const struct deps *deps, bool all);
void deps_add_missing(struct text *out, const struct style *style, const struct deps *deps,
                      bool all);
void deps_add_shadowed(struct text *out, const struct style *style, const struct deps *deps,
                       bool all);
void deps_add_symbols(struct text *out, const struct style *style, const struct deps *deps,
                      bool all);
const char *deps_file_name(const char *path); /* what follows the last '/' */
/* The path as it is shown: below deps->base without it. */
const char *deps_short(const struct deps *deps, const char *path);
/* "nvidia/cublas/lib/", or the whole path where the file's name is not `name`. Appended to `out`.
 */
void deps_add_place(struct text *out, const struct deps *deps, const char *path, const char *name);
/* "RPATH of libtorch.so", "the cache", ... appended to `out`. */
void deps_add_via(struct text *out, const struct deps_object *object);

#endif
