/* METADATA: headers and requirements of any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct metadata found;
    metadata_parse((const char *)data, size, &arena, &found);
    if (metadata_headers_end((const char *)data, size) > size)
        abort();
    for (size_t i = 0; i < found.requirement_count; i++) {
        const char *name = found.requirements[i].name;
        /* a normalised name stays as it is */
        const char *again = normalise_name(name, strlen(name), &arena);
        if (!again || strcmp(name, again) != 0)
            abort();
    }
    metadata_done(&found);
    arena_done(&arena);
    return 0;
}
