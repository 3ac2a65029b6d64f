#include "engine/guard.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "engine/sql_text.h"

enum { PROGRESS_STEPS = 1000 };

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
    sqlite3_set_authorizer(db, guard_authorize, guard);
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
    guard->denied[0] = guard->word[0] = '\0';
    for (size_t i = 0; i < GUARD_LAST; i++)
        guard->last[i][0] = '\0';
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
