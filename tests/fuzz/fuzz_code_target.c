/* Targets of device code as text: what is read runs, by whatever rule, on a GPU or not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compute_capability.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    struct code_target target;
    size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, data, length);
    text[length] = '\0';
    if (!code_target_parse(text, &target))
        return 0;
    if (target.cc.major > 99 || target.cc.minor > 9)
        abort();
    for (uint32_t number = 10; number < 200; number++) {
        struct compute_capability gpu = compute_capability_of_number(number);
        enum code_runs runs = code_runs_on(&target, gpu);
        bool is_code = target.kind == CODE_CUBIN || target.kind == CODE_PTX;
        if (runs != CODE_RUNS_NOT && !is_code)
            abort();
        if (runs == CODE_RUNS_BY_PTX && target.kind != CODE_PTX)
            abort();
    }
    return 0;
}
