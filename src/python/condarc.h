/* Where conda and mamba look for their settings, and what they say of folders for environments. */
#ifndef PYTHON_CONDARC_H
#define PYTHON_CONDARC_H

#include "parse/condarc.h"
#include "probe/probe.h"

enum { CONDARC_SIZE_MAX = 64 * 1024 };

/* Calls back for each file of settings that is there, in the order in which conda reads them: the
 * last one that sets something counts. `tool` is "conda", or "mamba" for .mambarc. Those of other
 * environments than $CONDA_PREFIX are not among them. Texts live in the context's arena. */
void condarc_each_place(struct probe_context *context,
                        void (*each)(void *data, const char *tool, const char *path), void *data);
/* The same for PREFIX/.condarc and its like. */
void condarc_each_place_in(struct probe_context *context, const char *prefix,
                           void (*each)(void *data, const char *tool, const char *path),
                           void *data);

struct condarc_dirs {
    const char **items; /* absolute, "~" and variables replaced; from the context's arena */
    size_t count;
};

/* Folders in which conda keeps environments as variables and settings name them, the one that
 * counts most first; conda's own ones (ROOT/envs, ~/.conda/envs) are not among them. Files that
 * cannot be read are passed over: the probe package_setting notes them. */
void condarc_read_envs_dirs(struct probe_context *context, struct condarc_dirs *ret);

#endif
