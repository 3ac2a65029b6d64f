/* A framework descriptor (rules/frameworks/NAME.json), checked and compiled: under which names a
 * framework is installed, and where its files say what it was built with.
 *
 *   {"schema":1, "name":"torch", "title":"PyTorch", "companion_of":null,
 *    "distributions":["torch"], "conda":["pytorch"], "sources":[SOURCE, ...]}
 *
 * Sources are tried in order; each field is set by the first one that gives it. A SOURCE is one of
 *   {"from":"file", "path":"torch/version.py", "pattern":P}  P on the head of a file in the site
 *                                folder; without a pattern it is enough that the file exists
 *   {"from":"version", "pattern":P}      on the version, with its local part
 *   {"from":"build", "pattern":P}        on conda's build string
 *   {"from":"requirement", "requires":N, "pattern":P}  N on the name that is asked for, P on the
 *                                specifier
 *   {"from":"package", "name":N, "pattern":P}  on name and version of another package there
 *   {"from":"needed", "path":"vllm/_C.abi3.so", "pattern":P}  on each soname that a shared object
 *                                of the site folder asks for
 * with optional "set":{field:value}, applied where the source matches, and "when":{field:value or
 * null}, a condition on the fields so far. Named groups: variant, cuda, cuda_tag, cudnn, nccl,
 * version and channel set their field, cuda_major and cuda_minor make up cuda; hip and xpu, when
 * they are not empty, make the variant rocm or xpu. */
#ifndef PROBE_FRAMEWORK_SPEC_H
#define PROBE_FRAMEWORK_SPEC_H

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
    FIELD_COUNT
};

extern const char *const framework_field_names[FIELD_COUNT];

enum source_kind {
    SOURCE_FILE,
    SOURCE_VERSION,
    SOURCE_BUILD,
    SOURCE_REQUIREMENT,
    SOURCE_PACKAGE,
    SOURCE_NEEDED
};

struct framework_source {
    enum source_kind kind;
    const char *path;              /* of a file or shared object, below the site folder */
    struct pattern *name;          /* of a requirement or package; else NULL */
    struct pattern *pattern;       /* may be NULL */
    const char *set[FIELD_COUNT];  /* NULL: not set */
    const char *when[FIELD_COUNT]; /* NULL: no condition; "": the field must be unknown */
};

struct framework_spec {
    const char *name;
    const char **distributions, **conda;
    size_t distribution_count, conda_count;
    struct framework_source *sources;
    size_t source_count;
};

/* Strings and arrays come from `arena`; patterns are released by framework_spec_done(), which may
 * be called after a failure as well. 0, or -EINVAL with a sentence. */
int framework_spec_parse(const char *json, struct arena *arena, struct framework_spec *ret,
                         struct error *err);
void framework_spec_done(struct framework_spec *spec);

#endif
