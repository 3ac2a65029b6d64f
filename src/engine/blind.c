/* Blind is not empty: a table without rows says nothing when a source of it could not be read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/run.h"

static int has_rows(struct engine *engine, const struct table_spec *table, const char *scope,
                    bool *ret, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql, "SELECT 1 FROM \"%s\"%s LIMIT 1", table->name,
                table->per_environment ? " WHERE environment_id = ?1" : "");
    int code = engine_prepare(engine, text_get(&sql), &select, err);
    if (code)
        return code;
    if (table->per_environment)
        sqlite3_bind_text(select, 1, scope, -1, SQLITE_STATIC);
    *ret = sqlite3_step(select) == SQLITE_ROW;
    return 0;
}

struct collector {
    struct engine *engine;
    struct blind *items;
    size_t count, capacity;
};

/* A source about the machine may have failed to fill a table of the machine; one of an
 * environment, that environment's part of a table. */
static int consider(struct collector *c, enum table_id id, const char *scope, const char *reason,
                    struct error *err)
{
    const struct table_spec *table = facts_table(id);
    bool machine = strcmp(scope, "machine") == 0, rows;
    if (id == TABLE_probe || table->per_environment == machine)
        return 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].table == id && strcmp(c->items[i].scope, scope) == 0)
            return 0;
    int code = has_rows(c->engine, table, scope, &rows, err);
    if (code || rows)
        return code;
    c->items = xgrow(c->items, &c->capacity, c->count + 1, sizeof *c->items);
    c->items[c->count++] = (struct blind){id, scope, reason};
    return 0;
}

static int consider_all(struct collector *c, const char *fills, const char *scope,
                        const char *reason, struct error *err)
{
    int code = 0;
    for (const char *at = fills; !code && *(at += strspn(at, " "));) {
        size_t length = strcspn(at, " ");
        for (size_t i = 0; !code && i < TABLE_COUNT; i++) {
            const char *name = facts_table((enum table_id)i)->name;
            if (strlen(name) == length && memcmp(name, at, length) == 0)
                code = consider(c, (enum table_id)i, scope, reason, err);
        }
        at += length;
    }
    return code;
}

int blinds_load(struct engine *engine, struct arena *arena, struct blinds *ret, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    struct collector c = {.engine = engine};
    *ret = (struct blinds){0};
    int code =
        engine_prepare(engine,
                       "SELECT coalesce(scope, 'machine'), fills,"
                       " coalesce(path || ': ' || detail,"
                       " coalesce(detail, path, name, 'a source') || ': ' || status) FROM probe"
                       " WHERE status IN ('denied', 'malformed', 'timeout', 'skipped') AND fills "
                       "IS NOT NULL ORDER BY rowid",
                       &select, err);
    int rc = SQLITE_DONE;
    while (!code && (rc = sqlite3_step(select)) == SQLITE_ROW) {
        char *scope = arena_strdup(arena, (const char *)sqlite3_column_text(select, 0));
        char *reason = arena_strdup(arena, (const char *)sqlite3_column_text(select, 2));
        code = consider_all(&c, (const char *)sqlite3_column_text(select, 1), scope, reason, err);
    }
    if (!code && rc != SQLITE_DONE)
        code = error_set(err, -EIO, "table probe: %s", sqlite3_errmsg(engine->db));
    ret->items = arena_alloc(arena, c.count * sizeof *c.items);
    if (c.count)
        memcpy(ret->items, c.items, c.count * sizeof *c.items);
    ret->count = c.count;
    free(c.items);
    return code;
}

const char *blinds_reason(const struct blinds *blinds, const struct reads *reads, const char *scope)
{
    for (size_t i = 0; i < blinds->count; i++) {
        const struct blind *blind = &blinds->items[i];
        if (reads->facts[blind->table] &&
            (strcmp(blind->scope, "machine") == 0 || strcmp(blind->scope, scope) == 0))
            return blind->reason;
    }
    return NULL;
}
