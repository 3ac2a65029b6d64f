#include "parse/conda_meta.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum {
    CHUNK = 64 * 1024,
    STRING_MAX = 4096,
    DEPENDS_MAX = 4096,
    DEPTH_MAX = 1000,
};
#define FILE_MAX ((uint64_t)256 << 20)

enum key { KEY_NAME, KEY_VERSION, KEY_BUILD, KEY_CHANNEL, KEY_DEPENDS, KEY_OTHER };

struct scan {
    const struct byte_source *source;
    struct arena *arena;
    int error; /* sticky */
    uint64_t total;
    size_t at, size;
    char *chunk;
    struct text word; /* the string read last */
};

/* Next chunk. False at the end or on error. */
static bool refill(struct scan *scan)
{
    if (scan->error)
        return false;
    ssize_t got = scan->source->read(scan->source->context, scan->chunk, CHUNK);
    if (got <= 0) {
        scan->error = got < 0 ? (int)got : -EBADMSG; /* the end comes too early */
        return false;
    }
    scan->at = 0;
    scan->size = (size_t)got;
    scan->total += (uint64_t)got;
    if (scan->total > FILE_MAX)
        scan->error = -EFBIG;
    return !scan->error;
}

/* The byte at hand; -1 at the end. */
static int peek(struct scan *scan)
{
    if (scan->at == scan->size && !refill(scan))
        return -1;
    return (unsigned char)scan->chunk[scan->at];
}

static int next(struct scan *scan)
{
    int c = peek(scan);
    scan->at += c >= 0;
    return c;
}

static bool fail(struct scan *scan)
{
    if (!scan->error)
        scan->error = -EBADMSG;
    return false;
}

static int skip_blanks(struct scan *scan)
{
    int c;
    while ((c = peek(scan)) == ' ' || c == '\n' || c == '\t' || c == '\r')
        scan->at++;
    return c;
}

/* Passes over a string whose opening quote has been read. Most of the file is this: it goes from
 * quote to quote and only then looks for backslashes. */
static bool skip_string(struct scan *scan)
{
    bool is_escaped = false; /* the byte at hand follows a backslash */
    while (peek(scan) >= 0) {
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
static int find_mark(struct scan *scan)
{
    static const bool is_mark[256] = {
        ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};
    while (peek(scan) >= 0) {
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
static bool skip_nested(struct scan *scan)
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
            return fail(scan);
    }
    return true;
}

static bool skip_value(struct scan *scan)
{
    int c = skip_blanks(scan);
    if (c == '"' || c == '{' || c == '[') {
        scan->at++;
        return c == '"' ? skip_string(scan) : skip_nested(scan);
    }
    size_t length = 0;
    for (; (c = peek(scan)) >= 0 && !strchr(",]} \t\r\n", c); length++)
        scan->at++;
    return length ? c >= 0 : fail(scan);
}

static bool read_hex(struct scan *scan, uint32_t *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++) {
        int c = next(scan);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return fail(scan);
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

static bool read_unicode(struct scan *scan)
{
    uint32_t code, low;
    if (!read_hex(scan, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (next(scan) != '\\' || next(scan) != 'u' || !read_hex(scan, &low) || low < 0xdc00 ||
            low > 0xdfff)
            return fail(scan);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code == 0 || (code >= 0xdc00 && code <= 0xdfff)) {
        return fail(scan);
    }
    add_code_point(&scan->word, code);
    return true;
}

static bool read_escape(struct scan *scan)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = next(scan);
    if (c == 'u')
        return read_unicode(scan);
    const char *found = c > 0 ? strchr(from, c) : NULL;
    if (!found)
        return fail(scan);
    text_add_char(&scan->word, to[found - from]);
    return true;
}

/* Reads a string into scan->word, from its opening quote on. */
static bool read_string(struct scan *scan)
{
    text_clear(&scan->word);
    if (skip_blanks(scan) != '"')
        return fail(scan);
    scan->at++;
    for (int c; (c = next(scan)) != '"';) {
        if (c < 0x20 || scan->word.length > STRING_MAX)
            return fail(scan);
        if (c != '\\')
            text_add_char(&scan->word, (char)c);
        else if (!read_escape(scan))
            return false;
    }
    return true;
}

/* A string, or null for what is not known. */
static bool read_value(struct scan *scan, const char **ret)
{
    if (skip_blanks(scan) == 'n')
        return skip_value(scan);
    if (!read_string(scan))
        return false;
    if (!*ret)
        *ret = arena_strdup(scan->arena, text_get(&scan->word));
    return true;
}

static bool read_depends(struct scan *scan, struct conda_meta *ret)
{
    if (skip_blanks(scan) != '[')
        return skip_value(scan);
    scan->at++;
    if (skip_blanks(scan) == ']') {
        scan->at++;
        return true;
    }
    for (;;) {
        if (ret->depend_count >= DEPENDS_MAX || !read_string(scan))
            return fail(scan);
        ret->depends =
            xgrow(ret->depends, &ret->depend_capacity, ret->depend_count + 1, sizeof *ret->depends);
        ret->depends[ret->depend_count++] = arena_strdup(scan->arena, text_get(&scan->word));
        int c = skip_blanks(scan);
        if (c != ',' && c != ']')
            return fail(scan);
        scan->at++;
        if (c == ']')
            return true;
    }
}

static enum key key_of(const char *word)
{
    static const char *const keys[] = {"name", "version", "build", "channel", "depends"};
    size_t i = 0;
    while (i < KEY_OTHER && strcmp(word, keys[i]) != 0)
        i++;
    return (enum key)i;
}

static bool read_member(struct scan *scan, struct conda_meta *ret, unsigned *seen)
{
    if (!read_string(scan))
        return false;
    enum key key = key_of(text_get(&scan->word));
    if (skip_blanks(scan) != ':')
        return fail(scan);
    scan->at++;
    if (key != KEY_OTHER && (*seen & (1u << key)))
        key = KEY_OTHER; /* the first one counts */
    *seen |= 1u << key;
    const char **texts[] = {&ret->name, &ret->version, &ret->build, &ret->channel};
    if (key == KEY_OTHER)
        return skip_value(scan);
    return key == KEY_DEPENDS ? read_depends(scan, ret) : read_value(scan, texts[key]);
}

static void read_object(struct scan *scan, struct conda_meta *ret)
{
    const unsigned all = (1u << KEY_OTHER) - 1;
    unsigned seen = 0;
    if (skip_blanks(scan) != '{') {
        fail(scan);
        return;
    }
    scan->at++;
    if (skip_blanks(scan) == '}')
        return;
    while (read_member(scan, ret, &seen) && (seen & all) != all) {
        int c = skip_blanks(scan);
        if (c == '}')
            return;
        if (c != ',') {
            fail(scan);
            return;
        }
        scan->at++;
    }
}

int conda_meta_scan(const struct byte_source *source, struct arena *arena, struct conda_meta *ret)
{
    *ret = (struct conda_meta){0};
    CLEANUP_FREE char *chunk = xmalloc(CHUNK);
    struct scan scan = {.source = source, .arena = arena, .chunk = chunk};
    read_object(&scan, ret);
    text_done(&scan.word);
    if (!scan.error && (!ret->name || !ret->version))
        scan.error = -EBADMSG;
    return scan.error;
}

void conda_meta_done(struct conda_meta *meta)
{
    free(meta->depends);
    *meta = (struct conda_meta){0};
}
