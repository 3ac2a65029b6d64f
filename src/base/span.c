#include "base/span.h"

#include <string.h>

#include "base/text.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool span_line(const char *data, size_t size, size_t *cursor, struct span *ret)
{
    return text_next_line(data, size, cursor, &ret->data, &ret->length);
}

static void advance(struct span *span, size_t by)
{
    *span = (struct span){span->data + by, span->length - by};
}

bool span_word(struct span *rest, struct span *ret)
{
    while (rest->length && (is_blank(*rest->data) || *rest->data == '\n'))
        advance(rest, 1);
    *ret = (struct span){rest->data, 0};
    while (rest->length && !is_blank(*rest->data) && *rest->data != '\n') {
        ret->length++;
        advance(rest, 1);
    }
    return ret->length > 0;
}

bool span_split(struct span *rest, char separator, struct span *ret)
{
    if (!rest->data)
        return false;
    const char *end = memchr(rest->data, separator, rest->length);
    *ret = (struct span){rest->data, end ? (size_t)(end - rest->data) : rest->length};
    if (end)
        advance(rest, ret->length + 1);
    else
        *rest = (struct span){NULL, 0};
    return true;
}

bool span_cut_prefix(struct span *span, const char *prefix)
{
    size_t n = strlen(prefix);
    if (span->length < n || memcmp(span->data, prefix, n) != 0)
        return false;
    advance(span, n);
    return true;
}

bool span_cut_after(struct span *span, const char *text)
{
    size_t n = strlen(text);
    const char *at = span->length ? memmem(span->data, span->length, text, n) : NULL;
    if (!at)
        return false;
    advance(span, (size_t)(at - span->data) + n);
    return true;
}

struct span span_trim(struct span span)
{
    while (span.length && is_blank(span.data[0]))
        advance(&span, 1);
    while (span.length && is_blank(span.data[span.length - 1]))
        span.length--;
    return span;
}

bool span_equal(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.data, text, span.length) == 0;
}

bool span_has(struct span span, const char *text)
{
    return span_cut_after(&span, text);
}

bool span_number(struct span span, uint64_t most, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < span.length; i++) {
        char c = span.data[i];
        uint64_t digit = (uint64_t)(c - '0');
        if (c < '0' || c > '9' || digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return span.length > 0;
}

bool span_uint32(struct span span, uint32_t *ret)
{
    uint64_t value = 0;
    bool is_number = span_number(span, UINT32_MAX, &value);
    *ret = (uint32_t)value;
    return is_number;
}
