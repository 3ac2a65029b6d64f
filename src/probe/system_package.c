/* Packages of the GPU stack, from the databases of the system's package managers. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_system_package = {
    .name = "system_package",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "system_package",
    .run = run,
};
