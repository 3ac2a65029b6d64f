/* Facts to JSON and back. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_bytes.h"
#include "base/json_file.h"
#include "base/text.h"
#include "facts/facts.h"

/* --- out --- */

static json_t *row_json(sqlite3_stmt *select, const struct table_spec *table)
{
    json_t *row = json_object();
    for (size_t i = 0; i < table->column_count; i++) {
        int at = (int)i;
        if (sqlite3_column_type(select, at) == SQLITE_NULL)
            continue;
        json_t *value = table->columns[i].type == COLUMN_INT
                            ? json_integer(sqlite3_column_int64(select, at))
                            : json_bytes((const char *)sqlite3_column_text(select, at),
                                         (size_t)sqlite3_column_bytes(select, at));
        json_object_set_new(row, table->columns[i].name, value);
    }
    return row;
}

static enum table_id id_of(const struct table_spec *table)
{
    return (enum table_id)(table - facts_table(0));
}

json_t *facts_table_json(struct facts *facts, const struct table_spec *table, struct error *err)
{
    if (!facts_is_made(facts, id_of(table)) && facts_is_empty(facts, id_of(table)))
        return json_array();
    if (facts_make(facts, id_of(table), err) < 0)
        return NULL;
    CLEANUP_TEXT struct text sql = {0};
    for (size_t i = 0; i < table->column_count; i++)
        text_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", table->columns[i].name);
    text_printf(&sql, " FROM \"%s\" ORDER BY rowid", table->name);
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    sqlite3 *db = facts_db(facts);
    int rc = sqlite3_prepare_v2(db, text_get(&sql), -1, &select, NULL);
    json_t *rows = json_array();
    if (rc == SQLITE_OK)
        while ((rc = sqlite3_step(select)) == SQLITE_ROW)
            json_array_append_new(rows, row_json(select, table));
    if (rc != SQLITE_DONE) {
        json_decref(rows);
        error_set(err, -EIO, "cannot read table %s: %s", table->name, sqlite3_errmsg(db));
        return NULL;
    }
    return rows;
}

json_t *facts_to_json(struct facts *facts, const char *program_version, const char *rules_version,
                      struct error *err)
{
    json_t *tables = json_object();
    json_t *snapshot = json_pack("{s:i, s:s, s:s, s:o}", "schema", FACTS_SCHEMA, "gpudoctor",
                                 program_version, "rules", rules_version, "tables", tables);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        json_t *rows = facts_table_json(facts, table, err);
        if (!rows) {
            json_decref(snapshot);
            return NULL;
        }
        json_object_set_new(tables, table->name, rows);
    }
    return snapshot;
}

/* --- in --- */

static const struct column_spec *column_named(const struct table_spec *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return &table->columns[i];
    return NULL;
}

static int set_field(const struct table_spec *table, const struct column_spec *column,
                     const json_t *value, char *row, struct arena *arena, struct error *err)
{
    if (json_is_null(value))
        return 0;
    if (column->type == COLUMN_INT) {
        if (!json_is_integer(value))
            return error_set(err, -EINVAL, "%s.%s must be an integer", table->name, column->name);
        struct opt number = known(json_integer_value(value));
        memcpy(row + column->offset, &number, sizeof number);
        return 0;
    }
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
        return error_set(err, -EINVAL, "%s.%s must be text without NUL", table->name, column->name);
    const char *text = json_string_value(value);
    if (strstr(text, "\\x")) {
        CLEANUP_TEXT struct text bytes = {0};
        text_add_bytes_meant(&bytes, text, strlen(text));
        text = arena_strdup(arena, text_get(&bytes));
    }
    memcpy(row + column->offset, &text, sizeof text);
    return 0;
}

/* The largest row struct: every field is a pointer or a struct opt. */
enum { ROW_FIELDS_MAX = 32 };

/* Text that is not the document's own is the arena's. */
static int fill_row(const struct table_spec *table, const json_t *object, bool lenient, char *row,
                    struct arena *arena, struct error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        const struct column_spec *column = column_named(table, name);
        if (!column && lenient)
            continue;
        if (!column)
            return error_set(err, -EINVAL, "table %s has no column %s", table->name, name);
        int code = set_field(table, column, value, row, arena, err);
        if (code)
            return code;
    }
    return 0;
}

