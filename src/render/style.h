/* How text looks: colour, marks, width. Everything that came from a file goes through these
 * helpers, so that none of it can steer the terminal. */
#ifndef RENDER_STYLE_H
#define RENDER_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct style {
    bool colour;   /* ANSI sequences */
    bool unicode;  /* UTF-8 marks, else ASCII */
    size_t width;  /* columns; 0: do not wrap */
    bool terminal; /* somebody looks at it; else a program may, to which lines mean rows */
};

enum mark { MARK_OK, MARK_ERROR, MARK_WARNING, MARK_INFO, MARK_UNKNOWN, MARK_BULLET };
enum paint { PAINT_NONE, PAINT_RED, PAINT_YELLOW, PAINT_GREEN, PAINT_BLUE, PAINT_BOLD, PAINT_DIM };

const char *style_mark(const struct style *style, enum mark mark);
enum paint style_mark_paint(enum mark mark);

/* Adds text made safe for a terminal: control characters and bytes that are no UTF-8 are escaped,
 * and so is all but ASCII where the locale cannot show it. Once: what is safe already would change.
 */
void style_safe(struct text *out, const struct style *style, const char *data, size_t length);
/* The same, in a colour. */
void style_add(struct text *out, const struct style *style, enum paint paint, const char *text);
/* The same of what was made safe already. */
void style_add_safe(struct text *out, const struct style *style, enum paint paint,
                    const char *safe);
/* Adds a paragraph wrapped to the width: `first` (our own words, perhaps in colour) before the
 * first line, spaces of the same width before the others. Words longer than a line stay whole. Ends
 * with a newline. */
void style_paragraph(struct text *out, const struct style *style, const char *first,
                     const char *text);
/* A paragraph behind a mark in its colour, after `margin`. */
void style_marked(struct text *out, const struct style *style, const char *margin, enum mark mark,
                  const char *words);
/* A line that is never wrapped, so that it can be copied. Control characters are still escaped. */
void style_line(struct text *out, const struct style *style, const char *first, enum paint paint,
                const char *text);

#endif
