/* Folders that each environment searches, and code that runs at its start. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_search_path = {
    .name = "search_path",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "search_path startup_code",
    .run = run,
};
