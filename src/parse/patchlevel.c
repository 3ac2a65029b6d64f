#include "parse/patchlevel.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"

enum { DIGITS_MAX = 4 };

static size_t digits_at(struct span text, size_t at)
{
    size_t count = 0;
    while (at + count < text.length && count < DIGITS_MAX && text.data[at + count] >= '0' &&
           text.data[at + count] <= '9')
        count++;
    return count;
}

/* The "3.11.2" that the text begins with, also of "3.11.2rc1"; 0 where it begins with none. */
static size_t version_length(struct span text)
{
    size_t at = 0;
    for (int part = 0; part < 3; part++) {
        if (part && (at >= text.length || text.data[at++] != '.'))
            return 0;
        size_t digits = digits_at(text, at);
        if (!digits)
            return 0;
        at += digits;
    }
    return at;
}

char *patchlevel_version(const char *data, size_t length, struct arena *arena)
{
    struct span line;
    size_t cursor = 0;
    while (span_line(data, length, &cursor, &line)) {
        struct span rest = span_trim(line);
        if (!span_cut_prefix(&rest, "#define") || !rest.length)
            continue;
        rest = span_trim(rest);
        if (!span_cut_prefix(&rest, "PY_VERSION") || !rest.length ||
            (*rest.data != ' ' && *rest.data != '\t'))
            continue;
        rest = span_trim(rest);
        if (!span_cut_prefix(&rest, "\""))
            return NULL;
        size_t size = version_length(rest);
        return size ? arena_strndup(arena, rest.data, size) : NULL;
    }
    return NULL;
}

char *patchlevel_of_name(const char *name, struct arena *arena)
{
    struct span rest = {name, strlen(name)};
    bool is_uv = span_cut_prefix(&rest, "cpython-");
    size_t size = version_length(rest);
    char next = size < rest.length ? rest.data[size] : '\0';
    if (!size || (next && !(is_uv && (next == '-' || next == '+'))))
        return NULL;
    return arena_strndup(arena, rest.data, size);
}
