#include "parse/record.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "parse/number.h"

/* A path has at most 4096 bytes, twice that with every quote doubled. */
enum { CHUNK = 64 * 1024, LINE_MAX = 16 * 1024, DIGITS_MAX = 12 };

struct scan {
    record_each each;
    void *context;
    struct record_end *end;
    struct text unquoted;
    bool has_nul; /* the buffer has one somewhere */
};

/* A path in quotes, in which two quotes stand for one. `rest` is what follows it. */
static bool take_quoted(struct scan *scan, struct span line, struct span *ret, struct span *rest)
{
    text_clear(&scan->unquoted);
    size_t at = 1;
    for (; at < line.length; at++) {
        if (line.data[at] == '"' && (at + 1 == line.length || line.data[at + 1] != '"'))
            break;
        at += line.data[at] == '"';
        text_add_char(&scan->unquoted, line.data[at]);
    }
    if (at >= line.length)
        return false;
    *ret = (struct span){text_get(&scan->unquoted), scan->unquoted.length};
    *rest = (struct span){line.data + at + 1, line.length - at - 1};
    return !rest->length || rest->data[0] == ',';
}

/* The digits at the end, as nearly all lines have them: ",1234" behind another comma. */
static bool take_plain_size(struct span rest, struct opt *ret)
{
    size_t at = rest.length, least = at > DIGITS_MAX ? at - DIGITS_MAX : 0;
    int64_t value = 0;
    for (int64_t unit = 1; at > least && rest.data[at - 1] >= '0' && rest.data[at - 1] <= '9';
         unit *= 10)
        value += (rest.data[--at] - '0') * unit;
    if (at == rest.length || at < 2 || rest.data[at - 1] != ',')
        return false;
    *ret = known(value);
    return true;
}

/* Behind the path: ",sha256=...,1234". Old tools leave the commas out where nothing follows. */
static bool take_size(struct span rest, struct opt *ret)
{
    if (take_plain_size(rest, ret))
        return true;
    const char *comma = rest.length > 1 ? memrchr(rest.data + 1, ',', rest.length - 1) : NULL;
    *ret = UNKNOWN;
    if (!comma)
        return rest.length <= 1;
    struct span number = {comma + 1, (size_t)(rest.data + rest.length - comma - 1)};
    *ret = parse_number(number);
    return !number.length || ret->known;
}

/* Whether the text is a line of such a file. */
static bool take_line(struct scan *scan, struct span text)
{
    struct record_line line = {.path = text};
    struct span rest = {text.data + text.length, 0};
    if (scan->has_nul && memchr(text.data, '\0', text.length))
        return false;
    if (*text.data == '"') {
        if (!take_quoted(scan, text, &line.path, &rest))
            return false;
    } else {
        const char *comma = memchr(text.data, ',', text.length);
        if (comma) {
            line.path.length = (size_t)(comma - text.data);
            rest = (struct span){comma, text.length - line.path.length};
        }
    }
    if (!take_size(rest, &line.size) || !line.path.length)
        return false;
    scan->each(scan->context, &line);
    scan->end->lines++;
    return true;
}

static void take_text(struct scan *scan, const char *data, size_t length)
{
    if (length && data[length - 1] == '\r')
        length--;
    if (length && !take_line(scan, (struct span){data, length}))
        scan->end->is_odd = true;
}

/* Hands on the whole lines of the buffer; how many bytes they are. */
static size_t take_lines(struct scan *scan, const char *data, size_t length)
{
    size_t start = 0;
    for (const char *newline;
         start < length && (newline = memchr(data + start, '\n', length - start));) {
        take_text(scan, data + start, (size_t)(newline - data) - start);
        start = (size_t)(newline - data) + 1;
    }
    return start;
}

/* The last line without an end is whole where its size or both commas stand. */
static void take_rest(struct scan *scan, const char *data, size_t length)
{
    if (!length)
        return;
    const char *comma = memchr(data, ',', length);
    if (!comma || !memchr(comma + 1, ',', length - (size_t)(comma + 1 - data)))
        scan->end->is_cut = true;
    else
        take_text(scan, data, length);
}

int record_scan(const struct byte_source *source, record_each each, void *context,
                struct record_end *ret)
{
    *ret = (struct record_end){0};
    CLEANUP_FREE char *buffer = xmalloc(CHUNK + LINE_MAX);
    struct scan scan = {.each = each, .context = context, .end = ret};
    size_t kept = 0;
    ssize_t got;
    for (uint64_t total = 0; (got = source->read(source->context, buffer + kept, CHUNK)) > 0;) {
        size_t length = kept + (size_t)got;
        scan.has_nul = memchr(buffer, '\0', length);
        size_t used = take_lines(&scan, buffer, length);
        kept = length - used;
        if (kept >= LINE_MAX) { /* no path is as long; what follows it may be read again */
            ret->is_odd = true;
            kept = 0;
        }
        memmove(buffer, buffer + used, kept);
        total += (uint64_t)got;
        if (total > RECORD_MAX) {
            ret->is_too_long = true;
            kept = 0;
            break;
        }
    }
    take_rest(&scan, buffer, kept);
    text_done(&scan.unquoted);
    return got < 0 ? (int)got : 0;
}

const char *record_end_fault(const struct record_end *end)
{
    return end->is_too_long ? "it is larger than any such file is"
           : end->is_cut    ? "it ends within a line"
           : end->is_odd    ? "a line of it is not path, hash and size"
                            : NULL;
}
