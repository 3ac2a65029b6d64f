/* A file of the Container Device Interface, YAML or JSON:
 * https://github.com/cncf-tags/container-device-interface/blob/main/SPEC.md */
#ifndef PARSE_CDI_H
#define PARSE_CDI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { CDI_PATHS_MAX = 4096 };

struct cdi_spec {
    const char *kind;    /* "nvidia.com/gpu" */
    const char *version; /* cdiVersion */
    size_t devices;
    const char **paths; /* of the host: what is mounted, device nodes, programs of hooks; sorted,
                           each once */
    size_t path_count;
    bool cut;           /* there were more than CDI_PATHS_MAX */
    const char *driver; /* version in the names of the files that are mounted, or NULL */
};

/* False where it is no such file; else `kind` and `version` may still be NULL. */
bool parse_cdi(const char *data, size_t size, struct arena *arena, struct cdi_spec *ret);

#endif
