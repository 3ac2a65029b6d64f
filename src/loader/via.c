#include "loader/process.h"

const char *loader_via_name(enum loader_via via)
{
    static const char *const names[] = {
        [VIA_NONE] = "nowhere",
        [VIA_PROGRAM] = "program",
        [VIA_LOADED] = "loaded",
        [VIA_PATH] = "path",
        [VIA_RPATH] = "RPATH",
        [VIA_LIBRARY_PATH] = "LD_LIBRARY_PATH",
        [VIA_RUNPATH] = "RUNPATH",
        [VIA_CACHE] = "cache",
        [VIA_DEFAULT] = "default folder",
    };
    return names[via];
}
