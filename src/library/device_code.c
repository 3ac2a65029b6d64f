#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_device_code = {
    .name = "device_code",
    .phase = PHASE_DERIVED,
    .reads = "environment search_path package framework",
    .writes = "device_file device_code",
    .run = run,
};
