#include "engine/once.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static int run_bound(struct engine *engine, const char *sql, const char *const *values,
                     struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *statement = NULL;
    int code = engine_prepare(engine, sql, &statement, err);
    if (code)
        return code;
    for (int i = 0; values[i]; i++)
        sqlite3_bind_text(statement, i + 1, values[i], -1, SQLITE_STATIC);
    return sqlite3_step(statement) == SQLITE_DONE
               ? 0
               : error_set(err, -EIO, "%s", sqlite3_errmsg(engine->db));
}

int once_create(struct engine *engine, const char *name, const char *query, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    once_done(engine);
    text_printf(&sql, "CREATE TABLE \"%s\" AS %s", name, query);
    guard_limit(&engine->guard, RULE_STEPS_MAX, RULE_MS_MAX);
    int code = engine_exec(engine, text_get(&sql), err);
    guard_unlimit(&engine->guard);
    if (code)
        return code;
    return run_bound(engine, "INSERT INTO once_view (name, query) VALUES (?1, ?2)",
                     (const char *[]){name, query, NULL}, err);
}

/* --- what they read --- */

static int prepare_fill(struct engine *engine, struct once *once, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    int offset;
    if (once->fill)
        return 0;
    text_printf(&sql, "INSERT INTO \"%s\" %s", once->known.table, once->query);
    int code = guard_prepare(&engine->guard, engine->db, GUARD_FILL, text_get(&sql),
                             &once->known.reads, &once->fill, &offset, err);
    return code ? error_prefix(err, code, "view %s", once->known.table) : 0;
}

static size_t size_of(const struct reads *reads)
{
    size_t size = reads->matrix_count;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        size += reads->facts[i];
    return size;
}

/* One that was declared anew stands behind those that read it: hence more than one round. */
static void close_reads(struct engine *engine)
{
    bool grew = true;
    while (grew) {
        grew = false;
        for (size_t i = 0; i < engine->once_count; i++) {
            struct reads *reads = &engine->once[i]->known.reads;
            size_t before = size_of(reads);
            for (size_t k = 0; k < reads->known_count; k++)
                if (reads->known[k] != i)
                    reads_add(reads, &engine->once[reads->known[k]]->known.reads);
            grew |= size_of(reads) > before;
        }
    }
}

static int find_reads(struct engine *engine, struct error *err)
{
    int code = 0;
    for (size_t i = 0; !code && i < engine->once_count; i++)
        code = prepare_fill(engine, engine->once[i], err);
    if (!code)
        close_reads(engine);
    return code;
}

static char *text_of(struct engine *engine, sqlite3_stmt *row, int column)
{
    return arena_strdup(&engine->arena, (const char *)sqlite3_column_text(row, column));
}

static bool are_constant(struct engine *engine)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    return engine_prepare(engine, "SELECT 1 FROM rules_meta WHERE key = 'once_filled'", &select,
                          NULL) == 0 &&
           sqlite3_step(select) == SQLITE_ROW;
}

int once_list(struct engine *engine, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    if (engine->once_ready)
        return 0;
    bool constant = are_constant(engine), all_known = true;
    int code = engine_prepare(
        engine, "SELECT name, query, facts, matrix, is_empty FROM once_view ORDER BY rowid",
        &select, err);
    size_t capacity = 0;
    while (!code && sqlite3_step(select) == SQLITE_ROW) {
        size_t i = engine->once_count++;
        engine->once = xgrow(engine->once, &capacity, i + 1, sizeof *engine->once);
        struct once *once = engine->once[i] = xcalloc(1, sizeof *once);
        once->known.table = text_of(engine, select, 0);
        once->query = text_of(engine, select, 1);
        once->is_constant = constant;
        once->is_empty = constant && sqlite3_column_int(select, 4) == 1;
        if (sqlite3_column_type(select, 2) == SQLITE_NULL) {
            all_known = false;
        } else {
            reads_read(&once->known.reads, (const char *)sqlite3_column_text(select, 2),
                       (const char *)sqlite3_column_text(select, 3));
        }
        engine->guard.known = xgrow(engine->guard.known, &engine->guard.known_capacity, i + 1,
                                    sizeof *engine->guard.known);
        engine->guard.known[i] = &once->known;
        engine->guard.known_count = i + 1;
    }
    if (!code && !all_known)
        code = find_reads(engine, err);
    engine->once_changes = sqlite3_total_changes(engine->db);
    engine->once_ready = !code;
    if (code)
        once_done(engine);
    return code;
}

