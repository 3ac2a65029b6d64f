/* The text of a cuda-compat library's note. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "parse/compat_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct compat_note note;
    struct error err = {0};
    int r = parse_compat_note((const char *)data, size, &arena, &note, &err);
    if (r != 0 && (r != -EBADMSG || !*err.text || note.drivers.count || note.devices.count))
        abort();
    if (note.drivers.count > COMPAT_NUMBERS_MAX)
        abort();
    for (size_t i = 0; i < note.drivers.count; i++)
        if (note.drivers.items[i] < 0)
            abort();
    arena_done(&arena);
    return 0;
}
