/* Files that state the version of a CUDA toolkit; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "parse/toolkit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size--;
    struct arena arena = {0};
    struct toolkit_versions versions = {0};
    char *version = NULL;
    switch (data[0] % 6) {
    case 0:
        if (parse_version_json(text, size, &arena, &versions))
            version = versions.cuda;
        break;
    case 1:
        version = parse_version_txt(text, size, &arena);
        break;
    case 2:
        version = parse_cuda_h(text, size, &arena);
        break;
    case 3:
        version = parse_nvcc_literal(text, size, &arena);
        break;
    case 4:
        version = parse_cudart_name(arena_strndup(&arena, text, size), &arena);
        break;
    default:
        version = parse_glibc_literal(text, size, &arena);
    }
    int64_t key;
    if (version && !version_key(VERSION_CUDA, version, &key))
        abort();
    arena_done(&arena);
    return 0;
}
