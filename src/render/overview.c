/* What was seen, on one screen: a line or a few for each part of the machine that has any facts.
 * Each part is a query and a template of a line; what is not known leaves no trace in it. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/overview_parts.h"
#include "render/render.h"

enum { TITLE_WIDTH = 14 };

static const char *column_text(sqlite3_stmt *row, const char *name, size_t length)
{
    for (int c = 0; c < sqlite3_column_count(row); c++) {
        const char *column = sqlite3_column_name(row, c);
        if (strlen(column) == length && memcmp(column, name, length) == 0)
            return (const char *)sqlite3_column_text(row, c);
    }
    return NULL;
}

/* Fills `length` bytes of a template; false where a slot is unknown. */
static bool add_slots(struct text *out, sqlite3_stmt *row, const char *from, size_t length)
{
    for (const char *end = from + length; from < end;) {
        size_t plain = strcspn(from, "{");
        if (from + plain >= end) {
            text_add_bytes(out, from, (size_t)(end - from));
            return true;
        }
        text_add_bytes(out, from, plain);
        from += plain + 1;
        size_t name = strcspn(from, "}");
        const char *value = column_text(row, from, name);
        if (!value)
            return false;
        text_add(out, value);
        from += name + 1;
    }
    return true;
}

/* Without the comma of a part whose forerunners were all left out. */
static const char *line_text(struct text *line)
{
    const char *text = text_get(line);
    return text + strspn(text, ", ");
}

/* "{name}[, compute capability {cc}]": what stands in brackets is left out where a slot of it is
 * unknown. */
static void fill(struct text *out, sqlite3_stmt *row, const char *template)
{
    while (*template) {
        size_t length = strcspn(template, "[");
        if (length) {
            CLEANUP_TEXT struct text part = {0};
            if (add_slots(&part, row, template, length))
                text_add(out, text_get(&part));
            template += length;
            continue;
        }
        length = strcspn(++template, "]");
        CLEANUP_TEXT struct text part = {0};
        if (add_slots(&part, row, template, length))
            text_add(out, text_get(&part));
        template += length + 1;
    }
}

static void add_line(struct text *out, const struct style *style, const char *title,
                     const char *text)
{
    CLEANUP_TEXT struct text first = {0};
    style_add(&first, style, PAINT_BOLD, title);
    for (size_t i = strlen(title); i < TITLE_WIDTH; i++)
        text_add_char(&first, ' ');
    style_paragraph(out, style, text_get(&first), text);
}

static int add_part(struct text *out, const struct style *style, struct engine *engine,
                    const struct overview_part *part, struct error *err)
{
    sqlite3_stmt *query = NULL;
    size_t shown = 0, more = 0;
    int rc, code = engine_prepare_read(engine, part->sql, &query, err);
    if (code)
        return error_prefix(err, code, "cannot sum up %s", part->title);
    while ((rc = sqlite3_step(query)) == SQLITE_ROW) {
        CLEANUP_TEXT struct text line = {0};
        if (shown < part->lines)
            fill(&line, query, part->line);
        if (*line_text(&line))
            add_line(out, style, shown++ ? "" : part->title, line_text(&line));
        else if (shown == part->lines)
            more++;
    }
    if (more) {
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "... and %zu more", more);
        add_line(out, style, "", text_get(&line));
    }
    sqlite3_finalize(query);
    return rc == SQLITE_DONE ? 0
                             : error_set(err, -EIO, "cannot sum up %s: %s", part->title,
                                         sqlite3_errmsg(engine_db(engine)));
}

int render_overview(struct text *out, const struct style *style, struct engine *engine,
                    struct error *err)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < overview_part_count; i++)
        code = add_part(out, style, engine, &overview_parts[i], err);
    return code;
}
