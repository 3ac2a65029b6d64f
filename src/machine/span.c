#include "machine/span.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool span_field(struct span *rest, struct span *ret)
{
    size_t start = 0;
    while (start < rest->length && is_blank(rest->data[start]))
        start++;
    if (start == rest->length)
        return false;
    size_t end = start;
    while (end < rest->length && !is_blank(rest->data[end]))
        end++;
    *ret = (struct span){rest->data + start, end - start};
    *rest = (struct span){rest->data + end, rest->length - end};
    return true;
}

bool span_split(struct span *rest, char separator, struct span *ret)
{
    if (!rest->data)
        return false;
    const char *end = memchr(rest->data, separator, rest->length);
    size_t length = end ? (size_t)(end - rest->data) : rest->length;
    *ret = (struct span){rest->data, length};
    if (end)
        *rest = (struct span){end + 1, rest->length - length - 1};
    else
        *rest = (struct span){NULL, 0};
    return true;
}

struct span span_trim(struct span span)
{
    while (span.length && is_blank(span.data[0]))
        span = (struct span){span.data + 1, span.length - 1};
    while (span.length && is_blank(span.data[span.length - 1]))
        span.length--;
    return span;
}

bool span_equal(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.data, text, span.length) == 0;
}

bool span_number(struct span span, uint32_t *ret)
{
    uint64_t value = 0;
    if (span.length == 0 || span.length > 10)
        return false;
    for (size_t i = 0; i < span.length; i++) {
        if (span.data[i] < '0' || span.data[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(span.data[i] - '0');
    }
    if (value > UINT32_MAX)
        return false;
    *ret = (uint32_t)value;
    return true;
}
