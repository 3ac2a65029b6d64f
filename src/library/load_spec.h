/* What descriptors say about libraries: "load" and "device" of rules/frameworks/NAME.json, and
 * rules/libraries/NAME.json. docs/rule-format.md has the keys and what they mean. */
#ifndef LIBRARY_LOAD_SPEC_H
#define LIBRARY_LOAD_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/prefix.h"
#include "facts/descriptor.h"

enum { LOAD_STEPS_MAX = 128, LOAD_NAMES_MAX = 256 };

enum load_kind { LOAD_AFTER, LOAD_OPEN, LOAD_FIRST };
enum load_binding { BIND_AS_USUAL, BIND_NOW, BIND_LAZY };

struct load_step {
    enum load_kind kind;
    const char *after;  /* LOAD_AFTER */
    const char **paths; /* else */
    size_t path_count;
    bool optional, global, expected, below_prefix, below_cuda_home, below_default_toolkit;
    enum load_binding binding; /* usual is RTLD_NOW of Python, and RTLD_LAZY of libraries */
    const char *purpose;       /* "for": what fails without it; NULL: all, or nothing */
    const char *by, *only_if, *failed, *cuda, *cudnn, *variant, *since, *before; /* NULL: without */
};

struct device_path {
    const char *path, *since, *before; /* NULL: without */
};

struct load_spec {
    const char *name;
    struct load_step *steps;
    size_t step_count;
    struct device_path *device;
    size_t device_count;
};

/* Reads a framework's descriptor; one without "load" and "device" has none of them. Strings and
 * arrays come from `arena`. 0, or -EINVAL with a sentence. */
int load_spec_parse(const char *json, struct arena *arena, struct load_spec *ret,
                    struct error *err);
/* Whether the release of the framework (NULL: not known) lies between these bounds. */
bool load_release_fits(const char *release, const char *since, const char *before);
/* The descriptor of that framework or library among these: by the name of its file, which is the
 * same. NULL where there is none. */
const struct descriptor *descriptor_named(const struct descriptor *descriptors, size_t count,
                                          const char *name);

struct library_open {
    const char *by;
    const char **names;
    size_t name_count;
    bool is_first; /* the first that loads is enough; else each is opened */
    bool optional;
};

struct library_spec {
    const char *name;
    const char **sonames; /* these two end with NULL */
    const char **symbols;
    struct prefix *beginnings; /* of the sonames */
    size_t soname_count, symbol_count;
    const char *literal;       /* NULL: none; a pattern that compiles */
    const char **version_data; /* names of variables */
    size_t version_data_count;
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
