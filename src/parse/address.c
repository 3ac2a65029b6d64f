#include "parse/address.h"

#include <stdbool.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"

/* Index servers give tokens of 16 (Cloudsmith), 20 (Gemfury) and more characters. */
enum { TOKEN_MIN = 16, LONG_TOKEN_MIN = 24, LONG_TOKEN_DIGITS = 4, ROUNDS_MAX = 8 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters and digits mixed, without dots and mostly without dashes: no name that a person gives. */
static bool is_token(struct span part)
{
    size_t digits = 0, letters = 0, marks = 0;
    for (size_t i = 0; i < part.length; i++) {
        char c = part.data[i];
        digits += is_digit(c);
        letters += is_letter(c);
        marks += c == '-' || c == '_';
    }
    if (digits + letters + marks < part.length || !digits || !letters)
        return false;
    return marks ? part.length >= LONG_TOKEN_MIN && digits >= LONG_TOKEN_DIGITS
                 : part.length >= TOKEN_MIN;
}

/* A colon that no port follows: a password that holds a slash. */
static bool has_odd_port(struct span host)
{
    const char *colon = host.length ? memrchr(host.data, ':', host.length) : NULL;
    for (const char *at = colon ? colon + 1 : NULL; at && at < host.data + host.length; at++)
        if (!is_digit(*at) && *at != ']')
            return true;
    return false;
}

static bool is_scheme(char c)
{
    return is_letter(c) || is_digit(c) || c == '+' || c == '.' || c == '-';
}

/* The "https://" in the text; empty where there is none. "//host/x" begins with an empty one. */
static struct span find_scheme(struct span text)
{
    const char *mark = text.length ? memmem(text.data, text.length, "://", 3) : NULL;
    const char *start = mark;
    if (!mark)
        return (struct span){text.data, text.length > 2 && !memcmp(text.data, "//", 2) ? 2 : 0};
    while (start > text.data && is_scheme(start[-1]))
        start--;
    return (struct span){start, (size_t)(mark - start) + 3};
}

/* "git+https": what follows an "@" in its path is a revision. */
static bool is_vcs(struct span scheme)
{
    return scheme.length && memchr(scheme.data, '+', scheme.length);
}

static const char *find_last(struct span text, char c)
{
    return text.length ? memrchr(text.data, c, text.length) : NULL;
}

static struct span host_of(struct span rest)
{
    const char *slash = rest.length ? memchr(rest.data, '/', rest.length) : NULL;
    return (struct span){rest.data, slash ? (size_t)(slash - rest.data) : rest.length};
}

static void advance(struct span *rest, const char *to)
{
    *rest = (struct span){to, rest->length - (size_t)(to - rest->data)};
}

/* Advances behind "user:password@"; the next address begins at `end`. */
static void cut_user(struct span scheme, const char *end, struct span *rest)
{
    struct span host = host_of(*rest), all = {rest->data, (size_t)(end - rest->data)};
    const char *at = find_last(host, '@');
    if (!at && has_odd_port(host))
        at = memchr(rest->data, '@', rest->length);
    /* "user:p@ss/word@host": a password may hold both */
    if (at && at < end && !is_vcs(scheme) && memchr(rest->data, ':', (size_t)(at - rest->data)))
        at = find_last(all, '@');
    if (at)
        advance(rest, at + 1);
}

/* "user:password%40host", an "@" that was encoded once too often: what is behind the colon goes. */
static void cut_port(struct text *out, struct span *rest)
{
    struct span host = host_of(*rest);
    if (!has_odd_port(host))
        return;
    text_add_bytes(out, host.data,
                   (size_t)((char *)memchr(host.data, ':', host.length) - host.data));
    advance(rest, host.data + host.length);
}

/* Where the next address begins, or a blank stands; else the end. */
static const char *end_of(struct span rest)
{
    struct span more = find_scheme(rest);
    const char *end = more.length > 2 ? more.data : rest.data + rest.length;
    const char *blank = rest.length ? memchr(rest.data, ' ', rest.length) : NULL;
    return blank && blank < end ? blank : end;
}

/* "user:password@host" where a scheme is not written as it should be. */
static struct span without_user(struct span part)
{
    const char *at = find_last(part, '@');
    if (!at || !memchr(part.data, ':', (size_t)(at - part.data)))
        return part;
    return (struct span){at + 1, part.length - (size_t)(at + 1 - part.data)};
}

static void add_parts(struct text *out, struct span rest)
{
    bool is_first = true, is_after_t = false;
    for (struct span part; span_split(&rest, '/', &part); is_first = false) {
        if (is_after_t) { /* what stands behind "t" is a token, and "t" says no more */
            is_after_t = false;
            continue;
        }
        part = without_user(part);
        is_after_t = !is_first && span_equal(part, "t");
        if (is_after_t)
            continue;
        if (!is_first)
            text_add_char(out, '/');
        if (!is_first && is_token(part))
            text_add(out, "***");
        else
            text_add_bytes(out, part.data, part.length);
    }
}

static bool is_folder(struct span text)
{
    return text.length && (*text.data == '.' || *text.data == '~' ||
                           (*text.data == '/' && (text.length == 1 || text.data[1] != '/')));
}

/* One address: what stands before its scheme goes, and what follows a blank or begins another one.
 */
static char *clean_once(struct span text, struct arena *arena)
{
    CLEANUP_TEXT struct text out = {0};
    struct span scheme = find_scheme(text), rest = text;
    text_add_bytes(&out, scheme.data, scheme.length);
    if (scheme.length) {
        const char *start = scheme.data + scheme.length;
        rest = (struct span){start, (size_t)(text.data + text.length - start)};
    }
    cut_user(scheme, end_of(rest), &rest);
    if (scheme.length)
        cut_port(&out, &rest);
    struct span more = find_scheme(rest);
    if (more.length > 2)
        rest.length = (size_t)(more.data - rest.data);
    for (size_t i = 0; i < rest.length; i++)
        if (strchr("?# ", rest.data[i]))
            rest.length = i;
    add_parts(&out, rest);
    return arena_strdup(arena, text_get(&out));
}

/* A path has no user, but an address that was mistyped may look like one. */
static char *clean_folder(struct span text, struct arena *arena)
{
    CLEANUP_TEXT struct text out = {0};
    bool is_first = true;
    for (struct span part, rest = text; span_split(&rest, '/', &part); is_first = false) {
        part = without_user(part);
        if (!is_first)
            text_add_char(&out, '/');
        text_add_bytes(&out, part.data, part.length);
    }
    return arena_strdup(arena, text_get(&out));
}

char *address_clean(const char *data, size_t length, struct arena *arena)
{
    struct span text = span_trim((struct span){data, length});
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f)
            return NULL;
    if (is_folder(text))
        return clean_folder(text, arena);
    /* "x@https://user@host": what is left may be an address again */
    for (int i = 0; i < ROUNDS_MAX; i++) {
        char *clean = clean_once(text, arena);
        if (span_equal(text, clean))
            return clean;
        text = span_trim((struct span){clean, strlen(clean)});
    }
    return NULL;
}

char *address_scrub(const char *data, struct arena *arena)
{
    CLEANUP_TEXT struct text out = {0};
    const char *mark;
    while ((mark = strstr(data, "://"))) {
        const char *start = mark;
        while (start > data && is_scheme(start[-1]))
            start--;
        size_t length = strcspn(start, " \t\r\n");
        char *clean = address_clean(start, length, arena);
        text_add_bytes(&out, data, (size_t)(start - data));
        text_add(&out, clean ? clean : "***");
        data = start + length;
    }
    text_add(&out, data);
    return arena_strdup(arena, text_get(&out));
}

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char *address_path(const char *text, struct arena *arena)
{
    if (!text_starts(text, "file://"))
        return NULL;
    const char *path = strchr(text + strlen("file://"), '/');
    if (!path)
        return NULL;
    char *copy = arena_strndup(arena, path, strcspn(path, "?#")), *out = copy;
    for (const char *at = copy; *at; at++, out++) {
        int high = *at == '%' ? hex_digit(at[1]) : -1, low = high >= 0 ? hex_digit(at[2]) : -1;
        *out = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 2 : 0;
    }
    *out = '\0';
    for (const char *at = copy; at < out; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return NULL;
    return copy;
}
