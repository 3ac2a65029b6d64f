/* Rows as structs, whether SQLite holds them or not. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "facts/kept.h"

struct row_list {
    const struct table_spec *table;
    const struct column_spec *column; /* NULL: all rows */
    const char *value;
    struct arena *arena;
    char *rows; /* in memory of its own until they are all there */
    size_t count, capacity;
};

static const struct column_spec *text_column(const struct table_spec *table, const char *name)
{
    for (size_t i = 0; name && i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0 && table->columns[i].type != COLUMN_INT)
            return &table->columns[i];
    return NULL;
}

static char *add_row(struct row_list *list)
{
    list->rows = xgrow(list->rows, &list->capacity, list->count + 1, list->table->row_size);
    char *row = list->rows + list->count++ * list->table->row_size;
    return memset(row, 0, list->table->row_size);
}

static bool is_asked_for(const struct row_list *list, const char *row)
{
    const char *has;
    if (!list->column)
        return true;
    memcpy(&has, row + list->column->offset, sizeof has);
    return text_equal(has, list->value);
}

static void take_kept(struct row_list *list, const struct kept_rows *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        const char *row = kept_row(kept, list->table, i);
        if (is_asked_for(list, row))
            memcpy(add_row(list), row, list->table->row_size);
    }
}

static void take_row(struct row_list *list, sqlite3_stmt *select)
{
    char *row = add_row(list);
    for (size_t i = 0; i < list->table->column_count; i++) {
        const struct column_spec *c = &list->table->columns[i];
        if (c->type == COLUMN_INT) {
            struct opt number = facts_number(select, (int)i);
            memcpy(row + c->offset, &number, sizeof number);
        } else {
            const char *text = facts_text(select, (int)i, list->arena);
            memcpy(row + c->offset, &text, sizeof text);
        }
    }
}

static int take_made(struct row_list *list, struct facts *facts, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    const struct table_spec *table = list->table;
    for (size_t i = 0; i < table->column_count; i++)
        text_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", table->columns[i].name);
    text_printf(&sql, " FROM \"%s\"", table->name);
    if (list->column)
        text_printf(&sql, " WHERE \"%s\" IS ?1", list->column->name);
    text_add(&sql, " ORDER BY rowid");
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    int rc = sqlite3_prepare_v2(facts_db(facts), text_get(&sql), -1, &select, NULL);
    if (rc == SQLITE_OK && list->column && list->value)
        sqlite3_bind_text(select, 1, list->value, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        while ((rc = sqlite3_step(select)) == SQLITE_ROW)
            take_row(list, select);
    if (rc != SQLITE_DONE)
        return error_set(err, -EIO, "cannot read table %s: %s", table->name,
                         sqlite3_errmsg(facts_db(facts)));
    return 0;
}

int facts_rows(struct facts *facts, enum table_id id, const char *column, const char *value,
               struct arena *arena, const void **ret, size_t *ret_count, struct error *err)
{
    struct row_list list = {
        .table = facts_table(id),
        .column = text_column(facts_table(id), column),
        .value = value,
        .arena = arena,
    };
    int code = 0;
    *ret = NULL;
    *ret_count = 0;
    if (column && !list.column)
        return error_set(err, -EINVAL, "%s has no text column %s", list.table->name, column);
    if (facts_is_made(facts, id))
        code = take_made(&list, facts, err);
    else
        take_kept(&list, facts_kept(facts, id));
    CLEANUP_FREE char *rows = list.rows;
    if (code == 0 && list.count) {
        size_t size = list.count * list.table->row_size;
        *ret = memcpy(arena_alloc(arena, size), rows, size);
        *ret_count = list.count;
    }
    return code;
}
