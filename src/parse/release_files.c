#include "parse/release_files.h"

#include "base/span.h"

char *parse_l4t_release(const char *data, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct span line;
    while (span_line(data, size, &cursor, &line)) {
        struct span major, minor, patch;
        uint64_t number[3] = {0};
        if (!span_cut_prefix(&line, "# R") || !span_word(&line, &major) ||
            !span_cut_after(&line, "REVISION: ") || !span_split(&line, ',', &minor))
            continue;
        patch = minor;
        if (!span_split(&patch, '.', &minor) || !span_number(major, 999, &number[0]) ||
            !span_number(span_trim(minor), 999, &number[1]))
            return NULL;
        bool has_patch = patch.data && span_number(span_trim(patch), 999, &number[2]);
        return arena_printf(arena, has_patch ? "%u.%u.%u" : "%u.%u", (unsigned)number[0],
                            (unsigned)number[1], (unsigned)number[2]);
    }
    return NULL;
}

static char *unquoted(struct span value, struct arena *arena)
{
    value = span_trim(value);
    if (value.length >= 2 && *value.data == '"' && value.data[value.length - 1] == '"')
        value = (struct span){value.data + 1, value.length - 2};
    return value.length && value.length < 200 ? arena_strndup(arena, value.data, value.length)
                                              : NULL;
}

bool parse_dgx_release(const char *data, size_t size, struct arena *arena, struct dgx_release *ret)
{
    size_t cursor = 0;
    struct span line;
    *ret = (struct dgx_release){0};
    while (span_line(data, size, &cursor, &line)) {
        if (span_cut_prefix(&line, "DGX_NAME="))
            ret->name = unquoted(line, arena);
        else if (span_cut_prefix(&line, "DGX_PRETTY_NAME="))
            ret->pretty = unquoted(line, arena);
        else if (span_cut_prefix(&line, "DGX_PLATFORM="))
            ret->platform = unquoted(line, arena);
        else if (span_cut_prefix(&line, "DGX_SWBUILD_VERSION=") ||
                 span_cut_prefix(&line, "DGX_OTA_VERSION="))
            ret->version = unquoted(line, arena);
    }
    return ret->name || ret->pretty || ret->version;
}
