#include "parse/metadata.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"

enum { NAME_MAX_LENGTH = 200, VERSION_MAX_LENGTH = 200, REQUIREMENTS_MAX = 4096 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_mark(char c)
{
    return c == '-' || c == '_' || c == '.';
}

char *normalise_name(const char *name, size_t length, struct arena *arena)
{
    if (!length || length > NAME_MAX_LENGTH || !is_alnum(name[0]) || !is_alnum(name[length - 1]))
        return NULL;
    char *text = arena_strndup(arena, name, length), *out = text;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (!is_alnum(c) && !is_mark(c))
            return NULL;
        if (is_mark(c) && out[-1] == '-')
            continue;
        *out++ = is_mark(c) ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    *out = '\0';
    return text;
}

/* What PEP 440 allows, and the few characters more of versions from before it. */
static char *take_version(const char *text, size_t length, struct arena *arena)
{
    if (!length || length > VERSION_MAX_LENGTH)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (!is_alnum(text[i]) && (!text[i] || !strchr(".+!-_~", text[i])))
            return NULL;
    return arena_strndup(arena, text, length);
}

size_t metadata_headers_end(const char *data, size_t length)
{
    size_t cursor = 0;
    while (cursor < length) {
        const char *newline = memchr(data + cursor, '\n', length - cursor);
        if (data[cursor] == '\n' || (data[cursor] == '\r' && newline == data + cursor + 1))
            return cursor;
        if (!newline)
            break;
        cursor = (size_t)(newline - data) + 1;
    }
    return length;
}

/* --- requirements --- */

static void skip_blanks(const char **cursor)
{
    *cursor += strspn(*cursor, " \t\r\n");
}

static char *trimmed(const char *text, size_t length, struct arena *arena)
{
    while (length && (is_blank(*text) || *text == '\n')) {
        text++;
        length--;
    }
    while (length && (is_blank(text[length - 1]) || text[length - 1] == '\n'))
        length--;
    return arena_strndup(arena, text, length);
}

/* Reads 'x' or "x" at the cursor. */
static bool take_quoted(const char **cursor, const char **ret, size_t *ret_length)
{
    char quote = **cursor;
    if (quote != '\'' && quote != '"')
        return false;
    const char *end = strchr(*cursor + 1, quote);
    if (!end)
        return false;
    *ret = *cursor + 1;
    *ret_length = (size_t)(end - *ret);
    *cursor = end + 1;
    return true;
}

/* Reads == NAME behind the word "extra". */
static char *extra_after(const char *cursor, struct arena *arena)
{
    const char *value;
    size_t length;
    skip_blanks(&cursor);
    if (!text_starts(cursor, "=="))
        return NULL;
    cursor += 2;
    skip_blanks(&cursor);
    return take_quoted(&cursor, &value, &length) ? normalise_name(value, length, arena) : NULL;
}

/* The first extra that the marker asks for: extra == "x", or "x" == extra. */
static char *find_extra(const char *marker, struct arena *arena)
{
    const char *value = NULL;
    size_t length = 0;
    char before = ' ';
    for (const char *cursor = marker; *cursor;) {
        if (take_quoted(&cursor, &value, &length)) {
            before = ' ';
            const char *next = cursor;
            skip_blanks(&next);
            if (!text_starts(next, "=="))
                continue;
            next += 2;
            skip_blanks(&next);
            if (text_starts(next, "extra") && !is_alnum(next[5]) && next[5] != '_')
                return normalise_name(value, length, arena);
            continue;
        }
        if (!is_alnum(before) && before != '_' && text_starts(cursor, "extra")) {
            char *extra = extra_after(cursor + 5, arena);
            if (extra)
                return extra;
        }
        before = *cursor++;
    }
    return NULL;
}

/* "[a, b]" becomes "a,b". False where the bracket is not closed or holds what is no name. */
static bool take_extras(const char **cursor, struct arena *arena, const char **ret)
{
    CLEANUP_TEXT struct text list = {0};
    const char *at = *cursor + 1, *end = strchr(at, ']');
    if (!end)
        return false;
    while (at < end) {
        size_t length = strcspn(at, ",]");
        char *word = trimmed(at, length, arena);
        char *name = normalise_name(word, strlen(word), arena);
        if (!name && *word)
            return false;
        if (name)
            text_printf(&list, "%s%s", list.length ? "," : "", name);
        at += length + 1;
    }
    *cursor = end + 1;
    *ret = list.length ? arena_strdup(arena, text_get(&list)) : NULL;
    return true;
}

/* The specifier ends at ";" or at the end; older metadata puts it in parentheses. */
static bool take_specifier(const char **cursor, struct arena *arena, const char **ret)
{
    size_t length = strcspn(*cursor, ";");
    char *text = trimmed(*cursor, length, arena);
    size_t size = strlen(text);
    *cursor += length;
    if (*text == '(') {
        if (text[size - 1] != ')')
            return false;
        text = trimmed(text + 1, size - 2, arena);
    }
    *ret = text;
    return !*text || strchr("<>=!~", *text) != NULL;
}

static bool parse_requirement(const char *text, struct arena *arena,
                              struct metadata_requirement *ret)
{
    *ret = (struct metadata_requirement){0};
    size_t length = 0;
    while (is_alnum(text[length]) || is_mark(text[length]))
        length++;
    ret->name = normalise_name(text, length, arena);
    if (!ret->name)
        return false;
    const char *cursor = text + length;
    skip_blanks(&cursor);
    if (*cursor == '[' && !take_extras(&cursor, arena, &ret->extras))
        return false;
    skip_blanks(&cursor);
    if (*cursor == '@') { /* an address may hold ";": the marker's one has a blank before it */
        const char *end = strstr(cursor, " ;");
        cursor = end ? end + 1 : cursor + strlen(cursor);
    } else if (!take_specifier(&cursor, arena, &ret->specifier)) {
        return false;
    }
    if (*cursor == ';') {
        ret->marker = trimmed(cursor + 1, strlen(cursor + 1), arena);
        ret->extra = find_extra(ret->marker, arena);
        if (!*ret->marker)
            ret->marker = NULL;
    }
    return true;
}

bool metadata_add_requirement(struct metadata *metadata, const char *text, struct arena *arena)
{
    struct metadata_requirement requirement;
    if (!parse_requirement(text, arena, &requirement))
        return false;
    if (metadata->requirement_count >= REQUIREMENTS_MAX) {
        metadata->is_cut = true;
        return false;
    }
    metadata->requirements = xgrow(metadata->requirements, &metadata->requirement_capacity,
                                   metadata->requirement_count + 1, sizeof *metadata->requirements);
    metadata->requirements[metadata->requirement_count++] = requirement;
    return true;
}

/* --- headers --- */

static bool is_header(const char *line, size_t length, const char *name)
{
    size_t size = strlen(name);
    return length > size && line[size] == ':' && strncasecmp(line, name, size) == 0;
}

/* The value of a header; lines that begin with a blank go on with it. */
static char *header_value(const char *line, size_t length, const char *end, struct arena *arena,
                          bool *ret_is_cut)
{
    const char *stop = line + length, *value = (const char *)memchr(line, ':', length) + 1;
    while (stop < end && stop + 1 < end && is_blank(stop[1]) && *stop == '\n') {
        const char *newline = memchr(stop + 1, '\n', (size_t)(end - stop - 1));
        stop = newline ? newline : end;
    }
    *ret_is_cut = stop >= end;
    char *text = trimmed(value, (size_t)(stop - value), arena);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return memchr(value, '\0', (size_t)(stop - value)) ? NULL : text;
}

static void take_header(const char *line, size_t length, const char *end, struct arena *arena,
                        struct metadata *ret)
{
    bool is_cut = false;
    if (is_header(line, length, "Name")) {
        const char *name = header_value(line, length, end, arena, &is_cut);
        if (!ret->name && name)
            ret->name = normalise_name(name, strlen(name), arena);
    } else if (is_header(line, length, "Version")) {
        const char *version = header_value(line, length, end, arena, &is_cut);
        if (!ret->version && version)
            ret->version = take_version(version, strlen(version), arena);
        ret->is_version_cut = is_cut;
    } else if (is_header(line, length, "Requires-Dist")) {
        const char *text = header_value(line, length, end, arena, &is_cut);
        if (text && !is_cut)
            metadata_add_requirement(ret, text, arena);
    }
}

void metadata_parse(const char *data, size_t length, struct arena *arena, struct metadata *ret)
{
    *ret = (struct metadata){0};
    const char *cursor = data, *end = data + metadata_headers_end(data, length);
    ret->is_cut = length >= METADATA_HEAD_MAX && end == data + length;
    while (cursor < end) {
        const char *newline = memchr(cursor, '\n', (size_t)(end - cursor));
        size_t size = (size_t)((newline ? newline : end) - cursor);
        take_header(cursor, size, end, arena, ret);
        cursor += size + 1;
    }
}

void metadata_done(struct metadata *metadata)
{
    free(metadata->requirements);
    *metadata = (struct metadata){0};
}
