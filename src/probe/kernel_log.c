/* The kernel's log. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_kernel_log = {
    .name = "kernel_log",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "kernel_log",
    .run = run,
};