static int add_row(struct facts *facts, enum table_id id, const json_t *object, bool lenient,
                   struct error *err)
{
    const struct table_spec *table = facts_table(id);
    _Alignas(struct opt) char row[ROW_FIELDS_MAX * sizeof(struct opt)] = {0};
    struct arena arena = {0};
    if (!json_is_object(object))
        return error_set(err, -EINVAL, "a row of %s must be an object", table->name);
    if (table->column_count > ROW_FIELDS_MAX)
        return error_set(err, -EINVAL, "%s has too many columns", table->name);
    int code = fill_row(table, object, lenient, row, &arena, err);
    if (!code)
        facts_insert(facts, id, row);
    arena_done(&arena);
    return code ? code : facts_failed(facts, err);
}

int facts_rows_from_json(struct facts *facts, const json_t *tables, bool lenient, struct error *err)
{
    const char *name;
    json_t *rows, *row;
    size_t i;
    json_object_foreach ((json_t *)tables, name, rows) {
        const struct table_spec *table = facts_table_named(name);
        if (!table && lenient)
            continue;
        if (!table)
            return error_set(err, -EINVAL, "there is no table %s", name);
        if (!json_is_array(rows))
            return error_set(err, -EINVAL, "rows of %s must be an array", name);
        enum table_id id = id_of(table);
        json_array_foreach (rows, i, row) {
            int code = add_row(facts, id, row, lenient, err);
            if (code)
                return error_prefix(err, code, "row %zu", i + 1);
        }
    }
    return 0;
}

int facts_from_json(struct facts *facts, const json_t *snapshot, struct error *err)
{
    const json_t *schema = json_object_get(snapshot, "schema");
    const json_t *tables = json_object_get(snapshot, "tables");
    if (!json_is_object(snapshot) || !json_is_integer(schema) || !json_is_object(tables))
        return error_set(err, -EINVAL, "not a facts snapshot: it needs \"schema\" and \"tables\"");
    if (json_integer_value(schema) < 1)
        return error_set(err, -EINVAL, "schema must be 1 or more");
    bool newer = json_integer_value(schema) > FACTS_SCHEMA;
    if (sqlite3_exec(facts_db(facts), "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "%s", sqlite3_errmsg(facts_db(facts)));
    int code = facts_rows_from_json(facts, tables, newer, err);
    if (sqlite3_exec(facts_db(facts), code ? "ROLLBACK" : "COMMIT", NULL, NULL, NULL) !=
            SQLITE_OK &&
        !code)
        return error_set(err, -EIO, "%s", sqlite3_errmsg(facts_db(facts)));
    return code;
}

/* --- schema --- */

static json_t *table_schema(const struct table_spec *table)
{
    json_t *properties = json_object();
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        CLEANUP_TEXT struct text doc = {0};
        text_add(&doc, c->doc);
        if (*c->unit)
            text_printf(&doc, " (%s)", c->unit);
        json_object_set_new(properties, c->name,
                            json_pack("{s:s, s:s}", "type",
                                      c->type == COLUMN_INT ? "integer" : "string", "description",
                                      text_get(&doc)));
    }
    return json_pack("{s:s, s:s, s:{s:s, s:b, s:o}}", "type", "array", "description", table->doc,
                     "items", "type", "object", "additionalProperties", 0, "properties",
                     properties);
}

json_t *facts_json_schema(void)
{
    json_t *tables = json_object();
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        json_object_set_new(tables, table->name, table_schema(table));
    }
    CLEANUP_JSON json_t *text = json_pack("{s:s}", "type", "string");
    return json_pack("{s:s, s:s, s:s, s:[s,s], s:{s:{s:s, s:i}, s:O, s:O, s:{s:s, s:b, s:o}}}",
                     "$schema", "http://json-schema.org/draft-07/schema#", "title",
                     "gpudoctor facts snapshot", "type", "object", "required", "schema", "tables",
                     "properties", "schema", "type", "integer", "minimum", 1, "gpudoctor", text,
                     "rules", text, "tables", "type", "object", "additionalProperties", 0,
                     "properties", tables);
}
