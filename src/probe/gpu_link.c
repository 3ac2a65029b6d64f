/* PCIe paths between GPUs. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_gpu_link = {
    .name = "gpu_link",
    .phase = PHASE_PASSIVE,
    .reads = "pci_device",
    .writes = "gpu_link",
    .run = run,
};
