/* Known images that a container or an unpacked image was made from. */
#ifndef SYSTEM_CONTAINER_BASE_H
#define SYSTEM_CONTAINER_BASE_H

#include "probe/probe.h"

struct container_base {
    const char *name; /* cuda, ngc, jetson; NULL where it is none of them */
    const char *cuda; /* CUDA of it */
};

struct container_base container_base(const struct probe_context *context);

#endif
