#include "parse/requires_txt.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"

/* A marker stands in front of every line of its section: a long one would multiply. */
enum { SECTION_MAX = 1024 };

/* Sets the text to what stands behind ";" in METADATA for the lines of this section. False when
 * its name is none. */
static bool take_section(struct span line, struct arena *arena, struct text *marker)
{
    text_clear(marker);
    if (line.length < 2 || line.length > SECTION_MAX || line.data[line.length - 1] != ']')
        return false;
    struct span rest = {line.data + 1, line.length - 2}, name;
    if (!rest.length || !span_split(&rest, ':', &name))
        return false;
    char *extra = name.length ? normalise_name(name.data, name.length, arena) : NULL;
    if (name.length && !extra)
        return false;
    struct span condition = rest.data ? span_trim(rest) : (struct span){0};
    if (condition.length && extra)
        text_printf(marker, "(%.*s) and extra == '%s'", (int)condition.length, condition.data,
                    extra);
    else if (condition.length)
        text_add_bytes(marker, condition.data, condition.length);
    else if (extra)
        text_printf(marker, "extra == '%s'", extra);
    return true;
}

void requires_txt_parse(const char *data, size_t length, struct arena *arena, struct metadata *ret)
{
    CLEANUP_TEXT struct text marker = {0}, joined = {0};
    struct span line;
    bool is_good = true;
    size_t cursor = 0;
    while (span_line(data, length, &cursor, &line)) {
        line = span_trim(line);
        if (!line.length || *line.data == '#' || memchr(line.data, '\0', line.length))
            continue;
        if (*line.data == '[') {
            is_good = take_section(line, arena, &marker);
            continue;
        }
        if (!is_good)
            continue;
        text_clear(&joined);
        text_add_bytes(&joined, line.data, line.length);
        if (marker.length)
            text_printf(&joined, " ; %s", marker.data);
        metadata_add_requirement(ret, text_get(&joined), arena);
    }
}
