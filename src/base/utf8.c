#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { REPLACEMENT = 0xfffd };

/* Length of the sequence that a lead byte opens, 0 for none; RFC 3629 (no overlong, no surrogate,
 * nothing above U+10FFFF) is checked on the decoded value. */
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    if (lead >= 0xf0 && lead <= 0xf4)
        return 4;
    return 0;
}

static bool decode(const unsigned char *s, size_t room, uint32_t *ret_point, size_t *ret_length)
{
    size_t n = room ? sequence_length(s[0]) : 0;
    if (!n || n > room)
        return false;
    uint32_t point = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return false;
        point = point << 6 | (s[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < least[n] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return false;
    *ret_point = point;
    *ret_length = n;
    return true;
}

uint32_t utf8_next(const char *data, size_t length, size_t *cursor)
{
    uint32_t point;
    size_t n;
    if (decode((const unsigned char *)data + *cursor, length - *cursor, &point, &n)) {
        *cursor += n;
        return point;
    }
    *cursor += 1;
    return REPLACEMENT;
}

/* How many of the first bytes are ASCII and not NUL, in steps of eight: most text is nothing else.
 */
static size_t ascii_start(const char *data, size_t length)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    size_t i = 0;
    for (; length - i >= sizeof ones; i += sizeof ones) {
        uint64_t word;
        memcpy(&word, data + i, sizeof word);
        if ((word | (word - ones)) & tops)
            break;
    }
    return i;
}

bool utf8_valid(const char *data, size_t length)
{
    for (size_t i = ascii_start(data, length); i < length;) {
        uint32_t point;
        size_t n;
        if (data[i] && !(data[i] & 0x80)) { /* names are mostly shorter than eight bytes */
            i++;
            continue;
        }
        if (!decode((const unsigned char *)data + i, length - i, &point, &n) || point == 0)
            return false;
        i += n;
    }
    return true;
}

/* Points that move the cursor, reorder text or hide it. */
static bool steers(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

/* A backslash that would pass for one that stands for a byte: two names must not look the same. */
static bool reads_as_escape(const char *data, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    enum { ESCAPE = 4 }; /* \xNN */
    return length >= ESCAPE && data[0] == '\\' && data[1] == 'x' &&
           memchr(digits, data[2], sizeof digits - 1) && memchr(digits, data[3], sizeof digits - 1);
}

void text_add_bytes_named(struct text *out, const char *data, size_t length)
{
    size_t done = 0;
    for (size_t i = 0; i < length;) {
        uint32_t point;
        size_t n;
        bool is_text = decode((const unsigned char *)data + i, length - i, &point, &n);
        if (is_text && !reads_as_escape(data + i, length - i)) {
            i += n;
            continue;
        }
        text_add_bytes(out, data + done, i - done);
        text_printf(out, "\\x%02x", (unsigned char)data[i]);
        done = ++i;
    }
    text_add_bytes(out, data + done, length - done);
}

/* What text_add_bytes_named() names: the byte, or 0. */
static unsigned named_byte(const char *data, size_t length)
{
    if (!reads_as_escape(data, length))
        return 0;
    unsigned byte = (unsigned)strtoul((const char[]){data[2], data[3], '\0'}, NULL, 16);
    return byte >= 0x80 || byte == '\\' ? byte : 0;
}

void text_add_bytes_meant(struct text *out, const char *data, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned byte = named_byte(data + i, length - i);
        text_add_char(out, (char)(byte ? byte : (unsigned char)data[i]));
        i += byte ? 4 : 1;
    }
}

void text_add_safe(struct text *out, const char *data, size_t length, bool keep_lines)
{
    for (size_t i = 0; i < length;) {
        uint32_t point;
        size_t n;
        if (!decode((const unsigned char *)data + i, length - i, &point, &n)) {
            text_printf(out, "\\x%02x", (unsigned char)data[i]);
            i++;
            continue;
        }
        const bool names = reads_as_escape(data + i, length - i) ||
                           (length - i >= 3 && memcmp(data + i, "\\u{", 3) == 0);
        if (names || (steers(point) && !(keep_lines && (point == '\n' || point == '\t'))))
            text_printf(out, point < 0x100 ? "\\x%02x" : "\\u{%x}", (unsigned)point);
        else
            text_add_bytes(out, data + i, n);
        i += n;
    }
}

void text_add_utf8(struct text *out, const char *data, size_t length)
{
    if (utf8_valid(data, length))
        text_add_bytes(out, data, length);
    else
        text_add_safe(out, data, length, true);
}

static bool is_wide(uint32_t p)
{
    return (p >= 0x1100 && p <= 0x115f) || (p >= 0x2e80 && p <= 0xa4cf) ||
           (p >= 0xac00 && p <= 0xd7a3) || (p >= 0xf900 && p <= 0xfaff) ||
           (p >= 0xfe30 && p <= 0xfe6f) || (p >= 0xff00 && p <= 0xff60) ||
           (p >= 0xffe0 && p <= 0xffe6) || (p >= 0x1f300 && p <= 0x1f64f) ||
           (p >= 0x1f900 && p <= 0x1f9ff) || (p >= 0x20000 && p <= 0x3fffd);
}

static bool is_combining(uint32_t p)
{
    return (p >= 0x300 && p <= 0x36f) || (p >= 0x1ab0 && p <= 0x1aff) ||
           (p >= 0x20d0 && p <= 0x20ff) || (p >= 0xfe00 && p <= 0xfe0f) ||
           (p >= 0xfe20 && p <= 0xfe2f);
}

size_t utf8_width(const char *text)
{
    size_t width = 0, length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t point = utf8_next(text, length, &i);
        width += is_wide(point) ? 2 : is_combining(point) ? 0 : 1;
    }
    return width;
}
