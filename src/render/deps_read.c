/* Rows of a process, tied together by their paths. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "render/deps.h"

enum { ROWS_MAX = 200 * 1000 }; /* of a snapshot; the loader's own limit is far below */

struct reader {
    struct facts *facts;
    const char *process;
    struct arena *arena;
    struct error *err;
};

typedef void (*take_row)(const struct reader *reader, sqlite3_stmt *row, void *item);

static const char *text_at(const struct reader *reader, sqlite3_stmt *row, int at)
{
    return facts_text(row, at, reader->arena);
}

static int number_at(sqlite3_stmt *row, int at)
{
    return sqlite3_column_type(row, at) == SQLITE_NULL ? DEPS_NONE
                                                       : sqlite3_column_int(row, at) != 0;
}

/* Reads all rows of a query, whose only parameter is the process, into an array of the arena. */
static int read_rows(const struct reader *reader, const char *sql, size_t size, take_row take,
                     void *ret, size_t *ret_count)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(reader->facts, sql);
    CLEANUP_FREE char *items = NULL;
    size_t capacity = 0, count = 0;
    int rc = SQLITE_ERROR;
    if (query && sqlite3_bind_parameter_count(query))
        sqlite3_bind_text(query, 1, reader->process, -1, SQLITE_STATIC);
    while (query && (rc = sqlite3_step(query)) == SQLITE_ROW && count < ROWS_MAX) {
        items = xgrow(items, &capacity, count + 1, size);
        memset(items + count * size, 0, size);
        take(reader, query, items + count++ * size);
    }
    if (rc == SQLITE_ROW)
        return error_set(reader->err, -EFBIG, "more than %d rows of one process", ROWS_MAX);
    if (rc != SQLITE_DONE)
        return error_set(reader->err, -EIO, "%s", sqlite3_errmsg(facts_db(reader->facts)));
    void *copy = arena_alloc(reader->arena, (count + 1) * size);
    if (count)
        memcpy(copy, items, count * size);
    memcpy(ret, &copy, sizeof copy);
    *ret_count = count;
    return 0;
}

static void take_process(const struct reader *r, sqlite3_stmt *row, void *item)
{
    *(struct deps_process *)item = (struct deps_process){
        .id = text_at(r, row, 0),
        .environment = text_at(r, row, 1),
        .framework = text_at(r, row, 2),
        .title = text_at(r, row, 3),
        .version = text_at(r, row, 4),
        .program = text_at(r, row, 5),
        .library_path = text_at(r, row, 6),
        .preload = text_at(r, row, 7),
        .outcome = text_at(r, row, 8),
        .error = text_at(r, row, 9),
        .objects =
            sqlite3_column_type(row, 10) == SQLITE_NULL ? DEPS_NONE : sqlite3_column_int(row, 10),
    };
}

static void take_object(const struct reader *r, sqlite3_stmt *row, void *item)
{
    *(struct deps_object *)item = (struct deps_object){
        .path = text_at(r, row, 0),
        .soname = text_at(r, row, 1),
        .family = text_at(r, row, 2),
        .loaded_by = text_at(r, row, 3),
        .how = text_at(r, row, 4),
        .via = text_at(r, row, 5),
        .via_list = text_at(r, row, 6),
        .via_path = text_at(r, row, 7),
        .real_path = text_at(r, row, 8),
        .version = text_at(r, row, 9),
        .inside = number_at(row, 10),
        .site = text_at(r, row, 11),
        .parent = DEPS_NONE,
        .child = DEPS_NONE,
        .last_child = DEPS_NONE,
        .next = DEPS_NONE,
    };
}

static void take_request(const struct reader *r, sqlite3_stmt *row, void *item)
{
    *(struct deps_request *)item = (struct deps_request){
        .needed_by = text_at(r, row, 0),
        .name = text_at(r, row, 1),
        .how = text_at(r, row, 2),
        .required = number_at(row, 3),
        .found_path = text_at(r, row, 4),
        .via = text_at(r, row, 5),
        .family = text_at(r, row, 6),
        .trail = text_at(r, row, 7),
        .error = text_at(r, row, 8),
        .requester = DEPS_NONE,
        .object = DEPS_NONE,
        .next = DEPS_NONE,
    };
}

