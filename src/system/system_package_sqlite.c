/* rpmdb.sqlite, RPM's database since 4.16. SQLite opens it read-only and for good unchanging, so
 * that no lock is taken and no journal looked for, and from the descriptor that the machine gave.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "facts/facts.h"
#include "parse/rpm_header.h"
#include "probe/look.h"
#include "system/system_package.h"

/* Work that a query may do, in thousands of SQLite's steps: a database of 20,000 packages needs
 * some hundred thousand steps. */
enum { STEPS = 1000, STEPS_MAX = 20 * 1000, ROW_MAX = 64 * 1024 * 1024 };

static void cleanup_database(sqlite3 **db)
{
    sqlite3_close(*db);
}

static void cleanup_blob(sqlite3_blob **blob)
{
    sqlite3_blob_close(*blob);
}

static int count_down(void *left)
{
    return --*(int *)left < 0;
}

/* SQLite's result code. `left` is counted down while it works, and must live as long. */
static int open_database(int fd, int *left, sqlite3 **ret)
{
    char name[64];
    snprintf(name, sizeof name, "file:/proc/self/fd/%d?immutable=1", fd);
    int code = sqlite3_open_v2(
        name, ret, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_progress_handler(*ret, STEPS, count_down, left);
    sqlite3_db_config(*ret, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(*ret, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(*ret, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(*ret, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(*ret, SQLITE_LIMIT_LENGTH, ROW_MAX);
    /* a damaged file must be told, and must not be mapped: it may shrink */
    return sqlite3_exec(*ret, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1", NULL, NULL, NULL);
}

/* The header's first bytes alone: those of a toolkit list thousands of files. */
static bool read_package(struct probe_context *context, sqlite3 *db, sqlite3_int64 number,
                         const char *path)
{
    CLEANUP(cleanup_blob) sqlite3_blob *blob = NULL;
    char head[RPM_HEADER_HEAD];
    if (sqlite3_blob_open(db, "main", "Packages", "blob", number, 0, &blob) != SQLITE_OK)
        return false;
    int size = sqlite3_blob_bytes(blob);
    size = size < (int)sizeof head ? size : (int)sizeof head;
    return sqlite3_blob_read(blob, head, size, 0) == SQLITE_OK &&
           system_package_rpm_header(context, path, head, (size_t)size);
}

struct outcome {
    size_t packages, bad;
    int code; /* SQLite's */
};

static void read_names(struct probe_context *context, sqlite3 *db, const char *path,
                       struct outcome *ret)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = NULL;
    ret->code = sqlite3_prepare_v2(db, "SELECT key, hnum FROM Name", -1, &query, NULL);
    if (ret->code != SQLITE_OK)
        return;
    while ((ret->code = sqlite3_step(query)) == SQLITE_ROW && ret->packages < PACKAGES_MAX) {
        const char *name = (const char *)sqlite3_column_text(query, 0);
        struct span span = {name, name ? (size_t)sqlite3_column_bytes(query, 0) : 0};
        ret->packages++;
        if (gpu_package_kind(span) &&
            !read_package(context, db, sqlite3_column_int64(query, 1), path))
            ret->bad++;
    }
}

/* Sentence, or NULL where all is well. */
static const char *problem(const struct outcome *outcome)
{
    if (outcome->code == SQLITE_ROW)
        return "it has more packages than were read";
    if (outcome->code == SQLITE_INTERRUPT)
        return "reading it took too long";
    if (outcome->code != SQLITE_DONE)
        return sqlite3_errstr(outcome->code);
    if (!outcome->packages)
        return "it lists no package";
    return outcome->bad ? "some of its packages could not be read" : NULL;
}

void system_package_rpm_sqlite(struct probe_context *context, const char *path)
{
    CLEANUP_CLOSE int fd = -1;
    int code = machine_open(context->machine, path, &fd);
    if (code < 0) {
        probe_note(context, "system_package", NULL, path, code, "system_package", NULL);
        return;
    }
    int left = STEPS_MAX;
    CLEANUP(cleanup_database) sqlite3 *db = NULL;
    struct outcome outcome = {.code = open_database(fd, &left, &db)};
    if (outcome.code == SQLITE_OK)
        read_names(context, db, path, &outcome);
    const char *wrong = problem(&outcome);
    struct file_stat journal;
    const char *beside = arena_printf(context->arena, "%s-wal", path);
    if (!wrong && machine_stat(context->machine, beside, &journal) == 0 && journal.size)
        probe_note_status(context, "system_package", NULL, path, "ok", "system_package",
                          "changes that are under way (rpmdb.sqlite-wal) are not read");
    else
        probe_note_status(context, "system_package", NULL, path, wrong ? "malformed" : "ok",
                          "system_package", wrong);
}
