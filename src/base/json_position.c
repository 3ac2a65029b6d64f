#include "base/json_position.h"

#include <string.h>

/* The text and a place in it. The scanner trusts nothing but its bounds: what is not JSON makes it
 * stop early. */
struct scan {
    const char *text;
    size_t length, at;
};

static char peek(const struct scan *s)
{
    return s->at < s->length ? s->text[s->at] : '\0';
}

static void skip_space(struct scan *s)
{
    while (s->at < s->length && strchr(" \t\r\n", s->text[s->at]) && s->text[s->at])
        s->at++;
}

/* At an opening quote; goes past the closing one. */
static void skip_string(struct scan *s)
{
    for (s->at++; s->at < s->length && s->text[s->at] != '"'; s->at++)
        if (s->text[s->at] == '\\')
            s->at++;
    s->at = s->at < s->length ? s->at + 1 : s->length;
}

/* Past one value; brackets are counted, so depth costs nothing. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;
    skip_space(s);
    while (s->at < s->length) {
        char c = peek(s);
        if (c == '"') {
            skip_string(s);
        } else if (c == '{' || c == '[') {
            depth++;
            s->at++;
        } else if (c == '}' || c == ']') {
            if (depth <= 1) {
                s->at += depth;
                return;
            }
            depth--;
            s->at++;
        } else if (depth == 0) {
            while (s->at < s->length && !strchr(",]} \t\r\n", peek(s)))
                s->at++;
            return;
        } else {
            s->at++;
        }
        if (depth == 0)
            return;
    }
}

/* At '{'; goes to the value of the key, *key_at is the key's quote. */
static bool enter_key(struct scan *s, const char *key, size_t key_length, size_t *key_at)
{
    s->at++;
    for (;;) {
        skip_space(s);
        if (peek(s) != '"')
            return false;
        size_t start = s->at;
        skip_string(s);
        size_t end = s->at;
        skip_space(s);
        if (peek(s) != ':')
            return false;
        s->at++;
        skip_space(s);
        if (end - start == key_length + 2 && memcmp(s->text + start + 1, key, key_length) == 0) {
            *key_at = start;
            return true;
        }
        skip_value(s);
        skip_space(s);
        if (peek(s) != ',')
            return false;
        s->at++;
    }
}

/* At '['; goes to the element. */
static bool enter_element(struct scan *s, size_t index)
{
    s->at++;
    skip_space(s);
    for (; index; index--) {
        if (peek(s) == ']')
            return false;
        skip_value(s);
        skip_space(s);
        if (peek(s) != ',')
            return false;
        s->at++;
    }
    skip_space(s);
    return s->at < s->length && peek(s) != ']';
}

static bool parse_index(const char **path, size_t *ret)
{
    size_t value = 0;
    const char *p = *path + 1;
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > ((size_t)1 << 40))
            return false;
        value = value * 10 + (size_t)(*p - '0');
    }
    if (*p != ']')
        return false;
    *path = p + 1;
    *ret = value;
    return true;
}

static bool find(const char *text, size_t length, const char *path, size_t *ret, size_t *ret_key)
{
    struct scan s = {text, length, 0};
    skip_space(&s);
    *ret = *ret_key = s.at;
    while (*path) {
        size_t index, key_length;
        if (*path == '[') {
            if (!parse_index(&path, &index) || peek(&s) != '[' || !enter_element(&s, index))
                return false;
        } else {
            if (*path == '.')
                path++;
            key_length = strcspn(path, ".[");
            if (peek(&s) != '{' || !enter_key(&s, path, key_length, ret_key))
                return false;
            path += key_length;
        }
        *ret = s.at;
    }
    return true;
}

bool json_position(const char *text, size_t length, const char *path, size_t *ret)
{
    size_t key;
    return find(text, length, path, ret, &key);
}

bool json_position_key(const char *text, size_t length, const char *path, size_t *ret)
{
    size_t value, key;
    bool found = find(text, length, path, &value, &key);
    *ret = found ? key : value;
    return found;
}

static unsigned hex4(const char *p)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 0;
        value = value * 16 + digit;
    }
    return value;
}

/* Bytes of UTF-8 that an escape stands for, and how long it is in the text. */
static size_t escape_bytes(const char *p, size_t left, size_t *ret_length)
{
    *ret_length = 2;
    if (left < 6 || p[1] != 'u')
        return 1;
    unsigned code = hex4(p + 2);
    *ret_length = 6;
    if (code >= 0xD800 && code < 0xDC00) {
        *ret_length = left < 12 ? left : 12;
        return 4;
    }
    return code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
}

size_t json_string_position(const char *text, size_t length, size_t offset, size_t decoded)
{
    size_t at = offset < length ? offset + 1 : length;
    while (decoded && at < length && text[at] != '"') {
        size_t bytes = 1, raw = 1;
        if (text[at] == '\\')
            bytes = escape_bytes(text + at, length - at, &raw);
        if (bytes > decoded)
            break;
        decoded -= bytes;
        at += raw;
    }
    return at < length ? at : length;
}

void json_line_column(const char *text, size_t length, size_t offset, size_t *ret_line,
                      size_t *ret_column)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < offset && i < length; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
}
