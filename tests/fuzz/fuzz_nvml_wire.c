/* What a driver library gone mad could write into the result pipe, in two pieces. */
#include <stddef.h>
#include <stdint.h>

#include "machine/nvml_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct nvml_report report = {0};
    struct wire_reader reader = {.arena = &arena, .report = &report};
    if (wire_read(&reader, (const char *)data, size / 2) == 0)
        wire_read(&reader, (const char *)data, size);
    arena_done(&arena);
    return 0;
}
