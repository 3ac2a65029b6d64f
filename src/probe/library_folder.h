/* What the folders on the way to a copy of a driver's or toolkit's library say of it. */
#ifndef PROBE_LIBRARY_FOLDER_H
#define PROBE_LIBRARY_FOLDER_H

#include <stdbool.h>

/* It lies in a toolkit's folder of stubs, which are for linking alone. */
bool library_is_stub(const char *path, const char *real_path);
/* It lies in a folder of cuda-compat: a newer driver's libraries over an older kernel module. */
bool library_is_compat(const char *path, const char *real_path);

#endif
