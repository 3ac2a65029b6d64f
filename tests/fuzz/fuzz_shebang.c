/* Heads of scripts of any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/shebang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct shebang found;
    if (shebang_parse((const char *)data, size, &arena, &found) &&
        (!found.program || !*found.program || strpbrk(found.program, "\n\x1b") ||
         (found.program[0] != '/' && !found.is_on_path && !found.is_beside)))
        abort();
    arena_done(&arena);
    return 0;
}
