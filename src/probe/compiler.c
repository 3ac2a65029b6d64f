/* Host compilers, and which of them nvcc accepts. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_compiler = {
    .name = "compiler",
    .phase = PHASE_PASSIVE,
    .reads = "toolkit",
    .writes = "compiler nvcc_host",
    .run = run,
};
