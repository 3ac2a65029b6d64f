/* Files in which NVIDIA's systems name their release. */
#ifndef PARSE_RELEASE_FILES_H
#define PARSE_RELEASE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* "36.4.3" of /etc/nv_tegra_release ("# R36 (release), REVISION: 4.3, GCID: ..."); NULL where the
 * file is none. */
char *parse_l4t_release(const char *data, size_t size, struct arena *arena);

/* /etc/dgx-release. The serial number in it is never taken. Every upgrade of the system adds a line
 * DGX_OTA_VERSION; the last one is what is installed now. */
struct dgx_release {
    char *name;     /* "DGX Spark", "DGX Server" */
    char *pretty;   /* "NVIDIA DGX Spark" */
    char *version;  /* "7.2.3" */
    char *platform; /* the machine: "DGX Server for KVM"; "GX10" of another maker */
};
/* False where the file has neither a name nor a version. */
bool parse_dgx_release(const char *data, size_t size, struct arena *arena, struct dgx_release *ret);

#endif
