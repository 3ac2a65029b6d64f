/* Batch systems and launchers. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_job = {
    .name = "job",
    .phase = PHASE_PASSIVE,
    .reads = "env_var device_node host",
    .writes = "job",
    .run = run,
};
