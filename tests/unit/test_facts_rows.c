/* Rows of lazy tables: kept until a statement names the table, and read as structs either way. */
#include <criterion/criterion.h>
#include <errno.h>

#include "base/text.h"
#include "facts/facts.h"

static sqlite3 *db;
static struct facts *facts;
static struct arena arena;

static void set_up(void)
{
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    facts = facts_open_lazy(db);
}

static void tear_down(void)
{
    arena_done(&arena);
    facts_free(facts);
    sqlite3_close(db);
}

TestSuite(facts_rows, .init = set_up, .fini = tear_down);

static void facts_freep(struct facts **own)
{
    facts_free(*own);
}

static void add(const char *process, int64_t position, const char *path)
{
    facts_add_loaded(facts, &(struct row_loaded){
                                .process_id = process, .position = known(position), .path = path});
}

static const struct row_loaded *rows_of(const char *process, size_t expected)
{
    const void *rows;
    size_t count;
    struct error err = {0};
    cr_assert_eq(
        facts_rows(facts, TABLE_loaded, "process_id", process, &arena, &rows, &count, &err), 0,
        "%s", err.text);
    cr_assert_eq(count, expected, "%zu", count);
    return rows;
}

static void fill(void)
{
    add("a", 2, "/x");
    add(NULL, 1, "/y");
    add("b", 0, "/x");
    add("a", 3, "/\xff");
    add("a", 4, NULL);
}

static void expect_filled(void)
{
    const struct row_loaded *rows = rows_of("a", 3);
    cr_expect_str_eq(rows[0].path, "/x");
    cr_expect_eq(rows[0].position.value, 2);
    cr_expect_str_eq(rows[1].path, "/\xff"); /* as a path it is opened */
    cr_expect_null(rows[2].path);
    cr_expect(rows[2].position.known && rows[2].position.value == 4);
    cr_expect_not(rows[2].soname);
    cr_expect_str_eq(rows_of(NULL, 1)->path, "/y");
    cr_expect_null(rows_of("c", 0));
}

/* How many rows SQLite sees; the statement makes the table. */
static int count_by_statement(void)
{
    sqlite3_stmt *query = facts_query(facts, "SELECT count(*) FROM loaded");
    cr_assert_not_null(query);
    cr_assert_eq(sqlite3_step(query), SQLITE_ROW);
    int count = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    return count;
}

Test(facts_rows, are_the_same_in_memory_and_in_the_table)
{
    fill();
    expect_filled();
    cr_expect_not(facts_is_made(facts, TABLE_loaded));
    cr_expect_eq(count_by_statement(), 5);
    cr_expect(facts_is_made(facts, TABLE_loaded));
    expect_filled();
    add("b", 9, "/later");
    cr_expect_eq(count_by_statement(), 6);
    cr_expect_str_eq(rows_of("b", 2)[1].path, "/later");
    cr_expect_eq(sqlite3_get_autocommit(db), 1);
}

/* A transaction that is under way is not ended. */
Test(facts_rows, are_put_into_the_transaction_at_hand)
{
    fill();
    cr_assert_eq(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    cr_expect_eq(count_by_statement(), 5);
    cr_expect_eq(sqlite3_get_autocommit(db), 0);
    cr_assert_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    expect_filled();
}

Test(facts_rows, versions_have_their_keys)
{
    facts_add_library(facts, &(struct row_library){.path = "/a", .file_version = "9.5.1"});
    sqlite3_stmt *query =
        facts_query(facts, "SELECT file_version, file_version_key IS NOT NULL FROM library");
    cr_assert_not_null(query);
    cr_assert_eq(sqlite3_step(query), SQLITE_ROW);
    cr_expect_str_eq((const char *)sqlite3_column_text(query, 0), "9.5.1");
    cr_expect_eq(sqlite3_column_int(query, 1), 1);
    sqlite3_finalize(query);
}

Test(facts_rows, all_and_none)
{
    const void *rows;
    size_t count;
    struct error err = {0};
    cr_expect_eq(facts_rows(facts, TABLE_loaded, NULL, NULL, &arena, &rows, &count, &err), 0);
    cr_expect_eq(count, 0);
    cr_expect_null(rows);
    fill();
    cr_expect_eq(facts_rows(facts, TABLE_loaded, NULL, NULL, &arena, &rows, &count, &err), 0);
    cr_expect_eq(count, 5);
    cr_expect_eq(facts_clear(facts, TABLE_loaded, &err), 0);
    cr_expect(facts_is_empty(facts, TABLE_loaded));
    cr_expect_eq(facts_rows(facts, TABLE_loaded, NULL, NULL, &arena, &rows, &count, &err), 0);
    cr_expect_eq(count, 0);
    cr_expect_eq(count_by_statement(), 0);
}

Test(facts_rows, only_text_is_asked_for)
{
    const void *rows;
    size_t count;
    struct error err = {0};
    cr_expect_eq(facts_rows(facts, TABLE_loaded, "position", "1", &arena, &rows, &count, &err),
                 -EINVAL);
    cr_expect_eq(facts_rows(facts, TABLE_loaded, "no", "1", &arena, &rows, &count, &err), -EINVAL);
    cr_expect_str_eq(err.text, "loaded has no text column no");
}

Test(facts_rows, limits_count_what_is_kept)
{
    facts_set_limits(facts, 2, 1024 * 1024);
    fill();
    cr_expect(facts_is_cut(facts, TABLE_loaded));
    rows_of("a", 1);
    cr_expect_eq(count_by_statement(), 2);
}

/* A snapshot has what was kept. */
Test(facts_rows, are_told_as_json)
{
    struct error err = {0};
    fill();
    json_t *rows = facts_table_json(facts, facts_table(TABLE_loaded), &err);
    cr_assert_not_null(rows, "%s", err.text);
    cr_expect_eq(json_array_size(rows), 5);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(rows, 3), "path")), "/\\xff");
    json_decref(rows);
}

