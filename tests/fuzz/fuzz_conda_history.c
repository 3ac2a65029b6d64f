/* conda-meta/history and conda-meta/pixi of any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/conda_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct conda_history found;
    struct pixi_mark mark;
    conda_history_parse((const char *)data, size, &arena, &found);
    if (found.program && (!*found.program || strpbrk(found.program, "/ \n\x1b")))
        abort();
    if (found.version && strpbrk(found.version, " \n\x1b"))
        abort();
    pixi_mark_parse((const char *)data, size, &arena, &mark);
    if (mark.manifest && strpbrk(mark.manifest, "\n\x1b"))
        abort();
    arena_done(&arena);
    return 0;
}
