#include "render/style.h"

#include <string.h>

static const struct {
    const char *unicode, *ascii;
    enum paint paint;
} marks[] = {
    [MARK_OK] = {"✓", "ok", PAINT_GREEN},         [MARK_ERROR] = {"✗", "ERROR", PAINT_RED},
    [MARK_WARNING] = {"!", "WARN", PAINT_YELLOW}, [MARK_INFO] = {"i", "info", PAINT_BLUE},
    [MARK_UNKNOWN] = {"?", "?", PAINT_YELLOW},    [MARK_BULLET] = {"•", "-", PAINT_NONE},
};

static const char *const paints[] = {
    [PAINT_NONE] = "",          [PAINT_RED] = "\033[1;31m",  [PAINT_YELLOW] = "\033[1;33m",
    [PAINT_GREEN] = "\033[32m", [PAINT_BLUE] = "\033[1;34m", [PAINT_BOLD] = "\033[1m",
    [PAINT_DIM] = "\033[2m",
};

const char *style_mark(const struct style *style, enum mark mark)
{
    return style->unicode ? marks[mark].unicode : marks[mark].ascii;
}

enum paint style_mark_paint(enum mark mark)
{
    return marks[mark].paint;
}

void style_safe(struct text *out, const struct style *style, const char *data, size_t length)
{
    if (style->unicode) {
        text_add_safe(out, data, length, false);
        return;
    }
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, data, length, false);
    for (size_t i = 0; i < safe.length;) {
        uint32_t point = utf8_next(safe.data, safe.length, &i);
        if (point < 0x80)
            text_add_char(out, (char)point);
        else
            text_printf(out, "\\u{%x}", (unsigned)point);
    }
}

void style_add(struct text *out, const struct style *style, enum paint paint, const char *text)
{
    CLEANUP_TEXT struct text safe = {0};
    style_safe(&safe, style, text, strlen(text));
    style_add_safe(out, style, paint, text_get(&safe));
}

void style_add_safe(struct text *out, const struct style *style, enum paint paint, const char *safe)
{
    bool on = style->colour && paint != PAINT_NONE;
    if (on)
        text_add(out, paints[paint]);
    text_add(out, safe);
    if (on)
        text_add(out, "\033[0m");
}

/* Columns of our own text, which may hold colours. */
static size_t shown_width(const char *text)
{
    CLEANUP_TEXT struct text bare = {0};
    while (*text) {
        size_t length = strcspn(text, "\033");
        text_add_bytes(&bare, text, length);
        text += length;
        text += strcspn(text, "m");
        text += *text ? 1 : 0;
    }
    return utf8_width(text_get(&bare));
}

static void indent(struct text *out, size_t width)
{
    for (size_t i = 0; i < width; i++)
        text_add_char(out, ' ');
}

void style_paragraph(struct text *out, const struct style *style, const char *first,
                     const char *text)
{
    size_t margin = shown_width(first), column = margin;
    bool line_empty = true;
    const char *word = text + strspn(text, " \n\t"), *end = word + strlen(word);
    while (end > word && strchr(" \n\t", end[-1]))
        end--;
    text_add(out, first);
    while (word < end) {
        /* a newline within is part of a name, and is shown as one */
        size_t length = strcspn(word, " \t");
        if (length > (size_t)(end - word))
            length = (size_t)(end - word);
        CLEANUP_TEXT struct text safe = {0};
        style_safe(&safe, style, word, length);
        size_t width = utf8_width(text_get(&safe));
        if (!line_empty && style->width && column + 1 + width > style->width) {
            text_add_char(out, '\n');
            indent(out, margin);
            column = margin;
            line_empty = true;
        }
        if (!line_empty) {
            text_add_char(out, ' ');
            column++;
        }
        text_add_bytes(out, text_get(&safe), safe.length);
        column += width;
        line_empty = false;
        word += length;
        word += strspn(word, " \t");
    }
    text_add_char(out, '\n');
}

void style_marked(struct text *out, const struct style *style, const char *margin, enum mark mark,
                  const char *words)
{
    CLEANUP_TEXT struct text first = {0};
    text_add(&first, margin);
    style_add(&first, style, style_mark_paint(mark), style_mark(style, mark));
    text_add_char(&first, ' ');
    style_paragraph(out, style, text_get(&first), words);
}

void style_line(struct text *out, const struct style *style, const char *first, enum paint paint,
                const char *text)
{
    text_add(out, first);
    style_add(out, style, paint, text);
    text_add_char(out, '\n');
}
