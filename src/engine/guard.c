#include "engine/guard.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/sql_text.h"

enum { PROGRESS_STEPS = 1000 };

/* Functions whose answer depends on their arguments alone. random(), date('now') and the like are
 * not here: the same facts must give the same verdicts. */
static const char *const functions[] = {
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "code_runs",
    "count",
    "cuda_key",
    "cume_dist",
    "cc_key",
    "dense_rank",
    "driver_key",
    "first_value",
    "floor",
    "format",
    "glob",
    "glibc_key",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_type",
    "json_valid",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "lower",
    "ltrim",
    "max",
    "min",
    "nth_value",
    "ntile",
    "nullif",
    "pep440_cmp",
    "pep440_match",
    "percent_rank",
    "printf",
    "quote",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "typeof",
    "unicode",
    "unlikely",
    "upper",
    "->",
    "->>",
};

static int deny(struct guard *guard, const char *word, const char *format, const char *what)
{
    if (!guard->denied[0]) {
        snprintf(guard->denied, sizeof guard->denied, format, what);
        snprintf(guard->word, sizeof guard->word, "%s", word ? word : "");
    }
    return SQLITE_DENY;
}

static int allow_function(struct guard *guard, const char *name)
{
    for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
        if (strcasecmp(functions[i], name) == 0)
            return SQLITE_OK;
    return deny(guard, name, "the function %.60s() is not allowed here", name ? name : "?");
}

static void copy_name(char *to, size_t size, const char *name)
{
    size_t length = strnlen(name, size - 1);
    memcpy(to, name, length);
    to[length] = '\0';
}

static void note_known(struct reads *reads, size_t place)
{
    for (size_t i = 0; i < reads->known_count; i++)
        if (reads->known[i] == place)
            return;
    reads->known =
        xgrow(reads->known, &reads->known_capacity, reads->known_count + 1, sizeof *reads->known);
    reads->known[reads->known_count++] = place;
}

/* Most names differ in their first letter. */
static bool same_name(const char *ours, const char *name)
{
    return ((ours[0] ^ name[0]) & ~0x20) == 0 && strcasecmp(ours, name) == 0;
}

static void note_table(struct guard *guard, const char *table)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (same_name(facts_table((enum table_id)i)->name, table))
            guard->reads->facts[i] = true;
    for (size_t i = 0; i < guard->known_count; i++)
        if (same_name(guard->known[i]->table, table)) {
            note_known(guard->reads, i);
            reads_add(guard->reads, &guard->known[i]->reads);
        }
}

/* A name that is no table of ours is a common table expression or a subquery: a table that does
 * not exist is an error of its own. */
static int allow_read(struct guard *guard, const char *table, const char *column)
{
    if (!table)
        return SQLITE_OK;
    if (strncasecmp(table, "sqlite_", 7) == 0 || strncasecmp(table, "pragma_", 7) == 0)
        return deny(guard, table, "%.60s may not be read here", table);
    if (!guard->reads)
        return SQLITE_OK;
    if (strncasecmp(table, "m_", 2) == 0)
        reads_add_matrix(guard->reads, table, column);
    if (strcmp(table, guard->last) != 0) {
        note_table(guard, table);
        copy_name(guard->last, sizeof guard->last, table);
    }
    return SQLITE_OK;
}

static const char *action_name(int action)
{
    switch (action) {
    case SQLITE_INSERT:
        return "INSERT";
    case SQLITE_UPDATE:
        return "UPDATE";
    case SQLITE_DELETE:
        return "DELETE";
    case SQLITE_ATTACH:
        return "ATTACH";
    case SQLITE_DETACH:
        return "DETACH";
    case SQLITE_PRAGMA:
        return "PRAGMA";
    case SQLITE_TRANSACTION:
        return "a transaction";
    case SQLITE_SAVEPOINT:
        return "SAVEPOINT";
    case SQLITE_REINDEX:
        return "REINDEX";
    case SQLITE_ANALYZE:
        return "ANALYZE";
    case SQLITE_ALTER_TABLE:
        return "ALTER";
    case SQLITE_CREATE_VTABLE:
        return "a virtual table";
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_VTABLE:
        return "DROP";
    default:
        return "CREATE";
    }
}

