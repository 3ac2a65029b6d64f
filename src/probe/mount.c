/* Mounts that matter to GPU programs. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_mount = {
    .name = "mount",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "mount",
    .run = run,
};
