#include "parse/paragraph.h"

#include <string.h>

/* Offset of the first empty line's end of line from `start` on, or `size`. Line by line: the
 * library's search for two bytes goes byte by byte, and there are megabytes of them. */
static size_t find_empty_line(const char *data, size_t size, size_t start)
{
    while (start < size) {
        const char *end = memchr(data + start, '\n', size - start);
        if (!end)
            return size;
        start = (size_t)(end - data) + 1;
        if (start < size && data[start] == '\n')
            return start;
    }
    return size;
}

bool paragraph_next(const char *data, size_t size, size_t *cursor, struct span *ret)
{
    size_t start = *cursor;
    while (start < size && data[start] == '\n')
        start++;
    if (start >= size)
        return false;
    size_t end = find_empty_line(data, size, start);
    *ret = (struct span){data + start, (end < size ? end - 1 : size) - start};
    *cursor = end < size ? end + 1 : size;
    return true;
}

size_t paragraph_whole(const char *data, size_t size)
{
    for (const char *at = size ? memrchr(data, '\n', size) : NULL; at && at > data;
         at = memrchr(data, '\n', (size_t)(at - data)))
        if (at[-1] == '\n')
            return (size_t)(at - data) + 1;
    return 0;
}

bool paragraph_field(struct span paragraph, const char *key, struct span *ret)
{
    size_t cursor = 0;
    struct span line;
    while (span_line(paragraph.data, paragraph.length, &cursor, &line))
        if (span_cut_prefix(&line, key)) {
            *ret = span_trim(line);
            return true;
        }
    return false;
}

/* dpkg(1): what is wanted, whether that must be done again, and how far it is. */
const char *dpkg_state(struct span status)
{
    struct span want, flag, state;
    if (!span_word(&status, &want) || !span_word(&status, &flag) || !span_word(&status, &state))
        return NULL;
    if (span_equal(state, "not-installed"))
        return NULL;
    if (span_equal(state, "config-files"))
        return "removed";
    if (span_equal(state, "half-installed") || span_equal(state, "half-configured") ||
        span_equal(state, "unpacked") || span_equal(flag, "reinstreq"))
        return "broken";
    /* a trigger that is awaited is other packages' work */
    if (!span_equal(state, "installed") && !span_equal(state, "triggers-awaited") &&
        !span_equal(state, "triggers-pending"))
        return NULL;
    return span_equal(want, "hold") ? "held" : "installed";
}
