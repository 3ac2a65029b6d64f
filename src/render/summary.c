#include "render/summary.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

struct reader {
    struct engine *engine;
    struct arena *arena;
    struct summary *out;
    int code;
    struct error *err;
};

static const char *text_at(struct reader *reader, sqlite3_stmt *row, int column)
{
    return facts_text(row, column, reader->arena);
}

static int64_t number_at(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(row, column);
}

static void each_row(struct reader *reader, const char *sql,
                     void (*take)(struct reader *, sqlite3_stmt *))
{
    sqlite3_stmt *select = NULL;
    struct error reason;
    int rc, code = engine_prepare_read(reader->engine, sql, &select, &reason);
    if (code == 0) {
        while ((rc = sqlite3_step(select)) == SQLITE_ROW)
            take(reader, select);
        if (rc != SQLITE_DONE)
            code = error_set(&reason, -EIO, "%s", sqlite3_errmsg(engine_db(reader->engine)));
    }
    if (code && reader->code == 0)
        reader->code = error_set(reader->err, code, "cannot read the summary: %s", reason.text);
    sqlite3_finalize(select);
}

static void take_machine(struct reader *reader, sqlite3_stmt *row)
{
    struct summary *s = reader->out;
    s->kind = text_at(reader, row, 0);
    s->os = text_at(reader, row, 1);
    s->kernel = text_at(reader, row, 2);
    s->arch = text_at(reader, row, 3);
    s->wsl = number_at(row, 4);
    s->container = text_at(reader, row, 5);
    s->driver = text_at(reader, row, 6);
    s->cuda = text_at(reader, row, 7);
    s->installed_driver = text_at(reader, row, 8);
}

/* Adds one to an arena array, which doubles where its count is a power of two; old copies stay in
 * the arena until it is done. */
static void *push(struct arena *arena, void *array, size_t *count, size_t size)
{
    size_t have = (*count)++;
    if (have & (have - 1))
        return array;
    void *bigger = arena_alloc(arena, (have ? 2 * have : 1) * size);
    if (have)
        memcpy(bigger, array, have * size);
    return bigger;
}

static void take_gpu(struct reader *reader, sqlite3_stmt *row)
{
    struct summary *s = reader->out;
    s->gpus = push(reader->arena, s->gpus, &s->gpu_count, sizeof *s->gpus);
    s->gpus[s->gpu_count - 1] =
        (struct summary_gpu){text_at(reader, row, 0), text_at(reader, row, 1),
                             text_at(reader, row, 2), number_at(row, 3)};
}

static void take_environment(struct reader *reader, sqlite3_stmt *row)
{
    struct summary *s = reader->out;
    s->environments =
        push(reader->arena, s->environments, &s->environment_count, sizeof *s->environments);
    s->environments[s->environment_count - 1] = (struct summary_environment){
        text_at(reader, row, 0), text_at(reader, row, 1), text_at(reader, row, 2),
        text_at(reader, row, 3), number_at(row, 4),       text_at(reader, row, 5)};
}

static void take_unread(struct reader *reader, sqlite3_stmt *row)
{
    struct summary *s = reader->out;
    s->unread = push(reader->arena, s->unread, &s->unread_shown, sizeof *s->unread);
    s->unread[s->unread_shown - 1] = (struct summary_unread){
        text_at(reader, row, 0), text_at(reader, row, 1), text_at(reader, row, 2)};
}

static void take_counts(struct reader *reader, sqlite3_stmt *row)
{
    reader->out->listed_count = (size_t)sqlite3_column_int64(row, 0);
    reader->out->framework_count = (size_t)sqlite3_column_int64(row, 1);
    reader->out->unread_count = (size_t)sqlite3_column_int64(row, 2);
}

/* What NVML said is judged by rules of its own. */
#define UNREAD \
    " FROM probe WHERE status IN ('denied', 'malformed', 'timeout') AND path IS NOT NULL" \
    " AND name <> 'nvml' GROUP BY path, status, detail"

int summary_read(struct engine *engine, struct arena *arena, struct summary *ret, struct error *err)
{
    *ret = (struct summary){.wsl = -1};
    struct reader reader = {engine, arena, ret, 0, err};
    each_row(&reader,
             "SELECT kind, os, kernel, arch, wsl, container, driver, cuda, installed_driver FROM "
             "machine_summary",
             take_machine);
    each_row(&reader,
             "SELECT name, cc, pci_address, memory_mib FROM merged_gpu ORDER BY gpu_index, gpu_id",
             take_gpu);
    each_row(&reader,
             "SELECT e.prefix, e.kind, e.manager, e.python, e.active,"
             " (SELECT group_concat(name || coalesce(' ' || version, ''), ', ')"
             "    FROM framework f WHERE f.environment_id = e.environment_id)"
             " FROM environment e WHERE e.depth = 'read' ORDER BY e.active DESC, e.prefix",
             take_environment);
    each_row(&reader, "SELECT path, status, detail" UNREAD " ORDER BY min(rowid) LIMIT 12",
             take_unread);
    each_row(&reader,
             "SELECT (SELECT count(*) FROM environment WHERE depth <> 'read'),"
             " (SELECT count(*) FROM framework), (SELECT count(*) FROM (SELECT 1" UNREAD "))",
             take_counts);
    return reader.code;
}
