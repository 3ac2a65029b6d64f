/* Rows of a query, for people and for programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "render/render.h"

/* More rows are shown unaligned: widths are settled by what has been seen so far. */
enum { MEASURED_ROWS = 2000, CELL_MAX = 60 };

struct cells {
    char **items; /* made safe; NULL is unknown */
    size_t count, capacity;
};

static void cells_done(struct cells *cells)
{
    for (size_t i = 0; i < cells->count; i++)
        free(cells->items[i]);
    free(cells->items);
}

static void add_cell(struct cells *cells, const char *text)
{
    CLEANUP_TEXT struct text safe = {0};
    if (text)
        text_add_safe(&safe, text, strlen(text), false);
    cells->items = xgrow(cells->items, &cells->capacity, cells->count + 1, sizeof *cells->items);
    cells->items[cells->count++] = text ? xstrdup(text_get(&safe)) : NULL;
}

static size_t cell_width(const char *cell)
{
    return cell ? utf8_width(cell) : 1;
}

static void print_row(struct text *out, const struct style *style, char *const *row,
                      const size_t *widths, size_t columns, enum paint paint)
{
    for (size_t c = 0; c < columns; c++) {
        const char *cell = row[c] ? row[c] : "-";
        style_add(out, style, row[c] ? paint : PAINT_DIM, cell);
        size_t width = cell_width(row[c]), end = widths[c] > width ? widths[c] : width;
        for (size_t w = width; c + 1 < columns && w < end + 2; w++)
            text_add_char(out, ' ');
    }
    text_add_char(out, '\n');
}

int render_table(struct text *out, const struct style *style, sqlite3_stmt *query, size_t *ret_rows,
                 struct error *err)
{
    size_t columns = (size_t)sqlite3_column_count(query), rows = 0;
    CLEANUP(cells_done) struct cells cells = {0};
    for (size_t c = 0; c < columns; c++)
        add_cell(&cells, sqlite3_column_name(query, (int)c));
    int rc;
    while ((rc = sqlite3_step(query)) == SQLITE_ROW) {
        rows++;
        for (size_t c = 0; c < columns; c++)
            add_cell(&cells, (const char *)sqlite3_column_text(query, (int)c));
    }
    *ret_rows = rows;
    if (rc != SQLITE_DONE)
        return error_set(err, -EIO, "%s", sqlite3_errmsg(sqlite3_db_handle(query)));
    CLEANUP_FREE size_t *widths = xcalloc(columns, sizeof *widths);
    for (size_t i = 0; i < cells.count && i < MEASURED_ROWS * columns; i++) {
        size_t width = cell_width(cells.items[i]);
        width = width > CELL_MAX ? CELL_MAX : width;
        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    for (size_t r = 0; columns && r <= rows; r++)
        print_row(out, style, cells.items + r * columns, widths, columns,
                  r ? PAINT_NONE : PAINT_BOLD);
    return 0;
}

static json_t *cell_json(sqlite3_stmt *query, int column)
{
    switch (sqlite3_column_type(query, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(query, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(query, column));
    case SQLITE_NULL:
        return json_null();
    default: {
        const char *data = (const char *)sqlite3_column_text(query, column);
        size_t length = (size_t)sqlite3_column_bytes(query, column);
        json_t *text = json_stringn(data ? data : "", data ? length : 0);
        if (text)
            return text;
        CLEANUP_TEXT struct text safe = {0};
        text_add_safe(&safe, data, length, true);
        return json_string(text_get(&safe));
    }
    }
}

json_t *render_rows_json(sqlite3_stmt *query, struct error *err)
{
    json_t *rows = json_array();
    int rc;
    while ((rc = sqlite3_step(query)) == SQLITE_ROW) {
        json_t *row = json_object();
        for (int c = 0; c < sqlite3_column_count(query); c++)
            json_object_set_new(row, sqlite3_column_name(query, c), cell_json(query, c));
        json_array_append_new(rows, row);
    }
    if (rc == SQLITE_DONE)
        return rows;
    error_set(err, -EIO, "%s", sqlite3_errmsg(sqlite3_db_handle(query)));
    json_decref(rows);
    return NULL;
}
