/* Container Device Interface. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_cdi = {
    .name = "cdi",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "cdi_spec",
    .run = run,
};
