/* What descriptors say about libraries.
 *
 * Of a framework (rules/frameworks/NAME.json), what its import opens, in order, and which of its
 * files hold device code:
 *
 *   "load": [STEP, ...], "device": [PATH, ...]
 *
 * A STEP is one of
 *   {"after":"torch"}      that framework's own steps, where it is installed in the environment
 *   {"open":PATH} or {"open":[PATH, ...]}     each of them is opened
 *   {"first":[PATH, ...]}                     the first that is there and loads is enough
 * and the latter two may have
 *   "optional":true        the framework does without
 *   "global":true          opened with RTLD_GLOBAL
 *   "by":SONAME            begins the soname of the loaded object that calls dlopen(), whose paths
 *                          count then; without one loaded the step is passed over. Default: the
 *                          program
 *   "if":SONAME            only where an object is loaded whose soname begins so
 *   "below":"prefix"       paths are below the environment's prefix, or "cuda_home": below what the
 *                          variable CUDA_PATH names, else CUDA_HOME
 *   "failed":SONAME        only where such an object was asked for before, and did not load
 *   "cuda":"12"            only where the framework's CUDA has that major
 * and all of them
 *   "since":"2.10"         only from that release of the framework on, and where it is not known
 *   "before":"2.10"        only before that release
 * A PATH with "/" is looked for below each folder that the environment searches, in order; the
 * first that has it wins; "*" may stand in its last component. One without is a bare name for
 * dlopen().
 * "{cuda_major}" stands for the framework's CUDA. A path that is not on disk is passed over.
 *
 * Of a known library (rules/libraries/NAME.json):
 *
 *   {"schema":1, "name":"cudnn", "title":"cuDNN", "origin":"cudnn",
 *    "sonames":[PREFIX, ...]      of a soname or file name
 *    "symbols":[PREFIX, ...]      of symbols that live in it
 *    "literal":PATTERN            with the group "version", on the constants of its files
 *    "opens":[{"by":PREFIX, "open":[NAME, ...], "optional":true}, ...]}
 *
 * "opens" is what a member, whose soname begins with "by", opens by itself when it is used;
 * "{major}" stands for what follows ".so." in that soname, up to the next dot. */
#ifndef LIBRARY_LOAD_SPEC_H
#define LIBRARY_LOAD_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "facts/descriptor.h"

enum { LOAD_STEPS_MAX = 128, LOAD_NAMES_MAX = 256 };

enum load_kind { LOAD_AFTER, LOAD_OPEN, LOAD_FIRST };

struct load_step {
    enum load_kind kind;
    const char *after;  /* LOAD_AFTER */
    const char **paths; /* else */
    size_t path_count;
    bool optional, global, below_prefix, below_cuda_home;
    const char *by, *only_if, *failed, *cuda, *since, *before; /* NULL: without */
};

struct load_spec {
    const char *name;
    struct load_step *steps;
    size_t step_count;
    const char **device;
    size_t device_count;
};

/* Reads a framework's descriptor; one without "load" and "device" has none of them. Strings and
 * arrays come from `arena`. 0, or -EINVAL with a sentence. */
int load_spec_parse(const char *json, struct arena *arena, struct load_spec *ret,
                    struct error *err);
/* Whether the step is one of that release of the framework (NULL: not known). */
bool load_step_fits(const struct load_step *step, const char *release);
/* The descriptor of that framework or library among these: by the name of its file, which is the
 * same. NULL where there is none. */
const struct descriptor *descriptor_named(const struct descriptor *descriptors, size_t count,
                                          const char *name);

struct library_open {
    const char *by;
    const char **names;
    size_t name_count;
    bool optional;
};

struct library_spec {
    const char *name;
    const char **sonames; /* these two end with NULL */
    const char **symbols;
    size_t soname_count, symbol_count;
    const char *literal; /* NULL: none; a pattern that compiles */
    struct library_open *opens;
    size_t open_count;
};

/* Reads the descriptor of a known library, as load_spec_parse(). */
int library_spec_parse(const char *json, struct arena *arena, struct library_spec *ret,
                       struct error *err);

struct library_set {
    struct library_spec *items;
    size_t count;
};

/* Whose soname or file name begins like this one: the longest prefix decides. NULL: none's. */
const struct library_spec *library_set_find(const struct library_set *set, const char *name);

#endif
