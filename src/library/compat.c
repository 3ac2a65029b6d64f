#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_compat = {
    .name = "compat",
    .phase = PHASE_DERIVED,
    .reads = "driver_library",
    .writes = "compat_library compat_allowed",
    .run = run,
};