static void take_shadowed(const struct reader *r, sqlite3_stmt *row, void *item)
{
    *(struct deps_shadowed *)item = (struct deps_shadowed){
        .name = text_at(r, row, 0),
        .needed_by = text_at(r, row, 1),
        .path = text_at(r, row, 2),
        .via = text_at(r, row, 3),
        .winner = text_at(r, row, 4),
        .winner_via = text_at(r, row, 5),
        .winner_list = text_at(r, row, 6),
        .family = text_at(r, row, 7),
    };
}

static void take_symbol(const struct reader *r, sqlite3_stmt *row, void *item)
{
    *(struct deps_symbol *)item = (struct deps_symbol){
        .path = text_at(r, row, 0),
        .symbol = text_at(r, row, 1),
        .version = text_at(r, row, 2),
        .provider = text_at(r, row, 3),
        .family = text_at(r, row, 4),
        .fatal = number_at(row, 5),
    };
}

static void take_unread(const struct reader *r, sqlite3_stmt *row, void *item)
{
    *(struct deps_unread *)item = (struct deps_unread){
        .path = text_at(r, row, 0),
        .status = text_at(r, row, 1),
        .detail = text_at(r, row, 2),
    };
}

static const char process_sql[] =
    "SELECT process_id, p.environment_id, f.name, f.title, f.version, program, library_path,"
    " preload, outcome, error, objects FROM process p LEFT JOIN framework f"
    " ON f.framework_id = p.framework_id WHERE process_id = ?1 LIMIT 1";
static const char object_sql[] =
    "SELECT l.path, l.soname, l.family, loaded_by, how, via, via_list, via_path, b.real_path,"
    " coalesce(b.literal_version, b.file_version), b.inside, b.site FROM loaded l LEFT JOIN"
    " (SELECT environment_id, path, min(real_path) AS real_path,"
    "   min(literal_version) AS literal_version, min(file_version) AS file_version,"
    "   max(inside) AS inside, min(site) AS site FROM library GROUP BY environment_id, path) b"
    " ON b.path = l.path AND b.environment_id IS l.environment_id"
    " WHERE process_id = ?1 ORDER BY position, l.rowid";
static const char request_sql[] =
    "SELECT needed_by, name, how, required, found_path, via, family, trail, error FROM resolution"
    " WHERE process_id = ?1 ORDER BY position, rowid";
static const char shadowed_sql[] =
    "SELECT name, needed_by, path, via, winner, winner_via, winner_list, family FROM shadowed"
    " WHERE process_id = ?1 ORDER BY family IS NULL, rowid";
static const char symbol_sql[] = "SELECT path, symbol, version, provider, family, fatal"
                                 " FROM missing_symbol WHERE process_id = ?1 ORDER BY rowid";
static const char unread_sql[] =
    "SELECT path, status, detail FROM probe WHERE name = 'library' AND"
    " status IN ('denied', 'malformed', 'timeout') ORDER BY rowid LIMIT 100";

int deps_read(struct facts *facts, const char *process_id, struct arena *arena, struct deps *ret,
              struct error *err)
{
    struct reader r = {facts, process_id, arena, err};
    struct deps_process *process = NULL;
    size_t count = 0;
    *ret = (struct deps){0};
    int code = read_rows(&r, process_sql, sizeof *process, take_process, &process, &count);
    if (code)
        return code;
    if (!count)
        return error_set(err, -ENOENT, "no process %s", process_id);
    ret->process = *process;
    if ((code = read_rows(&r, object_sql, sizeof *ret->objects, take_object, &ret->objects,
                          &ret->object_count)) ||
        (code = read_rows(&r, request_sql, sizeof *ret->requests, take_request, &ret->requests,
                          &ret->request_count)) ||
        (code = read_rows(&r, shadowed_sql, sizeof *ret->shadowed, take_shadowed, &ret->shadowed,
                          &ret->shadowed_count)) ||
        (code = read_rows(&r, symbol_sql, sizeof *ret->symbols, take_symbol, &ret->symbols,
                          &ret->symbol_count)) ||
        (code = read_rows(&r, unread_sql, sizeof *ret->unread, take_unread, &ret->unread,
                          &ret->unread_count)))
        return code;
    deps_tie(ret, arena);
    return 0;
}

bool deps_is_missing(const struct deps_request *request)
{
    return !request->found_path && !request->is_consequence;
}

bool deps_is_broken(const struct deps *deps)
{
    return text_equal(deps->process.outcome, "fails") || deps->symbol_count;
}
