/* The Windows side of WSL. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_wsl = {
    .name = "wsl",
    .phase = PHASE_PASSIVE,
    .reads = "host device_node env_var loader_cache",
    .writes = "wsl visual_studio",
    .run = run,
};