int once_learn(struct engine *engine, struct error *err)
{
    once_done(engine);
    int code = engine_exec(engine,
                           "UPDATE once_view SET facts = NULL, matrix = NULL;"
                           "DELETE FROM rules_meta WHERE key = 'once_filled'",
                           err);
    if (!code)
        code = once_list(engine, err);
    for (size_t i = 0; !code && i < engine->once_count; i++) {
        CLEANUP_TEXT struct text facts = {0};
        CLEANUP_TEXT struct text matrix = {0};
        const struct known_reads *known = &engine->once[i]->known;
        reads_write(&known->reads, &facts, &matrix);
        code = run_bound(engine, "UPDATE once_view SET facts = ?2, matrix = ?3 WHERE name = ?1",
                         (const char *[]){known->table, text_get(&facts), text_get(&matrix), NULL},
                         err);
    }
    return code;
}

/* --- filling --- */

static int fill(struct engine *engine, struct once *once, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    int rc = SQLITE_OK;
    guard_limit(&engine->guard, RULE_STEPS_MAX, RULE_MS_MAX);
    if (!once->is_empty) {
        text_printf(&sql, "DELETE FROM \"%s\"", once->known.table);
        rc = sqlite3_exec(engine->db, text_get(&sql), NULL, NULL, NULL);
    }
    once->is_constant = once->is_empty = false;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(once->fill);
    int code = rc == SQLITE_DONE ? 0
                                 : error_set(err, -EIO, "view %s: %s", once->known.table,
                                             guard_reason(&engine->guard, engine->db));
    sqlite3_reset(once->fill);
    guard_unlimit(&engine->guard);
    engine->once_changes = sqlite3_total_changes(engine->db);
    return code;
}

static bool has_no_facts(struct engine *engine, const struct reads *reads)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (reads->facts[i] && !facts_is_empty(engine->facts, (enum table_id)i))
            return false;
    return true;
}

/* As deep as views read each other. */
static int need(struct engine *engine, struct once *once, struct error *err)
{
    struct error reason;
    int code;
    if (once->state == ONCE_FILLED)
        return 0;
    if (once->state == ONCE_FAILED)
        return error_set(err, -EIO, "%s", once->failure);
    if (once->state == ONCE_FILLING)
        return error_set(err, -ELOOP, "view %s: it reads itself", once->known.table);
    if (once->is_constant && has_no_facts(engine, &once->known.reads)) {
        once->state = ONCE_FILLED;
        return 0;
    }
    once->state = ONCE_FILLING;
    code = prepare_fill(engine, once, &reason);
    for (size_t i = 0; !code && i < once->known.reads.known_count; i++)
        code = need(engine, engine->once[once->known.reads.known[i]], &reason);
    if (!code)
        code = fill(engine, once, &reason);
    once->state = code ? ONCE_FAILED : ONCE_FILLED;
    if (!code)
        return 0;
    once->failure = arena_strdup(&engine->arena, reason.text);
    return error_set(err, code, "%s", reason.text);
}

/* Rows that came or went since, whoever did it, make all of them stale. */
static int start(struct engine *engine, struct error *err)
{
    int code = once_list(engine, err);
    if (code || engine->once_changes == sqlite3_total_changes(engine->db))
        return code;
    for (size_t i = 0; i < engine->once_count; i++)
        engine->once[i]->state = ONCE_STALE;
    engine->once_changes = sqlite3_total_changes(engine->db);
    return 0;
}

int once_need(struct engine *engine, const struct reads *reads, struct error *err)
{
    if (!reads->known_count)
        return 0;
    int code = start(engine, err);
    for (size_t i = 0; !code && i < reads->known_count; i++)
        code = need(engine, engine->once[reads->known[i]], err);
    return code;
}

static int note_empty(struct engine *engine, const struct once *once, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    const char *table = once->known.table;
    text_printf(&sql,
                "UPDATE once_view SET is_empty = NOT EXISTS (SELECT 1 FROM \"%s\")"
                " WHERE name = '%s'",
                table, table);
    return engine_exec(engine, text_get(&sql), err);
}

int once_fill_constant(struct engine *engine, struct error *err)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (!facts_is_empty(engine->facts, (enum table_id)i))
            return 0;
    int code = start(engine, err);
    for (size_t i = 0; !code && i < engine->once_count; i++) {
        engine->once[i]->state = ONCE_STALE;
        code = need(engine, engine->once[i], err);
        if (!code)
            code = note_empty(engine, engine->once[i], err);
    }
    return code ? code
                : engine_exec(engine,
                              "INSERT OR REPLACE INTO rules_meta VALUES ('once_filled', '1')", err);
}

void once_warm_up(struct engine *engine, const struct reads *reads)
{
    struct error ignored; /* once_need() meets the same error and tells it */
    for (size_t i = 0; i < reads->known_count; i++) {
        struct once *once = engine->once[reads->known[i]];
        if (once->fill || (once->is_constant && has_no_facts(engine, &once->known.reads)))
            continue;
        if (prepare_fill(engine, once, &ignored) == 0)
            once_warm_up(engine, &once->known.reads);
    }
}

void once_done(struct engine *engine)
{
    for (size_t i = 0; i < engine->once_count; i++) {
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
