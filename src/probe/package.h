/* The two kinds of package records; package.c goes through the environments. */
#ifndef PROBE_PACKAGE_H
#define PROBE_PACKAGE_H

#include "probe/probe.h"

#define PACKAGE_FILLS "package requirement framework"

/* Adds the rows of every *.dist-info and *.egg-info in a site folder. */
void package_read_site(struct probe_context *context, const char *environment_id, const char *site);
/* Adds the rows of PREFIX/conda-meta/ *.json, where there is such a folder. */
void package_read_conda(struct probe_context *context, const char *environment_id,
                        const char *prefix);

/* Key of a package row: the environment and the record's path inside it. */
const char *package_id(struct probe_context *context, const char *environment_id, const char *path);

#endif
