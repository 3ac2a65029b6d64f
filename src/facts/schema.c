#include "facts/schema.h"

#include <errno.h>
#include <inttypes.h>

void schema_statement(const struct table_spec *table, struct text *sql)
{
    text_printf(sql, "CREATE TABLE IF NOT EXISTS \"%s\" (", table->name);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        text_printf(sql, "%s\"%s\" %s", i ? ", " : "", c->name,
                    c->type == COLUMN_INT ? "INTEGER" : "TEXT");
        if (c->type == COLUMN_VERSION)
            text_printf(sql, ", \"%s_key\" INTEGER", c->name);
    }
    text_add(sql, ") STRICT");
}

/* FNV-1a of all that a CREATE TABLE is made of. */
static uint64_t print_of_tables(void)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        for (const char *c = table->name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        for (size_t k = 0; k < table->column_count; k++) {
            hash = (hash ^ (0x80u + table->columns[k].type)) * 1099511628211u;
            for (const char *c = table->columns[k].name; *c; c++)
                hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        }
    }
    return hash;
}

bool schema_is_there(sqlite3 *db)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    return sqlite3_prepare_v2(db, "SELECT print FROM fact_tables", -1, &select, NULL) ==
               SQLITE_OK &&
           sqlite3_step(select) == SQLITE_ROW &&
           (uint64_t)sqlite3_column_int64(select, 0) == print_of_tables();
}

int schema_note(sqlite3 *db, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql,
                "CREATE TABLE IF NOT EXISTS fact_tables (print INTEGER) STRICT;"
                "DELETE FROM fact_tables; INSERT INTO fact_tables VALUES (%" PRId64 ")",
                (int64_t)print_of_tables());
    return sqlite3_exec(db, text_get(&sql), NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : error_set(err, -EIO, "cannot note the tables: %s", sqlite3_errmsg(db));
}
