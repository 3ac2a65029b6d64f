#include "engine/once.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/internal.h"

bool once_is(struct engine *engine, const char *name)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    if (engine_prepare(engine, "SELECT 1 FROM once_view WHERE name = ?1", &select, NULL) < 0)
        return false;
    sqlite3_bind_text(select, 1, name, -1, SQLITE_STATIC);
    return sqlite3_step(select) == SQLITE_ROW;
}

int once_drop(struct engine *engine, const char *name, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql, "DROP TABLE IF EXISTS \"%s\"; DELETE FROM once_view WHERE name = '%s'", name,
                name);
    once_done(engine);
    return engine_exec(engine, text_get(&sql), err);
}

int once_create(struct engine *engine, const char *name, const char *query, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    once_done(engine);
    text_printf(&sql, "CREATE TABLE \"%s\" AS %s", name, query);
    guard_limit(&engine->guard, RULE_STEPS_MAX, RULE_MS_MAX);
    int code = engine_exec(engine, text_get(&sql), err);
    guard_unlimit(&engine->guard);
    if (!code)
        code = engine_prepare(engine, "INSERT INTO once_view (name, query) VALUES (?1, ?2)",
                              &insert, err);
    if (code)
        return code;
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, query, -1, SQLITE_STATIC);
    return sqlite3_step(insert) == SQLITE_DONE
               ? 0
               : error_set(err, -EIO, "%s", sqlite3_errmsg(engine->db));
}

static int prepare_one(struct engine *engine, struct once *once, const char *query,
                       struct error *err)
{
    CLEANUP_TEXT struct text empty = {0};
    CLEANUP_TEXT struct text fill = {0};
    int offset;
    text_printf(&empty, "DELETE FROM \"%s\"", once->known.table);
    text_printf(&fill, "INSERT INTO \"%s\" %s", once->known.table, query);
    int code = engine_prepare(engine, text_get(&empty), &once->empty, err);
    if (!code)
        code = guard_prepare(&engine->guard, engine->db, GUARD_FILL, text_get(&fill),
                             &once->known.reads, &once->fill, &offset, err);
    return code ? error_prefix(err, code, "view %s", once->known.table) : 0;
}

int once_prepare(struct engine *engine, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    if (engine->once_ready)
        return 0;
    int code =
        engine_prepare(engine, "SELECT name, query FROM once_view ORDER BY rowid", &select, err);
    size_t capacity = 0;
    while (!code && sqlite3_step(select) == SQLITE_ROW) {
        size_t i = engine->once_count++;
        engine->once = xgrow(engine->once, &capacity, i + 1, sizeof *engine->once);
        struct once *once = engine->once[i] = xcalloc(1, sizeof *once);
        once->known.table =
            arena_strdup(&engine->arena, (const char *)sqlite3_column_text(select, 0));
        code = prepare_one(engine, once, (const char *)sqlite3_column_text(select, 1), err);
        /* what the next ones read of this one is known from here on */
        engine->guard.known = xgrow(engine->guard.known, &engine->guard.known_capacity, i + 1,
                                    sizeof *engine->guard.known);
        engine->guard.known[i] = &once->known;
        engine->guard.known_count = i + 1;
    }
    engine->once_ready = !code;
    if (code)
        once_done(engine);
    return code;
}

static int run_statement(struct engine *engine, sqlite3_stmt *statement, struct error *err)
{
    int rc = sqlite3_step(statement);
    if (rc != SQLITE_DONE)
        error_set(err, -EIO, "%s", guard_reason(&engine->guard, engine->db));
    sqlite3_reset(statement);
    return rc == SQLITE_DONE ? 0 : -EIO;
}

int once_fill(struct engine *engine, struct error *err)
{
    int code = once_prepare(engine, err);
    for (size_t i = 0; !code && i < engine->once_count; i++) {
        const struct once *once = engine->once[i];
        guard_limit(&engine->guard, RULE_STEPS_MAX, RULE_MS_MAX);
        code = run_statement(engine, once->empty, err);
        if (!code)
            code = run_statement(engine, once->fill, err);
        guard_unlimit(&engine->guard);
        if (code)
            error_prefix(err, code, "view %s", once->known.table);
    }
    return code;
}

void once_done(struct engine *engine)
{
    for (size_t i = 0; i < engine->once_count; i++) {
        sqlite3_finalize(engine->once[i]->empty);
        sqlite3_finalize(engine->once[i]->fill);
        reads_done(&engine->once[i]->known.reads);
        free(engine->once[i]);
    }
    free(engine->once);
    free(engine->guard.known);
    engine->once = NULL;
    engine->guard.known = NULL;
    engine->once_count = engine->guard.known_count = engine->guard.known_capacity = 0;
    engine->once_ready = false;
}
