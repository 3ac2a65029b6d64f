/* The loader cache: every entry of whatever the header claims is visited. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/ldcache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ld_cache cache;
    const char *why = NULL;
    if (ld_cache_open((const char *)data, size, &cache, &why) < 0) {
        if (!why)
            abort();
        return 0;
    }
    for (size_t i = 0; i < cache.count; i++) {
        struct ld_cache_row row;
        if (!ld_cache_entry(&cache, i, &row))
            continue;
        if (!strlen(row.soname) || !strlen(row.path))
            abort();
        if (row.level && !(row.hwcap >> 62 & 1 && strlen(row.level) < size))
            abort();
    }
    return 0;
}
