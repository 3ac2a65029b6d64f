/* Files that two distributions claim. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_shared_file = {
    .name = "shared_file",
    .phase = PHASE_PASSIVE,
    .reads = "environment package",
    .writes = "shared_file",
    .run = run,
};
