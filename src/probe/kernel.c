/* Kernels, and the GPU modules that lie on disk for them. */
#include "probe/probe.h"

static int run(struct probe_context *context)
{
    (void)context;
    return 0;
}

const struct probe probe_kernel = {
    .name = "kernel",
    .phase = PHASE_PASSIVE,
    .reads = "host kernel_module system_package",
    .writes = "kernel module_file dkms module_parameter",
    .run = run,
};
