/* Reports of nvidia-smi, and its failures. */
#include <stddef.h>
#include <stdint.h>

#include "machine/nvml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct nvml_report report;
    struct error err;
    nvml_parse_xml((const char *)data, size, &arena, &report, &err);
    nvml_parse_failure((const char *)data, size, &arena, &report);
    arena_done(&arena);
    return 0;
}
