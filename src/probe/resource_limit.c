/* Limits. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_resource_limit = {
    .name = "resource_limit",
    .phase = PHASE_PASSIVE,
    .reads = "host",
    .writes = "resource_limit",
    .run = run,
};
