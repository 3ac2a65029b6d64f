/* Which code runs on which GPU: every line of tests/data/code_runs.txt, in C and in SQL. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/compute_capability.h"
#include "engine/functions.h"

static const char *const words[] = {[CODE_RUNS_NOT] = "no",
                                    [CODE_RUNS_NATIVE] = "native",
                                    [CODE_RUNS_BY_PTX] = "ptx",
                                    [CODE_RUNS_ACROSS] = "across"};

static const char *const kinds[] = {
    [CODE_ANY] = "?", [CODE_CUBIN] = "cubin", [CODE_PTX] = "ptx", [CODE_LTO] = "lto"};

static void expect_sql(sqlite3 *db, const struct code_target *code, const struct code_target *gpu,
                       const char *want, const char *line)
{
    sqlite3_stmt *query = NULL;
    char suffix[2] = {code->suffix, 0};
    char *sql = sqlite3_mprintf("SELECT code_runs(%Q, '%u.%u', %Q, '%u.%u')", kinds[code->kind],
                                code->cc.major, code->cc.minor, code->suffix ? suffix : NULL,
                                gpu->cc.major, gpu->cc.minor);
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK, "%s", sql);
    cr_assert_eq(sqlite3_step(query), SQLITE_ROW);
    const char *have = (const char *)sqlite3_column_text(query, 0);
    cr_expect_str_eq(have ? have : "NULL", want, "%s: %s", line, sql);
    sqlite3_finalize(query);
    sqlite3_free(sql);
}

Test(compute_capability, table)
{
    char line[256], code_text[64], gpu_text[64], want[64];
    int lines = 0;
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(functions_register(db), SQLITE_OK);
    FILE *file = fopen(SOURCE_DIR "/tests/data/code_runs.txt", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        struct code_target code, gpu;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        cr_assert_eq(sscanf(line, "%63s on %63[^:]: %63s", code_text, gpu_text, want), 3, "%s",
                     line);
        cr_assert(code_target_parse(code_text, &code), "%s", line);
        cr_assert(code_target_parse(gpu_text, &gpu), "%s", line);
        cr_expect_str_eq(words[code_runs_on(&code, gpu.cc)], want, "%s", line);
        expect_sql(db, &code, &gpu, want, line);
        lines++;
    }
    fclose(file);
    sqlite3_close(db);
    cr_expect_gt(lines, 70);
}

static void expect_parsed(const char *text, enum code_kind kind, uint32_t major, uint32_t minor,
                          char suffix)
{
    struct code_target t;
    cr_assert(code_target_parse(text, &t), "%s", text);
    cr_expect_eq(t.kind, kind, "%s", text);
    cr_expect_eq(t.cc.major, major, "%s", text);
    cr_expect_eq(t.cc.minor, minor, "%s", text);
    cr_expect_eq(t.suffix, suffix, "%s", text);
}

Test(compute_capability, texts)
{
    expect_parsed("9.0", CODE_ANY, 9, 0, 0);
    expect_parsed("90", CODE_ANY, 9, 0, 0);
    expect_parsed("12.1", CODE_ANY, 12, 1, 0);
    expect_parsed("121", CODE_ANY, 12, 1, 0);
    expect_parsed("10", CODE_ANY, 1, 0, 0);
    expect_parsed("9.0a", CODE_ANY, 9, 0, 'a');
    expect_parsed("sm_90a", CODE_CUBIN, 9, 0, 'a');
    expect_parsed("compute_120f", CODE_PTX, 12, 0, 'f');
    expect_parsed("lto_75", CODE_LTO, 7, 5, 0);
    expect_parsed("sm_101", CODE_CUBIN, 10, 1, 0);
    static const char *const wrong[] = {
        "",      "9",     "9.",    ".5",      "9.0.1", "90b",  "90aa", "sm_",     "sm90",
        "sm_9.", "1000",  "9.10",  "100.0",   "-9.0",  "+9.0", " 9.0", "9.0 ",    "0.0",
        "sm_-1", "9.0\n", "gfx90", "sm_sm_9", "0x90",  "9,0",  "lto_", "compute", "99999999999"};
    struct code_target t;
    cr_expect_not(code_target_parse(NULL, &t));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(code_target_parse(wrong[i], &t), "%s", wrong[i]);
}

Test(compute_capability, sql_says_nothing_of_what_is_not_known)
{
    static const char *const calls[] = {
        "code_runs(NULL, '9.0', NULL, '9.0')",    "code_runs('cubin', NULL, NULL, '9.0')",
        "code_runs('cubin', '9.0', NULL, NULL)",  "code_runs('cubin', 'x', NULL, '9.0')",
        "code_runs('cubin', '9.0', 'z', '9.0')",  "code_runs('cubin', 'sm_90', NULL, '9.0')",
        "code_runs('cubin', '9.0', NULL, '9.0a')"};
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(functions_register(db), SQLITE_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *sql = sqlite3_mprintf("SELECT %s IS NULL", calls[i]);
        sqlite3_stmt *query = NULL;
        cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK);
        cr_assert_eq(sqlite3_step(query), SQLITE_ROW);
        cr_expect_eq(sqlite3_column_int(query, 0), 1, "%s", calls[i]);
        sqlite3_finalize(query);
        sqlite3_free(sql);
    }
    sqlite3_close(db);
}

/* The list of Tegra chips stands in the matrix as well. */
Test(compute_capability, tegra_as_the_matrix_has_it)
{
    json_t *matrix = json_load_file(SOURCE_DIR "/rules/matrix/arch.json", 0, NULL), *row;
    size_t i;
    cr_assert_not_null(matrix);
    json_array_foreach (json_object_get(matrix, "rows"), i, row) {
        struct code_target t;
        const char *cc = json_string_value(json_object_get(row, "cc"));
        cr_assert(code_target_parse(cc, &t), "%s", cc);
        cr_expect_eq(compute_capability_is_tegra(t.cc), json_is_true(json_object_get(row, "tegra")),
                     "%s", cc);
    }
    cr_expect_gt(i, 20);
    json_decref(matrix);
}
