/* The table `catalogue`: what can be asked, for people who write queries and rules. */
#include <errno.h>

#include "base/text.h"
#include "engine/internal.h"

static int note_columns(struct engine *engine, const char *name, struct text *ret,
                        struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql, "SELECT * FROM \"%s\" LIMIT 0", name);
    int code = engine_prepare(engine, text_get(&sql), &select, err);
    for (int i = 0; !code && i < sqlite3_column_count(select); i++)
        text_printf(ret, "%s%s", i ? " " : "", sqlite3_column_name(select, i));
    return code;
}

static int add_entry(struct engine *engine, sqlite3_stmt *insert, const char *name,
                     struct error *err)
{
    const struct table_spec *facts = facts_table_named(name);
    CLEANUP_TEXT struct text columns = {0};
    int code = note_columns(engine, name, &columns, err);
    if (code)
        return code;
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(insert, 2,
                      facts                     ? "facts"
                      : text_starts(name, "m_") ? "matrix"
                                                : "view",
                      -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, text_get(&columns), -1, SQLITE_TRANSIENT);
    int rc = sqlite3_step(insert);
    sqlite3_reset(insert);
    return rc == SQLITE_DONE ? 0 : error_set(err, -EIO, "%s", sqlite3_errmsg(engine->db));
}

int catalogue_fill(struct engine *engine, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *names = NULL;
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    int rc = SQLITE_DONE, code = engine_exec(engine, "DELETE FROM catalogue", err);
    if (!code)
        code = engine_prepare(
            engine,
            "SELECT name FROM sqlite_schema WHERE (type = 'view' OR"
            " (type = 'table' AND name NOT IN ('rule_file', 'descriptor_file', 'library_file',"
            " 'rules_meta', 'once_view', 'fact_tables', 'catalogue')))"
            " AND name NOT GLOB 'sqlite_*' ORDER BY name",
            &names, err);
    if (!code)
        code = engine_prepare(engine, "INSERT INTO catalogue VALUES (?1, ?2, ?3)", &insert, err);
    while (!code && (rc = sqlite3_step(names)) == SQLITE_ROW)
        code = add_entry(engine, insert, (const char *)sqlite3_column_text(names, 0), err);
    if (!code && rc != SQLITE_DONE)
        code = error_set(err, -EIO, "%s", sqlite3_errmsg(engine->db));
    return code;
}
