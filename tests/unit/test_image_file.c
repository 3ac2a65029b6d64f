/* A database on an image that lies in memory: read in place, written beside it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "engine/image_file.h"

static unsigned char *image, *before;
static size_t image_size;

static void run(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, &error), SQLITE_OK, "%s: %s", sql, error);
}

static sqlite3_int64 ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *select = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &select, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(db));
    cr_assert_eq(sqlite3_step(select), SQLITE_ROW);
    sqlite3_int64 number = sqlite3_column_int64(select, 0);
    sqlite3_finalize(select);
    return number;
}

#define ROWS(count) \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " #count \
    ") INSERT INTO t SELECT i, printf('%0500d', i) FROM n"

static void set_up(void)
{
    sqlite3 *db = NULL;
    sqlite3_int64 size = 0;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    run(db, "CREATE TABLE t (a INTEGER, b TEXT)");
    run(db, ROWS(100));
    unsigned char *saved = sqlite3_serialize(db, "main", &size, 0);
    image_size = (size_t)size;
    image = malloc(image_size);
    before = malloc(image_size);
    memcpy(image, saved, image_size);
    memcpy(before, saved, image_size);
    sqlite3_free(saved);
    sqlite3_close(db);
}

static void tear_down(void)
{
    cr_expect_eq(memcmp(image, before, image_size), 0, "the image is never written to");
    free(image);
    free(before);
}

TestSuite(image_file, .init = set_up, .fini = tear_down);

static sqlite3 *start(struct image_file **file)
{
    sqlite3 *db = NULL;
    cr_assert_eq(image_file_open(image, image_size, file, &db), SQLITE_OK);
    run(db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY");
    return db;
}

static void stop(sqlite3 *db, struct image_file *file)
{
    cr_expect_eq(sqlite3_close(db), SQLITE_OK);
    image_file_free(file);
}

Test(image_file, reads_what_is_there)
{
    struct image_file *file = NULL;
    sqlite3 *db = start(&file);
    cr_expect_eq(ask(db, "SELECT count(*) FROM t"), 100);
    cr_expect_eq(ask(db, "SELECT sum(CAST(b AS INTEGER)) FROM t"), 5050);
    stop(db, file);
}

Test(image_file, writes_beside_it)
{
    struct image_file *file = NULL, *other = NULL;
    sqlite3 *db = start(&file), *second = start(&other);
    run(db, "UPDATE t SET a = -a WHERE a % 2");
    run(db, ROWS(3000)); /* past the image's end, and more than a cache holds */
    run(db, "CREATE TABLE u AS SELECT a FROM t");
    cr_expect_eq(ask(db, "SELECT sum(a) FROM u"), 50 + 3000 * 3001 / 2);
    cr_expect_eq(ask(db, "SELECT min(integrity_check = 'ok') FROM pragma_integrity_check"), 1);
    cr_expect_eq(ask(second, "SELECT count(*) FROM t"), 100, "each has its own");
    stop(db, file);
    stop(second, other);
}

Test(image_file, rolls_back)
{
    struct image_file *file = NULL;
    sqlite3 *db = start(&file);
    run(db, "BEGIN");
    run(db, ROWS(3000));
    run(db, "DELETE FROM t WHERE a < 50");
    run(db, "ROLLBACK");
    cr_expect_eq(ask(db, "SELECT count(*) FROM t"), 100);
    cr_expect_eq(ask(db, "SELECT min(integrity_check = 'ok') FROM pragma_integrity_check"), 1);
    stop(db, file);
}

/* What was cut off must not come back. */
Test(image_file, shrinks_and_grows_again)
{
    struct image_file *file = NULL;
    sqlite3 *db = start(&file);
    run(db, "DELETE FROM t WHERE a > 3; PRAGMA temp_store = MEMORY; VACUUM");
    cr_expect_leq(ask(db, "PRAGMA page_count"), 3);
    cr_expect_eq(ask(db, "SELECT count(*) FROM t"), 3);
    run(db, ROWS(200));
    cr_expect_eq(ask(db, "SELECT count(*) FROM t"), 203);
    cr_expect_eq(ask(db, "SELECT min(integrity_check = 'ok') FROM pragma_integrity_check"), 1);
    cr_expect_eq(ask(db, "SELECT count(*) FROM t WHERE b <> printf('%0500d', a)"), 0);
    stop(db, file);
}

Test(image_file, no_other_file_is_opened)
{
    struct image_file *file = NULL;
    sqlite3 *db = start(&file);
    cr_expect_neq(sqlite3_exec(db, "ATTACH 'x' AS x; CREATE TABLE x.y (a)", NULL, NULL, NULL),
                  SQLITE_OK);
    run(db, "PRAGMA journal_mode = DELETE");
    cr_expect_neq(sqlite3_exec(db, "DELETE FROM t", NULL, NULL, NULL), SQLITE_OK,
                  "a journal would be a file");
    stop(db, file);
}

Test(image_file, what_is_no_database_is_refused)
{
    static const char garbage[] = "this is not a database, however long it may be";
    struct image_file *file = NULL;
    sqlite3 *db = NULL;
    cr_assert_eq(image_file_open(garbage, sizeof garbage, &file, &db), SQLITE_OK);
    cr_expect_eq(sqlite3_exec(db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL), SQLITE_NOTADB);
    stop(db, file);
}
