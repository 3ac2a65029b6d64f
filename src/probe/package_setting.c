/* Settings of package managers that choose GPU builds. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_package_setting = {
    .name = "package_setting",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "package_setting",
    .run = run,
};
