/* What the framework probe's files share: the packages of one environment, and what the sources of
 * a descriptor say about one of them. */
#ifndef PYTHON_FRAMEWORK_H
#define PYTHON_FRAMEWORK_H

#include "probe/probe.h"
#include "python/framework_spec.h"
#include "python/slice.h"

struct framework_package {
    const char *name, *version, *kind, *installer, *build, *channel, *site, *path, *origin;
    /* Of its site folder on the search path; -1 where it is not known. */
    int64_t position;
};

struct framework_environment {
    const char *id, *kind, *manager, *python;
    struct framework_package *packages;
    size_t count, capacity;
    struct slice requirements, folders; /* where its rows lie in those tables */
};

/* One installation: what Python's installer recorded, what conda recorded, or both. */
struct framework_install {
    const struct framework_package *dist;  /* NULL: conda's record alone */
    const struct framework_package *conda; /* NULL: not conda's */
};

bool framework_is_dist(const struct framework_package *package); /* else conda's record */

/* The installation of the framework that counts, where there is one and its sources can be read. */
bool framework_choose(struct probe_context *context, struct framework_spec *spec,
                      const struct framework_environment *environment,
                      struct framework_install *ret);

struct framework_findings {
    const char *fields[FIELD_COUNT]; /* NULL: not known */
    const char *version_path, *cudnn_path, *nccl_path;
    const char *evidence_path, *evidence; /* of the source that told the variant or CUDA first */
};

/* Tries the sources in order. Strings come from the context's arena. */
void framework_look(struct probe_context *context, const struct framework_spec *spec,
                    const struct framework_environment *environment,
                    const struct framework_install *install, struct framework_findings *ret);

#endif
