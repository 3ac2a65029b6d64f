#include "probe/parse_piece.h"

#include <string.h>

#include "base/text.h"

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool piece_line(const char *data, size_t size, size_t *cursor, struct piece *ret)
{
    return text_next_line(data, size, cursor, &ret->data, &ret->length);
}

bool piece_word(struct piece *rest, struct piece *ret)
{
    const char *s = rest->data, *end = s + rest->length;
    while (s < end && (blank(*s) || *s == '\n'))
        s++;
    const char *start = s;
    while (s < end && !blank(*s) && *s != '\n')
        s++;
    *rest = (struct piece){s, (size_t)(end - s)};
    *ret = (struct piece){start, (size_t)(s - start)};
    return s > start;
}

bool piece_is(struct piece piece, const char *text)
{
    return piece.length == strlen(text) && memcmp(piece.data, text, piece.length) == 0;
}

bool piece_has(struct piece piece, const char *text)
{
    return piece_cut_after(&piece, text);
}

bool piece_cut_prefix(struct piece *piece, const char *prefix)
{
    size_t n = strlen(prefix);
    if (piece->length < n || memcmp(piece->data, prefix, n) != 0)
        return false;
    *piece = (struct piece){piece->data + n, piece->length - n};
    return true;
}

bool piece_cut_after(struct piece *piece, const char *text)
{
    size_t n = strlen(text);
    const char *at = piece->length ? memmem(piece->data, piece->length, text, n) : NULL;
    if (!at)
        return false;
    size_t skip = (size_t)(at - piece->data) + n;
    *piece = (struct piece){piece->data + skip, piece->length - skip};
    return true;
}

struct piece piece_trim_blank(struct piece piece)
{
    while (piece.length && blank(piece.data[0]))
        piece = (struct piece){piece.data + 1, piece.length - 1};
    while (piece.length && blank(piece.data[piece.length - 1]))
        piece.length--;
    return piece;
}

bool piece_digits(struct piece piece)
{
    for (size_t i = 0; i < piece.length; i++)
        if (piece.data[i] < '0' || piece.data[i] > '9')
            return false;
    return piece.length > 0;
}

struct opt piece_number(struct piece piece)
{
    if (!piece_digits(piece) || piece.length > 12)
        return UNKNOWN;
    int64_t value = 0;
    for (size_t i = 0; i < piece.length; i++)
        value = value * 10 + (piece.data[i] - '0');
    return known(value);
}
