/* The version of a compiler that is not run: its name, its own folders, its own text. */
#ifndef SYSTEM_COMPILER_VERSION_H
#define SYSTEM_COMPILER_VERSION_H

#include "probe/probe.h"

struct compiler_version {
    const char *family;  /* "gcc" or "clang"; NULL where it is not told (a script) */
    const char *version; /* "12.2.0", or "12" where no more is told; NULL unknown */
};

/* `real_path` has its links resolved. */
void compiler_version(struct probe_context *context, const char *real_path,
                      struct compiler_version *ret);

#endif