static bool is_schema_table(const char *name)
{
    return name && (strcmp(name, "sqlite_master") == 0 || strcmp(name, "sqlite_schema") == 0);
}

static int authorize(void *context, int action, const char *a, const char *b, const char *database,
                     const char *inner)
{
    struct guard *guard = context;
    (void)database;
    (void)inner;
    if (guard->mode == GUARD_OPEN)
        return SQLITE_OK;
    if (guard->mode == GUARD_VIEW &&
        (action == SQLITE_CREATE_VIEW ||
         ((action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_READ) &&
          is_schema_table(a))))
        return SQLITE_OK;
    if (guard->mode == GUARD_FILL && action == SQLITE_INSERT)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        return allow_read(guard, a, b);
    case SQLITE_FUNCTION:
        return allow_function(guard, b);
    default:
        return deny(guard, NULL, "only reading is allowed: %s is refused",
                    is_schema_table(a) ? "a change of the schema" : action_name(action));
    }
}

/* Of the processor: a query waits for nothing, and a machine that is busy must not change a
 * verdict. */
static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int progress(void *context)
{
    struct guard *guard = context;
    if (guard->steps_left) {
        guard->steps_left -= PROGRESS_STEPS;
        if (guard->steps_left <= 0) {
            guard->steps_left = 1;
            guard->stopped = "it was stopped: it takes too many steps";
            return 1;
        }
    }
    if (guard->deadline_ns && now_ns() > guard->deadline_ns) {
        guard->stopped = "it was stopped: it takes too long";
        return 1;
    }
    return 0;
}

void guard_install(struct guard *guard, sqlite3 *db)
{
    sqlite3_set_authorizer(db, authorize, guard);
    sqlite3_progress_handler(db, PROGRESS_STEPS, progress, guard);
}

void guard_limit(struct guard *guard, int64_t steps, int64_t ms)
{
    guard->steps_left = steps;
    guard->deadline_ns = ms ? now_ns() + ms * 1000000 : 0;
    guard->stopped = NULL;
}

void guard_unlimit(struct guard *guard)
{
    guard->steps_left = guard->deadline_ns = 0;
}

const char *guard_reason(const struct guard *guard, sqlite3 *db)
{
    return guard->stopped ? guard->stopped : sqlite3_errmsg(db);
}

static int word_offset(const char *sql, const char *word)
{
    const char *at = *word ? strcasestr(sql, word) : NULL;
    return at ? (int)(at - sql) : -1;
}

/* SQLite tells the place of most mistakes, but not of a table that it does not know. */
static int mistake_offset(sqlite3 *db, const char *sql)
{
    static const char no_table[] = "no such table: ";
    int offset = sqlite3_error_offset(db);
    const char *sentence = sqlite3_errmsg(db);
    if (offset < 0 && text_starts(sentence, no_table))
        offset = word_offset(sql, sentence + sizeof no_table - 1);
    return offset;
}

int guard_prepare(struct guard *guard, sqlite3 *db, enum guard_mode mode, const char *sql,
                  struct reads *reads, sqlite3_stmt **ret, int *ret_offset, struct error *err)
{
    const char *tail = NULL;
    sqlite3_stmt *statement = NULL;
    guard->mode = mode;
    guard->reads = reads;
    guard->denied[0] = guard->word[0] = guard->last[0] = '\0';
    int rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, &tail);
    guard->mode = GUARD_OPEN;
    guard->reads = NULL;
    *ret_offset = -1;
    if (rc != SQLITE_OK) {
        if (guard->denied[0]) {
            *ret_offset = word_offset(sql, guard->word);
            return error_set(err, -EPERM, "%s", guard->denied);
        }
        *ret_offset = mistake_offset(db, sql);
        return error_set(err, -EINVAL, "%s", sqlite3_errmsg(db));
    }
    if (!statement)
        return error_set(err, -EINVAL, "there is no statement");
    tail = sql_skip_space(tail, ";");
    if (*tail) {
        sqlite3_finalize(statement);
        *ret_offset = (int)(tail - sql);
        return error_set(err, -EINVAL, "only one statement is allowed");
    }
    if (mode == GUARD_QUERY && !sqlite3_stmt_readonly(statement)) {
        sqlite3_finalize(statement);
        return error_set(err, -EPERM, "only reading is allowed");
    }
    *ret = statement;
    return 0;
}
