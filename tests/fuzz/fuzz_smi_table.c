/* Tables of nvidia-smi as people paste them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "machine/nvml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct nvml_report report;
    struct error err;
    if (nvml_parse_table((const char *)data, size, &arena, &report, &err) == 0)
        for (size_t i = 0; i < report.gpu_count; i++)
            if (!report.gpus[i].pci || report.gpus[i].mig_count > NVML_MIGS_MAX)
                abort();
    arena_done(&arena);
    return 0;
}
