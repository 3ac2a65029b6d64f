/* Rows of a query as a table and as JSON. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/json_file.h"
#include "render/render.h"

static sqlite3 *db;
static sqlite3_stmt *query;
static struct text out;
static struct error err;

static void set_up(void)
{
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
}

static void tear_down(void)
{
    sqlite3_finalize(query);
    sqlite3_close(db);
    text_done(&out);
}

TestSuite(table, .init = set_up, .fini = tear_down);

static void prepare(const char *sql)
{
    sqlite3_finalize(query);
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(db));
}

static const char *shown(const struct style *style, const char *sql)
{
    size_t rows;
    prepare(sql);
    text_clear(&out);
    cr_assert_eq(render_table(&out, style, query, &rows, &err), 0, "%s", err.text);
    return text_get(&out);
}

static void expect_rows(const char *sql, const char *want)
{
    prepare(sql);
    CLEANUP_JSON json_t *rows = render_rows_json(query, &err);
    CLEANUP_JSON json_t *expected = json_loads(want, 0, NULL);
    cr_assert_not_null(rows, "%s", err.text);
    cr_assert_not_null(expected, "%s", want);
    char *have = json_dumps(rows, 0);
    cr_expect(json_equal(rows, expected), "have %s\nwant %s", have, want);
    free(have);
}

static const struct style utf8 = {.unicode = true}, ascii = {0};

Test(table, columns_line_up)
{
    cr_expect_str_eq(shown(&utf8, "SELECT 'a' AS x, 1 AS long_name, 'end' AS z "
                                  "UNION ALL SELECT 'wider cell', 12345, ''"),
                     "x           long_name  z\n"
                     "a           1          end\n"
                     "wider cell  12345      \n");
}

Test(table, null_is_a_hyphen)
{
    cr_expect_str_eq(shown(&utf8, "SELECT NULL AS a, 1.5 AS b UNION ALL SELECT 'xyz', NULL"),
                     "a    b\n"
                     "-    1.5\n"
                     "xyz  -\n");
    struct style coloured = {.colour = true, .unicode = true};
    cr_expect_str_eq(shown(&coloured, "SELECT NULL AS a, '-' AS b"),
                     "\033[1ma\033[0m  \033[1mb\033[0m\n"
                     "\033[2m-\033[0m  -\n");
}

Test(table, without_rows_there_is_the_head)
{
    size_t rows = 7;
    cr_expect_str_eq(shown(&utf8, "SELECT 1 AS a, 2 AS b WHERE 0"), "a  b\n");
    prepare("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3");
    cr_assert_eq(render_table(&out, &utf8, query, &rows, &err), 0);
    cr_expect_eq(rows, 3);
}

Test(table, wide_and_combining_characters_line_up)
{
    cr_expect_str_eq(shown(&utf8, "SELECT '深度' AS a, 'x' AS b "
                                  "UNION ALL SELECT 'e' || char(0x301), 'x'"),
                     "a     b\n"
                     "深度  x\n"
                     "e\u0301     x\n");
}

Test(table, a_hostile_cell_stays_in_its_row)
{
    cr_expect_str_eq(shown(&utf8, "SELECT 'a' || char(10, 27) || '[2J' AS \"x\ny\", "
                                  "CAST(x'ff' AS TEXT) AS b, 'n' || char(0) || 'm' AS c, "
                                  "char(0x202e) AS d"),
                     "x\\x0ay        b     c       d\n"
                     "a\\x0a\\x1b[2J  \\xff  n\\x00m  \\u{202e}\n");
}

Test(table, escapes_of_an_ascii_locale_line_up)
{
    cr_expect_str_eq(shown(&ascii, "SELECT 'ö' AS a, 'x' AS b UNION ALL SELECT 'o', 'x'"),
                     "a       b\n"
                     "\\u{f6}  x\n"
                     "o       x\n");
}

Test(table, one_long_cell_does_not_push_the_others_away)
{
    cr_expect_str_eq(shown(&utf8, "SELECT printf('%.100c', 'x') AS a, 'b' AS b "
                                  "UNION ALL SELECT 'a', 'b'"),
                     "a                                                             b\n"
                     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  b\n"
                     "a                                                             b\n");
}

Test(table, on_a_terminal_that_is_too_narrow_each_row_is_a_block)
{
    static const char sql[] = "SELECT 'GPU 0' AS name, NULL AS cc, 'a long text of a driver' AS "
                              "message UNION ALL SELECT 'GPU 1', '9.0', 'x\n\033[2J'";
    const struct style narrow = {.unicode = true, .width = 20, .terminal = true};
    cr_expect_str_eq(shown(&narrow, sql), "name     GPU 0\n"
                                          "message  a long text of a driver\n\n"
                                          "name     GPU 1\n"
                                          "cc       9.0\n"
                                          "message  x\\x0a\\x1b[2J\n");
    const struct style pipe = {.unicode = true, .width = 20};
    cr_expect_eq(strncmp(shown(&pipe, sql), "name   cc", 9), 0, "%s", text_get(&out));
}

Test(table, types_are_kept_in_json)
{
    expect_rows("SELECT 1 AS i, -9223372036854775807 AS least, 2.5 AS r, 'text' AS t, NULL AS n",
                "[{\"i\": 1, \"least\": -9223372036854775807, \"r\": 2.5, \"t\": \"text\","
                " \"n\": null}]");
    expect_rows("SELECT 1 WHERE 0", "[]");
    expect_rows("SELECT '' AS e, '1' AS one UNION ALL SELECT x'', x'61'",
                "[{\"e\": \"\", \"one\": \"1\"}, {\"e\": \"\", \"one\": \"a\"}]");
}

Test(table, what_json_cannot_hold)
{
    expect_rows("SELECT 9e999 AS a, -9e999 AS b", "[{\"a\": \"Inf\", \"b\": \"-Inf\"}]");
    expect_rows("SELECT x'ff41' AS a, CAST(x'c3' AS TEXT) AS b",
                "[{\"a\": \"\\\\xffA\", \"b\": \"\\\\xc3\"}]");
    expect_rows("SELECT char(27, 10) AS a", "[{\"a\": \"\\u001b\\n\"}]");
    prepare("SELECT 'a' || char(0) || 'b' AS a");
    CLEANUP_JSON json_t *rows = render_rows_json(query, &err);
    cr_expect_eq(json_string_length(json_object_get(json_array_get(rows, 0), "a")), 3);
}

Test(table, columns_of_one_name_are_all_there)
{
    expect_rows("SELECT 1 AS a, 2 AS a, 3 AS b, 4 AS a",
                "[{\"a\": 1, \"a_2\": 2, \"b\": 3, \"a_3\": 4}]");
}

Test(table, a_query_that_fails_midway_is_an_error)
{
    static const char sql[] = "SELECT abs(value) FROM json_each('[1, -9223372036854775808]')";
    size_t rows;
    prepare(sql);
    cr_expect_eq(render_table(&out, &utf8, query, &rows, &err), -EIO);
    cr_expect_str_eq(err.text, "integer overflow");
    prepare(sql);
    cr_expect_null(render_rows_json(query, &err));
    cr_expect_str_eq(err.text, "integer overflow");
}

Test(table, an_answer_without_end_is_refused)
{
    static const char sql[] = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
                              "SELECT x, printf('%1000000d', x) FROM c";
    size_t rows;
    prepare(sql);
    cr_expect_eq(render_table(&out, &utf8, query, &rows, &err), -EFBIG);
    cr_expect_str_eq(err.text, "the answer takes more than 256 MiB; LIMIT it");
    prepare(sql);
    cr_expect_null(render_rows_json(query, &err));
    cr_expect_str_eq(err.text, "the answer takes more than 256 MiB; LIMIT it");
}
