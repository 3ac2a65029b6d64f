/* kernel.json of any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/kernel_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct kernel_json found;
    if (kernel_json_parse((const char *)data, size, &arena, &found)) {
        if ((found.start == KERNEL_UNKNOWN) != !found.target)
            abort();
        if (found.target && (!*found.target || strpbrk(found.target, "\n\x1b")))
            abort();
        if (found.start == KERNEL_PYTHON && found.target[0] != '/')
            abort();
        if (found.display_name && !utf8_valid(found.display_name, strlen(found.display_name)))
            abort();
    }
    arena_done(&arena);
    return 0;
}
