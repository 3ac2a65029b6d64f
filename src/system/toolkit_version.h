/* What a CUDA toolkit's own files say of its version. */
#ifndef SYSTEM_TOOLKIT_VERSION_H
#define SYSTEM_TOOLKIT_VERSION_H

#include "probe/probe.h"

struct toolkit_version {
    const char *version, *evidence;  /* NULL: no file says */
    const char *nvcc, *nvcc_version; /* NULL: no compiler */
};

/* `root` is the folder with links resolved. False when it is no toolkit: neither version nor
 * compiler nor runtime library. */
bool toolkit_read(struct probe_context *context, const char *root, struct toolkit_version *ret);

/* The folder of the toolkit that the compiler at `nvcc` belongs to, with links resolved; NULL
 * where that cannot be told (a wrapper script of unknown kind). */
char *toolkit_of_nvcc(struct probe_context *context, const char *nvcc);

#endif
