#include "probe/library_folder.h"

#include <string.h>

/* Whether a folder of that very name lies on the way to the file. */
static bool has_folder(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    for (const char *at = path; (at = strstr(at, folder)); at += n)
        if (at > path && at[-1] == '/' && at[n] == '/')
            return true;
    return false;
}

bool library_is_stub(const char *path, const char *real_path)
{
    return has_folder(path, "stubs") || has_folder(real_path, "stubs");
}

bool library_is_compat(const char *path, const char *real_path)
{
    return has_folder(path, "compat") || has_folder(real_path, "compat") ||
           has_folder(path, "cuda-compat");
}
