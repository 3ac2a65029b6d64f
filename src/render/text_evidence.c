#include "render/text_evidence.h"

#include <string.h>

#include "base/text.h"

enum { PARTS_SHOWN = 5 };

/* Bytes of the first parts of a list, which "; " separates. */
static size_t shown_length(const char *value)
{
    const char *end = value;
    for (size_t parts = 0; (end = strstr(end, "; ")); end += 2)
        if (++parts == PARTS_SHOWN)
            return (size_t)(end - value);
    return strlen(value);
}

static void add_value(struct text *line, const char *value)
{
    size_t length = shown_length(value);
    text_add(line, ": ");
    text_add_bytes(line, value, length);
    if (value[length])
        text_add(line, "; and more, which --format json lists");
}

void text_add_evidence(struct text *out, const struct style *style, const struct evidence *evidence)
{
    CLEANUP_TEXT struct text line = {0};
    text_add(&line, evidence->what);
    if (evidence->value)
        add_value(&line, evidence->value);
    if (evidence->path)
        text_printf(&line, "  (%s)", evidence->path);
    style_marked(out, style, "    ", MARK_BULLET, text_get(&line));
}
