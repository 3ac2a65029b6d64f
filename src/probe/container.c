/* The container, and how the engines here are set up. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_container = {
    .name = "container",
    .phase = PHASE_PASSIVE,
    .reads = "host device_node env_var mount",
    .writes = "container container_setting",
    .run = run,
};