/* What no JSON can hold comes back as it was, and so does what looks like its escape. */
Test(facts_rows, are_the_same_after_a_snapshot)
{
    static const char *const paths[] = {"/e\xff",      "/e\\xff",     "/e\\x5cxff",
                                        "/\n\x1b\"\\", "/\u00e9\xc3", "/\\x41\\x"};
    struct error err = {0};
    sqlite3 *other_db;
    struct facts *other;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        add("a", (int64_t)i, paths[i]);
    json_t *snapshot = facts_to_json(facts, "1", "1", &err);
    cr_assert_not_null(snapshot, "%s", err.text);
    cr_assert_eq(sqlite3_open(":memory:", &other_db), SQLITE_OK);
    cr_assert_eq(facts_open(other_db, &other, &err), 0, "%s", err.text);
    cr_assert_eq(facts_from_json(other, snapshot, &err), 0, "%s", err.text);
    const void *rows;
    size_t count;
    cr_assert_eq(facts_rows(other, TABLE_loaded, NULL, NULL, &arena, &rows, &count, &err), 0);
    cr_assert_eq(count, sizeof paths / sizeof *paths);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(((const struct row_loaded *)rows)[i].path, paths[i]);
    json_decref(snapshot);
    facts_free(other);
    sqlite3_close(other_db);
}

static void add_package(const char *version)
{
    facts_add_package(facts, &(struct row_package){.environment_id = "/v", .version = version});
}

static size_t rows_in(enum table_id id)
{
    const void *rows;
    size_t count;
    struct error err = {0};
    cr_assert_eq(facts_rows(facts, id, NULL, NULL, &arena, &rows, &count, &err), 0);
    return count;
}

/* Tables of environments that are full leave room for others, and for those of the machine. */
Test(facts_rows, a_full_table_leaves_room)
{
    facts_set_limits(facts, 1000 * 1000, 64 * 1024);
    for (int i = 0; i < 1000; i++)
        add_package("1");
    for (int i = 0; i < 1000; i++)
        facts_add_requirement(facts, &(struct row_requirement){.environment_id = "/v"});
    cr_expect(facts_is_cut(facts, TABLE_package) && facts_is_cut(facts, TABLE_requirement));
    for (int i = 0; i < 8; i++)
        facts_add_framework(facts, &(struct row_framework){.name = "torch"});
    for (int i = 0; i < 16; i++)
        facts_add_gpu(facts, &(struct row_gpu){.name = "NVIDIA"});
    cr_expect_eq(rows_in(TABLE_framework), 8);
    cr_expect_eq(rows_in(TABLE_gpu), 16);
}

/* A snapshot takes no more bytes than were allowed, however its text is escaped. */
Test(facts_rows, limits_count_what_a_snapshot_takes)
{
    static const char *const versions[] = {"\x01\x02\x03\x04\x05\x06\x07\x08",
                                           "\xff\xfe\xfd\xff\xfe\xfd",
                                           "\\xff\\xff\\xff",
                                           "\"\"\"\"\"\"",
                                           "\u00e9\u4e2d\U0001f600",
                                           ""};
    enum { BYTES = 256 * 1024 };
    struct error err = {0};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        CLEANUP(facts_freep) struct facts *own = facts_open_lazy(db);
        CLEANUP_TEXT struct text version = {0};
        for (int n = 0; n < 100; n++)
            text_add(&version, versions[i]);
        facts_set_limits(own, 1000 * 1000, BYTES);
        while (!facts_is_cut(own, TABLE_loaded))
            facts_add_loaded(own, &(struct row_loaded){.path = text_get(&version),
                                                       .position = known(INT64_MIN)});
        json_t *rows = facts_table_json(own, facts_table(TABLE_loaded), &err);
        cr_assert_not_null(rows, "%s", err.text);
        size_t size = json_dumpb(rows, NULL, 0, JSON_INDENT(2) | JSON_ENSURE_ASCII);
        size +=
            json_array_size(rows) * 8 * 3; /* deeper in a snapshot: two rows' braces, a column */
        cr_expect_leq(size, BYTES / 2 + 4096, "%zu: %zu", i, size);
        cr_expect_eq(sqlite3_exec(db, "DROP TABLE loaded", NULL, NULL, NULL), SQLITE_OK);
        json_decref(rows);
    }
}
