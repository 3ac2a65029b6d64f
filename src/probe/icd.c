/* Drivers that OpenCL, EGL and Vulkan know. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_icd = {
    .name = "icd",
    .phase = PHASE_PASSIVE,
    .reads = "env_var loader_cache",
    .writes = "icd",
    .run = run,
};
