/* The header that states Python's version, and the names of folders. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/patchlevel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const char *found = patchlevel_version((const char *)data, size, &arena);
    if (found && strspn(found, "0123456789.") != strlen(found))
        abort();
    patchlevel_of_name(arena_strndup(&arena, (const char *)data, size), &arena);
    arena_done(&arena);
    return 0;
}
