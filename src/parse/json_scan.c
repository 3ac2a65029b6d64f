#include "parse/json_scan.h"

#include <errno.h>
#include <string.h>

enum { STRING_MAX = 4096, DEPTH_MAX = 1000 };

/* Next chunk. False at the end or on error. */
static bool refill(struct json_scan *scan)
{
    if (scan->error)
        return false;
    ssize_t got = scan->source->read(scan->source->context, scan->chunk, JSON_SCAN_CHUNK);
    if (got <= 0) {
        scan->error = got < 0 ? (int)got : -EBADMSG; /* the end comes too early */
        return false;
    }
    scan->at = 0;
    scan->size = (size_t)got;
    scan->total += (uint64_t)got;
    if (scan->total > JSON_SCAN_MAX)
        scan->error = -EFBIG;
    return !scan->error;
}

int json_scan_peek(struct json_scan *scan)
{
    if (scan->at == scan->size && !refill(scan))
        return -1;
    return (unsigned char)scan->chunk[scan->at];
}

static int next(struct json_scan *scan)
{
    int c = json_scan_peek(scan);
    scan->at += c >= 0;
    return c;
}

bool json_scan_fail(struct json_scan *scan)
{
    if (!scan->error)
        scan->error = -EBADMSG;
    return false;
}

int json_scan_blanks(struct json_scan *scan)
{
    int c;
    while ((c = json_scan_peek(scan)) == ' ' || c == '\n' || c == '\t' || c == '\r')
        scan->at++;
    return c;
}

/* Passes over a string whose opening quote has been read. Most of the file is this: it goes from
 * quote to quote and only then looks for backslashes. */
static bool skip_string(struct json_scan *scan)
{
    bool is_escaped = false; /* the byte at hand follows a backslash */
    while (json_scan_peek(scan) >= 0) {
        scan->at += is_escaped;
        const char *from = scan->chunk + scan->at;
        size_t left = scan->size - scan->at;
        const char *quote = memchr(from, '"', left), *end = quote ? quote : from + left;
        const char *text = end;
        while (text > from && text[-1] == '\\')
            text--;
        is_escaped = (end - text) % 2 == 1;
        scan->at = (size_t)(end - scan->chunk) + (quote && !is_escaped);
        if (quote && !is_escaped)
            return true;
    }
    return false;
}

/* Goes to the next bracket or quote. */
static int find_mark(struct json_scan *scan)
{
    static const bool is_mark[256] = {
        ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};
    while (json_scan_peek(scan) >= 0) {
        const unsigned char *at = (const unsigned char *)scan->chunk + scan->at;
        const unsigned char *end = (const unsigned char *)scan->chunk + scan->size;
        while (at < end && !is_mark[*at])
            at++;
        scan->at = scan->size - (size_t)(end - at);
        if (at < end)
            return *at;
    }
    return -1;
}

/* Passes over the rest of an object or array whose opening bracket has been read. */
static bool skip_nested(struct json_scan *scan)
{
    for (size_t depth = 1; depth;) {
        int c = find_mark(scan);
        if (c < 0)
            return false;
        scan->at++;
        if (c == '"') {
            if (!skip_string(scan))
                return false;
        } else if (c == '{' || c == '[') {
            depth++;
        } else {
            depth--;
        }
        if (depth > DEPTH_MAX)
            return json_scan_fail(scan);
    }
    return true;
}

bool json_scan_skip(struct json_scan *scan)
{
    int c = json_scan_blanks(scan);
    if (c == '"' || c == '{' || c == '[') {
        scan->at++;
        return c == '"' ? skip_string(scan) : skip_nested(scan);
    }
    size_t length = 0;
    for (; (c = json_scan_peek(scan)) >= 0 && !strchr(",]} \t\r\n", c); length++)
        scan->at++;
    return length ? c >= 0 : json_scan_fail(scan);
}

static bool read_hex(struct json_scan *scan, uint32_t *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++) {
        int c = next(scan);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return json_scan_fail(scan);
        *ret = *ret * 16 + (uint32_t)digit;
    }
    return true;
}

static void add_code_point(struct text *out, uint32_t code)
{
    if (code < 0x80) {
        text_add_char(out, (char)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    text_add_char(out, (char)(lead[more] | (code >> (6 * more))));
    while (more--)
        text_add_char(out, (char)(0x80 | ((code >> (6 * more)) & 0x3f)));
}

static bool read_unicode(struct json_scan *scan)
{
    uint32_t code, low;
    if (!read_hex(scan, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (next(scan) != '\\' || next(scan) != 'u' || !read_hex(scan, &low) || low < 0xdc00 ||
            low > 0xdfff)
            return json_scan_fail(scan);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code == 0 || (code >= 0xdc00 && code <= 0xdfff)) {
        return json_scan_fail(scan);
    }
    add_code_point(&scan->word, code);
    return true;
}

static bool read_escape(struct json_scan *scan)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = next(scan);
    if (c == 'u')
        return read_unicode(scan);
    const char *found = c > 0 ? strchr(from, c) : NULL;
    if (!found)
        return json_scan_fail(scan);
    text_add_char(&scan->word, to[found - from]);
    return true;
}

bool json_scan_string(struct json_scan *scan)
{
    text_clear(&scan->word);
    if (json_scan_blanks(scan) != '"')
        return json_scan_fail(scan);
    scan->at++;
    for (int c; (c = next(scan)) != '"';) {
        if (c < 0x20 || scan->word.length > STRING_MAX)
            return json_scan_fail(scan);
        if (c != '\\')
            text_add_char(&scan->word, (char)c);
        else if (!read_escape(scan))
            return false;
    }
    return true;
}
