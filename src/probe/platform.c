/* Products of hardware and software together. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_platform = {
    .name = "platform",
    .phase = PHASE_PASSIVE,
    .reads = "host",
    .writes = "platform",
    .run = run,
};
