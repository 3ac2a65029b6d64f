#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_library = {
    .name = "library",
    .phase = PHASE_DERIVED,
    .reads = "environment search_path package framework",
    .writes = "process library loaded resolution shadowed symbol_check missing_symbol",
    .run = run,
};
