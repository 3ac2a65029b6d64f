/* .pth files of any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/pth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct pth pth;
    pth_parse((const char *)data, size, &arena, &pth);
    if (pth.count > PTH_LINES_MAX)
        abort();
    for (size_t i = 0; i < pth.count; i++) {
        const char *text = pth.items[i].text;
        if (!*text || strpbrk(text, "\n\x1b") ||
            (pth.items[i].is_code &&
             (strlen(text) > PTH_LINE_SHOWN || !utf8_valid(text, strlen(text)))))
            abort();
    }
    pth_package(arena_strndup(&arena, (const char *)data, size), &arena);
    pth_done(&pth);
    arena_done(&arena);
    return 0;
}
