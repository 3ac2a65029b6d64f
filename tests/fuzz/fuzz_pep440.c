/* Three lines of any bytes: two versions and a specifier. The order must be one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pep440.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *next_line(struct arena *arena, const uint8_t **data, size_t *size)
{
    const uint8_t *newline = *size ? memchr(*data, '\n', *size) : NULL;
    size_t length = newline ? (size_t)(newline - *data) : *size;
    const char *line = length ? arena_strndup(arena, (const char *)*data, length) : "";
    length += newline != NULL;
    *data += length;
    *size -= length;
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const char *a = next_line(&arena, &data, &size), *b = next_line(&arena, &data, &size);
    const char *specifier = next_line(&arena, &data, &size);
    int there = 0, back = 0, self = 1;
    if (pep440_compare(a, b, &there) &&
        (!pep440_compare(b, a, &back) || (there > 0) != (back < 0) || (there < 0) != (back > 0)))
        abort();
    if (pep440_valid(a) && (!pep440_compare(a, a, &self) || self != 0))
        abort();
    int match = pep440_match(specifier, a);
    if (match < -1 || match > 1 || (match >= 0 && !pep440_valid(a)))
        abort();
    arena_done(&arena);
    return 0;
}
