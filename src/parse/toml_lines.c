#include "parse/toml_lines.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { DEPTH_MAX = 8, NAME_MAX_LENGTH = 512 };

struct reader {
    const char *at, *end;
    void (*each)(void *context, const struct toml_value *value);
    void *context;
    struct text name, value; /* name: the table and the keys on the way to the value */
};

static bool read_value(struct reader *reader, int depth);

static char peek(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static bool accept(struct reader *reader, char c)
{
    bool is_there = reader->at < reader->end && *reader->at == c;
    reader->at += is_there;
    return is_there;
}

static bool starts(const struct reader *reader, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(reader->end - reader->at) >= length && !memcmp(reader->at, text, length);
}

static void skip_blanks(struct reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t')
        reader->at++;
}

/* Blanks, ends of lines and comments. */
static void skip_space(struct reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        if (peek(reader) == '#') {
            const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
            reader->at = newline ? newline : reader->end;
        }
        if (peek(reader) != '\n' && peek(reader) != '\r')
            return;
        reader->at++;
    }
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* A character written as a number. Those beyond ASCII occur in no value that is wanted. */
static bool add_code_point(struct text *out, const char *digits, int count)
{
    uint32_t code = 0;
    for (int i = 0; i < count; i++) {
        char c = digits[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16)
            return false;
        code = code * 16 + digit;
    }
    text_add_char(out, code && code < 0x80 ? (char)code : '?');
    return true;
}

static bool read_escape(struct reader *reader, struct text *out)
{
    static const char from[] = "\"\\bfnrte/", to[] = "\"\\\b\f\n\r\t\033/";
    char c = peek(reader);
    int digits = c == 'u' ? 4 : c == 'U' ? 8 : c == 'x' ? 2 : 0;
    const char *found = c ? strchr(from, c) : NULL;
    if (reader->at < reader->end)
        reader->at++;
    if (digits) {
        if (reader->end - reader->at < digits || !add_code_point(out, reader->at, digits))
            return false;
        reader->at += digits;
        return true;
    }
    if (found)
        text_add_char(out, to[found - from]);
    return found != NULL;
}

/* Reads over a string of several lines: none that is wanted here is one. */
static bool skip_long_string(struct reader *reader, char quote)
{
    const char three[] = {quote, quote, quote, '\0'};
    reader->at += 3;
    while (reader->at < reader->end && !starts(reader, three))
        reader->at += *reader->at == '\\' && quote == '"' && reader->end - reader->at > 1 ? 2 : 1;
    if (!starts(reader, three))
        return false;
    reader->at += 3;
    while (accept(reader, quote))
        ;
    return true;
}

/* From the opening quote on, appended to `out`. */
static bool read_string(struct reader *reader, struct text *out)
{
    char quote = *reader->at++;
    while (peek(reader) != quote) {
        char c = peek(reader);
        if (c == '\n' || c == '\0')
            return false;
        reader->at++;
        if (c != '\\' || quote == '\'')
            text_add_char(out, c);
        else if (!read_escape(reader, out))
            return false;
    }
    reader->at++;
    return true;
}

/* "a.b" or "a.'b c'", appended to the name with dots. */
static bool read_key(struct reader *reader)
{
    do {
        skip_blanks(reader);
        if (reader->name.length)
            text_add_char(&reader->name, '.');
        if (peek(reader) == '"' || peek(reader) == '\'') {
            if (!read_string(reader, &reader->name))
                return false;
        } else if (!is_bare(peek(reader))) {
            return false;
        }
        while (is_bare(peek(reader)))
            text_add_char(&reader->name, *reader->at++);
        if (reader->name.length > NAME_MAX_LENGTH)
            return false;
        skip_blanks(reader);
    } while (accept(reader, '.'));
    return true;
}

static void cut_name(struct reader *reader, size_t length)
{
    reader->name.length = length;
    if (reader->name.data)
        reader->name.data[length] = '\0';
}

static bool read_pair(struct reader *reader, int depth)
{
    size_t before = reader->name.length;
    bool is_good = read_key(reader) && accept(reader, '=');
    if (is_good) {
        skip_blanks(reader);
        is_good = read_value(reader, depth);
    }
    cut_name(reader, before);
    return is_good;
}

/* Elements between brackets; pairs between braces. */
static bool read_list(struct reader *reader, char close, int depth)
{
    reader->at++;
    for (;;) {
        skip_space(reader);
        if (accept(reader, close))
            return true;
        if (!(close == '}' ? read_pair(reader, depth) : read_value(reader, depth)))
            return false;
        skip_space(reader);
        if (!accept(reader, ',') && peek(reader) != close)
            return false;
    }
}

static void give(struct reader *reader, bool is_string)
{
    reader->each(reader->context, &(struct toml_value){text_get(&reader->name),
                                                       text_get(&reader->value), is_string});
}

static bool read_word(struct reader *reader)
{
    while (is_bare(peek(reader)) || (peek(reader) && strchr("+.:", peek(reader))))
        text_add_char(&reader->value, *reader->at++);
    if (!reader->value.length)
        return false;
    give(reader, false);
    return true;
}

static bool read_value(struct reader *reader, int depth)
{
    if (depth == DEPTH_MAX)
        return false;
    char c = peek(reader);
    text_clear(&reader->value);
    if (c == '[' || c == '{')
        return read_list(reader, c == '[' ? ']' : '}', depth + 1);
    if (starts(reader, "\"\"\"") || starts(reader, "'''"))
        return skip_long_string(reader, c);
    if (c != '"' && c != '\'')
        return read_word(reader);
    if (!read_string(reader, &reader->value))
        return false;
    give(reader, true);
    return true;
}

/* "[table]" or "[[array of tables]]". */
static bool read_header(struct reader *reader)
{
    reader->at++;
    bool is_array = accept(reader, '[');
    cut_name(reader, 0);
    return read_key(reader) && accept(reader, ']') && (!is_array || accept(reader, ']'));
}

static bool read_lines(struct reader *reader)
{
    for (;;) {
        skip_space(reader);
        if (reader->at == reader->end)
            return true;
        if (!(peek(reader) == '[' ? read_header(reader) : read_pair(reader, 0)))
            return false;
        skip_blanks(reader);
        if (reader->at < reader->end && !strchr("\r\n#", *reader->at))
            return false;
    }
}

bool toml_each(const char *data, size_t length,
               void (*each)(void *context, const struct toml_value *value), void *context)
{
    struct reader reader = {.at = data, .end = data + length, .each = each, .context = context};
    if (length >= 3 && !memcmp(data, "\xef\xbb\xbf", 3))
        reader.at += 3;
    bool is_good = read_lines(&reader);
    text_done(&reader.name);
    text_done(&reader.value);
    return is_good;
}
