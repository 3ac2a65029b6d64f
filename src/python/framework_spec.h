/* A framework descriptor (rules/frameworks/NAME.json), checked and compiled: under which names a
 * framework is installed, and where its files say what it was built with.
 *
 *   {"schema":1, "name":"torch", "title":"PyTorch", "companion_of":null,
 *    "distributions":["torch"], "conda":["pytorch"], "sources":[SOURCE, ...]}
 *
 * Sources are tried in order; each field is set by the first one that gives it, so cheap sources
 * stand first. A SOURCE is one of
 *   {"from":"file", "path":"torch/version.py", "pattern":P}  P on the head of a file in the site
 *                                folder; without a pattern it is enough that the file exists
 *   {"from":"version", "pattern":P}      on the version, with its local part
 *   {"from":"name", "pattern":P}         on the name under which it is installed
 *   {"from":"build", "pattern":P}        on conda's build string
 *   {"from":"requirement", "requires":N, "pattern":P}  N on the name that is asked for, P on the
 *                                specifier
 *   {"from":"package", "name":N, "pattern":P}  on name and version of another package there
 *   {"from":"needed", "path":"vllm/_C*.abi3.so", "pattern":P}  on each soname that a shared object
 *                                of the site folder asks for
 *   {"from":"names", "path":"bitsandbytes", "pattern":P}  on each name in a folder. The evidence
 *                                lists all that match; a field of which they say different things
 *                                is not taken from them
 *   {"from":"literal", "path":"triton/backends/nvidia/bin/ptxas", "pattern":P}  on the constants of
 *                                a program or shared object (its first megabytes of them)
 * with optional "set":{field:value}, applied where the source matches, and "when":{field:value or
 * null}, a condition on the fields so far: null is "not known yet", the way to read a large file
 * only where nothing cheaper told.
 *
 * The last part of a "path" may hold "*": the files that fit are tried in the order of their names
 * until one matches. "below":"prefix" looks below the environment's prefix instead of its site
 * folder ("lib/libctranslate2.so*" of a conda package).
 *
 * Named groups: variant, cuda, cuda_tag, cudnn, nccl, version, channel and package set their field,
 * cuda_major and cuda_minor make up cuda, cudnn_major and cudnn_minor cudnn; hip and xpu, when they
 * are not empty, make the variant rocm or xpu. "package" names the distribution whose files lie on
 * disk, where several own the same folder; the channel "unknown" stands for one that the files do
 * not tell, and not for PyPI; "pypi" counts only for what an installer took from an index, which is
 * what an unset one means. In the name of a package, for_cuda is the CUDA it is made for: another
 * one than the framework's, where that is known, passes it over. */
#ifndef PYTHON_FRAMEWORK_SPEC_H
#define PYTHON_FRAMEWORK_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/pattern.h"

enum framework_field {
    FIELD_VARIANT,
    FIELD_CUDA,
    FIELD_CUDA_TAG,
    FIELD_CUDNN,
    FIELD_NCCL,
    FIELD_VERSION,
    FIELD_CHANNEL,
    FIELD_PACKAGE,
    FIELD_COUNT
};

extern const char *const framework_field_names[FIELD_COUNT];

enum source_kind {
    SOURCE_FILE,
    SOURCE_VERSION,
    SOURCE_BUILD,
    SOURCE_REQUIREMENT,
    SOURCE_PACKAGE,
    SOURCE_NEEDED,
    SOURCE_NAME,
    SOURCE_NAMES,
    SOURCE_LITERAL
};

struct framework_source {
    enum source_kind kind;
    const char *path;              /* of a file, shared object or folder, below the site folder */
    bool below_prefix;             /* below the environment's prefix instead */
    struct pattern *name;          /* of a requirement or package; else NULL */
    struct pattern *pattern;       /* may be NULL */
    const char *set[FIELD_COUNT];  /* NULL: not set */
    const char *when[FIELD_COUNT]; /* NULL: no condition; "": the field must be unknown */
};

struct framework_spec {
    const char *json;    /* borrowed; what the sources are read from */
    struct arena *arena; /* where its strings and arrays live */
    const char *file;    /* the caller's: for messages */
    bool is_broken;      /* the caller's: its sources cannot be read */
    const char *name;
    const char *title; /* NULL where the descriptor has none */
    const char **distributions, **conda;
    size_t distribution_count, conda_count;
    struct framework_source *sources; /* NULL until they are read */
    size_t source_count;
};

/* Who it is and under which names it is installed: all that most descriptors are asked for on a
 * machine. `json` is borrowed until framework_spec_done(). Strings and arrays come from `arena`,
 * those of the sources too. 0, or -EINVAL with a sentence. */
int framework_spec_names(const char *json, struct arena *arena, struct framework_spec *ret,
                         struct error *err);
/* Reads the sources and compiles their patterns, once: a spec that has them is left as it is. */
int framework_spec_sources(struct framework_spec *spec, struct error *err);
/* Both. framework_spec_done() releases the patterns and may be called after a failure as well. */
int framework_spec_parse(const char *json, struct arena *arena, struct framework_spec *ret,
                         struct error *err);
void framework_spec_done(struct framework_spec *spec);

#endif
