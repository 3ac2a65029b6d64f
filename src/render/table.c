/* Rows of a query, for people and for programs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/json_bytes.h"
#include "render/render.h"

/* More rows are shown unaligned: widths are settled by what has been seen so far. */
enum {
    MEASURED_ROWS = 2000,
    CELL_MAX = 60,
    ANSWER_MAX = 256 << 20, /* bytes that all rows may take in memory */
    CELL_COST = 256,        /* what a cell takes besides its text, at most about */
};

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

/* Made safe before it is measured: an escape is wider than what it stands for. */
static void add_cell(struct cells *cells, const struct style *style, const char *text,
                     size_t length)
{
    CLEANUP_TEXT struct text safe = {0};
    if (text)
        style_safe(&safe, style, text, length);
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
        style_add_safe(out, style, row[c] ? paint : PAINT_DIM, cell);
        size_t width = cell_width(row[c]), end = widths[c] > width ? widths[c] : width;
        for (size_t w = width; c + 1 < columns && w < end + 2; w++)
            text_add_char(out, ' ');
    }
    text_add_char(out, '\n');
}

static void measure(const struct cells *cells, size_t columns, size_t *widths)
{
    for (size_t i = 0; i < cells->count && i < MEASURED_ROWS * columns; i++) {
        size_t width = cell_width(cells->items[i]);
        width = width > CELL_MAX ? CELL_MAX : width;
        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
}

static size_t total_width(const size_t *widths, size_t columns)
{
    size_t total = 0;
    for (size_t c = 0; c < columns; c++)
        total += widths[c] + (c ? 2 : 0);
    return total;
}

/* A row a block, a known cell a line: what fits a terminal that the table does not. */
static void print_records(struct text *out, const struct style *style, const struct cells *cells,
                          size_t columns)
{
    size_t margin = 0;
    for (size_t c = 0; c < columns; c++)
        margin = cell_width(cells->items[c]) > margin ? cell_width(cells->items[c]) : margin;
    for (size_t i = columns; i < cells->count; i++) {
        if (i % columns == 0 && i > columns)
            text_add_char(out, '\n');
        if (!cells->items[i])
            continue;
        const char *name = cells->items[i % columns];
        style_add_safe(out, style, PAINT_BOLD, name);
        for (size_t w = cell_width(name); w < margin + 2; w++)
            text_add_char(out, ' ');
        text_add(out, cells->items[i]); /* made safe when it was taken */
        text_add_char(out, '\n');
    }
}

/* Rows are kept until the last has come, and a query may never end. */
static bool is_too_large(sqlite3_stmt *query, size_t *size)
{
    for (int c = 0; c < sqlite3_column_count(query); c++) {
        int type = sqlite3_column_type(query, c); /* asking a number for bytes changes it */
        bool is_long = type == SQLITE_TEXT || type == SQLITE_BLOB;
        *size += CELL_COST + (is_long ? (size_t)sqlite3_column_bytes(query, c) : 0);
    }
    return *size > ANSWER_MAX;
}

static int answer_error(sqlite3_stmt *query, size_t size, struct error *err)
{
    if (size > ANSWER_MAX)
        return error_set(err, -EFBIG, "the answer takes more than %d MiB; LIMIT it",
                         ANSWER_MAX >> 20);
    return error_set(err, -EIO, "%s", sqlite3_errmsg(sqlite3_db_handle(query)));
}

int render_table(struct text *out, const struct style *style, sqlite3_stmt *query, size_t *ret_rows,
                 struct error *err)
{
    size_t columns = (size_t)sqlite3_column_count(query), rows = 0, size = 0;
    CLEANUP(cells_done) struct cells cells = {0};
    for (int c = 0; c < (int)columns; c++) {
        const char *name = sqlite3_column_name(query, c);
        add_cell(&cells, style, name, strlen(name));
    }
    int rc;
    while ((rc = sqlite3_step(query)) == SQLITE_ROW && !is_too_large(query, &size)) {
        rows++;
        for (int c = 0; c < (int)columns; c++) {
            const char *text = (const char *)sqlite3_column_text(query, c);
            add_cell(&cells, style, text, (size_t)sqlite3_column_bytes(query, c));
        }
    }
    *ret_rows = rows;
    if (rc != SQLITE_DONE)
        return answer_error(query, size, err);
    CLEANUP_FREE size_t *widths = xcalloc(columns + 1, sizeof *widths);
    measure(&cells, columns, widths);
    if (style->terminal && rows && total_width(widths, columns) > style->width)
        print_records(out, style, &cells, columns);
    else
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
        if (isfinite(sqlite3_column_double(query, column)))
            return json_real(sqlite3_column_double(query, column));
        break; /* JSON has no infinity: "Inf" */
    case SQLITE_NULL:
        return json_null();
    default:
        break;
    }
    const char *data = (const char *)sqlite3_column_text(query, column);
    return json_bytes(data ? data : "", data ? (size_t)sqlite3_column_bytes(query, column) : 0);
}

/* The column's name as a key; a name that came before gets a number ("name_2"), or the first of two
 * columns of one name would be lost. */
static void set_cell(json_t *row, const char *name, json_t *value)
{
    CLEANUP_TEXT struct text key = {0};
    for (int number = 1; number == 1 || json_object_get(row, text_get(&key)); number++) {
        text_clear(&key);
        text_add_safe(&key, name, strlen(name), true);
        if (number > 1)
            text_printf(&key, "_%d", number);
    }
    json_object_set_new(row, text_get(&key), value);
}

json_t *render_rows_json(sqlite3_stmt *query, struct error *err)
{
    json_t *rows = json_array();
    size_t size = 0;
    int rc;
    while ((rc = sqlite3_step(query)) == SQLITE_ROW && !is_too_large(query, &size)) {
        json_t *row = json_object();
        for (int c = 0; c < sqlite3_column_count(query); c++)
            set_cell(row, sqlite3_column_name(query, c), cell_json(query, c));
        json_array_append_new(rows, row);
    }
    if (rc == SQLITE_DONE)
        return rows;
    answer_error(query, size, err);
    json_decref(rows);
    return NULL;
}
