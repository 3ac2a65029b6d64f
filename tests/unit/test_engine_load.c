/* Mistakes in rules: each is refused, with its place and exact words. */
#include "rule_set.h"

#include "base/json_file.h"

static struct rule_set set;

static void set_up(void)
{
    rule_set_start(&set);
}

static void tear_down(void)
{
    rule_set_end(&set);
}

TestSuite(engine_load, .init = set_up, .fini = tear_down);

/* A check with %s for some more members; line 4 is the query's first. */
#define HEAD \
    "{\"id\": \"r\", \"title\": \"t\", \"severity\": \"error\",\n" \
    "\"summary\": \"s\", \"subject\": \"machine\",\n"
#define QUERY "\"query\": \"SELECT 'machine' AS subject, 'fail' AS verdict, 1 AS n\""
#define MESSAGE ",\n\"message\": \"m\""

struct mistake {
    const char *json, *sentence;
};

static const struct mistake checks[] = {
    {"{\"id\": \"r\",}", "checks/r.json:1:12: string or '}' expected near '}'"},
    {"{\"id\": \"r\", \"id\": \"r\"}", "checks/r.json:1:16: duplicate object key near '\"id\"'"},
    {"[]", "checks/r.json:1:1: must be an object"},
    {"{\"id\": \"r\"}", "checks/r.json:1:1: the key \"title\" is missing"},
    {"{\"id\": \"other\"}", "checks/r.json:1:8: id: must be \"r\" like the file"},
    {"{\"id\": \"A b\"}",
     "checks/r.json:1:8: id: must be made of lower-case letters, digits and hyphens"},
    {"{\"id\": \"\"}", "checks/r.json:1:8: id: must not be empty"},
    {"{\"id\": 7}", "checks/r.json:1:8: id: must be text"},
    {HEAD "\"qwery\": 1}", "checks/r.json:3:1: qwery: unknown key"},
    {"{\"id\": \"r\", \"title\": \"t\", \"severity\": \"fatal\", \"summary\": \"s\", \"subject\": "
     "\"machine\"}",
     "checks/r.json:1:39: severity: must be error, warning or info"},
    {HEAD QUERY "}", "checks/r.json:1:1: the key \"message\" is missing"},
    {"{\"id\": \"r\", \"title\": \"t\", \"severity\": \"info\", \"summary\": \"s\", \"subject\": "
     "\"moon\", " QUERY MESSAGE "}",
     "checks/r.json:1:74: subject: there is no subject kind \"moon\"; there are: environment, "
     "framework, gpu, machine"},
    {HEAD "\"query\": [\"SELECT 'machine' AS subject,\",\n  \"drvv AS verdict\"]" MESSAGE "}",
     "checks/r.json:4:4: query[1]: no such column: drvv"},
    {HEAD "\"query\": [\"SELECT 'm\\u00e9' AS subject, \\\"drvv\\\" AS verdict\"]" MESSAGE "}",
     "checks/r.json:3:41: query[0]: no such column: drvv"},
    {HEAD "\"query\": \"SELECT * FROM nowhere\"" MESSAGE "}",
     "checks/r.json:3:25: query: no such table: nowhere"},
    {HEAD "\"query\": \"SELECT 1 AS a FROM\"" MESSAGE "}",
     "checks/r.json:3:10: query: incomplete input"},
    {HEAD "\"query\": [\"SELECT 1 AS a\", \"FORM gpu x\"]" MESSAGE "}",
     "checks/r.json:3:29: query[1]: near \"FORM\": syntax error"},
    {HEAD "\"query\": [1]" MESSAGE "}", "checks/r.json:3:11: query[0]: must be text"},
    {HEAD "\"query\": \"-- nothing\"" MESSAGE "}",
     "checks/r.json:3:10: query: there is no statement"},
    {HEAD "\"query\": \"SELECT 1; SELECT 2\"" MESSAGE "}",
     "checks/r.json:3:21: query: only one statement is allowed"},
    {HEAD "\"query\": \"SELECT 'ok' AS verdict\"" MESSAGE "}",
     "checks/r.json:3:10: query: it must return a column named subject"},
    {HEAD "\"query\": \"SELECT 1 AS subject\"" MESSAGE "}",
     "checks/r.json:3:10: query: it must return a column named verdict"},
    {HEAD "\"query\": \"SELECT 1 AS subject, 2 AS verdict, 3 AS verdict\"" MESSAGE "}",
     "checks/r.json:3:10: query: two columns are named \"verdict\""},
    {HEAD "\"query\": \"SELECT :subject AS subject, 2 AS verdict\"" MESSAGE "}",
     "checks/r.json:3:10: query: it may have no parameters"},
    {HEAD "\"query\": \"SELECT 1 AS subject, random() AS verdict\"" MESSAGE "}",
     "checks/r.json:3:32: query: the function random() is not allowed here"},
    {HEAD "\"query\": \"SELECT 'machine' AS subject, v AS verdict FROM m_x\"" MESSAGE "}",
     "checks/r.json:3:10: query: it reads m_x and must return a column named confidence"},
    {HEAD QUERY MESSAGE ",\n\"applies\": \"DELETE FROM gpu\"}",
     "checks/r.json:5:12: applies: only reading is allowed: DELETE is refused"},
    {HEAD QUERY ",\n\"message\": \"a {nn} b\"}",
     "checks/r.json:4:15: message: there is no column for the slot {nn}"},
    {HEAD QUERY ",\n\"message\": \"a {n\"}",
     "checks/r.json:4:15: message: the slot {n is not closed"},
    {HEAD QUERY ",\n\"message\": \"\\u00e9 {n:word}\"}",
     "checks/r.json:4:20: message: a slot has a type only in a command"},
    {HEAD QUERY MESSAGE ",\n\"evidence\": [\"x\"]}",
     "checks/r.json:5:14: evidence[0]: must be an object"},
    {HEAD QUERY MESSAGE ",\n\"evidence\": [{\"what\": \"w\"}, {\"value\": \"v\"}]}",
     "checks/r.json:5:29: evidence[1]: the key \"what\" is missing"},
    {HEAD QUERY MESSAGE ",\n\"evidence\": [{\"what\": \"w\", \"path\": \"{p}\"}]}",
     "checks/r.json:5:37: evidence[0].path: there is no column for the slot {p}"},
    {HEAD QUERY MESSAGE ",\n\"evidence\": [{\"what\": \"w\", \"query\": \"SELECT :m\"}]}",
     "checks/r.json:5:37: evidence[0].query: the parameter :m is no column of the rule's query"},
    {HEAD QUERY MESSAGE ",\n\"evidence\": [{\"what\": \"w\", \"query\": \"SELECT ?\"}]}",
     "checks/r.json:5:37: evidence[0].query: parameters are written :column"},
    {HEAD QUERY MESSAGE ",\n\"steps\": {}}", "checks/r.json:5:10: steps: must be an array"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"command\": \"ls\"}]}",
     "checks/r.json:5:11: steps[0]: the key \"text\" is missing"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t\", \"comand\": \"ls\"}]}",
     "checks/r.json:5:25: steps[0].comand: unknown key"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t\", \"command\": \"ls {n}\"}]}",
     "checks/r.json:5:40: steps[0].command: the slot {n} of a command needs a type"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t\", \"command\": \"ls {x:path}\"}]}",
     "checks/r.json:5:40: steps[0].command: there is no column for the slot {x}"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t\", \"each\": true}]}",
     "checks/r.json:5:11: steps[0]: optional, each, otherwise and if need a query"},
    {HEAD QUERY MESSAGE
     ",\n\"steps\": [{\"text\": \"t\", \"query\": \"SELECT 1 AS a\", \"if\": \"a\"}]}",
     "checks/r.json:5:57: steps[0].if: there is no column a in the rule's query"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t\", \"query\": \"SELECT 1 AS a\", "
                        "\"optional\": 1}]}",
     "checks/r.json:5:63: steps[0].optional: must be true or false"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t {a}\", \"query\": \"SELECT 1 AS a\"}]}",
     "checks/r.json:5:23: steps[0].text: {a} is not known when the step's query gives no row: add "
     "\"otherwise\" or \"optional\""},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t {a}\", \"query\": \"SELECT 1 AS a\", "
                        "\"otherwise\": \"{a}\"}]}",
     "checks/r.json:5:69: steps[0].otherwise: there is no column for the slot {a}"},
    {HEAD QUERY MESSAGE ",\n\"steps\": [{\"text\": \"t\", \"query\": \"SELECT 1 AS a\", "
                        "\"otherwise\": \"o\", \"optional\": true}]}",
     "checks/r.json:5:11: steps[0]: an optional step has no use for otherwise"},
    {HEAD QUERY MESSAGE ",\n\"links\": [\"see there\"]}",
     "checks/r.json:5:11: links[0]: a link holds no spaces"},
    {HEAD QUERY MESSAGE ",\n\"links\": \"x\"}", "checks/r.json:5:10: links: must be an array"},
    {HEAD QUERY MESSAGE ",\n\"caused_by\": [\"nobody\"]}",
     "checks/r.json:5:15: caused_by[0]: there is no rule \"nobody\""},
    {HEAD QUERY MESSAGE ",\n\"caused_by\": [\"r\"]}",
     "checks/r.json:5:14: caused_by: a cycle: r -> r"},
    {HEAD QUERY MESSAGE ",\n\"examples\": {}}", "checks/r.json:5:13: examples: must be an array"},
};

#define MATRIX(columns, key, rows) \
    "{\"schema\": 1, \"title\": \"t\",\n\"sources\": [{\"id\": \"s\", \"title\": \"S\"}],\n" \
    "\"columns\": {" columns "\"confidence\": {\"type\": \"text\", \"doc\": \"d\"}, " \
    "\"source\": {\"type\": \"text\", \"doc\": \"d\"}},\n\"key\": [" key "],\n\"rows\": [\n" rows \
    "]}"
#define V_COLUMN(type) "\"v\": {\"type\": \"" type "\", \"doc\": \"d\"}, "
#define ROW(v) "{\"v\": " v ", \"confidence\": \"high\", \"source\": \"s\"}"

static void write_matrix(void)
{
    scratch_write(set.root, "matrix/x.json", MATRIX(V_COLUMN("driver"), "\"v\"", ROW("\"570.1\"")));
}

Test(engine_load, mistakes_in_checks)
{
    write_matrix();
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        scratch_write(set.root, "checks/r.json", checks[i].json);
        cr_expect_lt(rule_set_load(&set), 0, "%s", checks[i].sentence);
        cr_expect_str_eq(rule_set_error(&set), checks[i].sentence);
    }
}

static const struct mistake matrices[] = {
    {MATRIX(V_COLUMN("driver"), "\"v\"", ROW("\"570.x\"")),
     "matrix/y.json:6:7: rows[0].v: is not a version of its kind"},
    {MATRIX(V_COLUMN("driver"), "\"v\"", ROW("\"570\"") ",\n" ROW("570")),
     "matrix/y.json:7:7: rows[1].v: must be text"},
    {MATRIX(V_COLUMN("text"), "\"v\"", ROW("null")),
     "matrix/y.json:6:7: rows[0].v: is missing, and the column does not say what null means"},
    {MATRIX(V_COLUMN("integer"), "\"v\"", ROW("1.5")),
     "matrix/y.json:6:7: rows[0].v: must be an integer"},
    {MATRIX(V_COLUMN("boolean"), "\"v\"", ROW("1")),
     "matrix/y.json:6:7: rows[0].v: must be true or false"},
    {MATRIX(V_COLUMN("real"), "\"v\"", ROW("\"1\"")),
     "matrix/y.json:6:7: rows[0].v: must be a number"},
    {MATRIX(V_COLUMN("pep440"), "\"v\"", ROW("\"new\"")),
     "matrix/y.json:6:7: rows[0].v: is not a PEP 440 version"},
    {MATRIX(V_COLUMN("text"), "\"v\"", ROW("\"a\"") ",\n\n" ROW("\"a\"")),
     "matrix/y.json:8:1: rows[1]: its key occurs a second time"},
    {MATRIX(V_COLUMN("text"), "\"v\"", ROW("\"a\", \"w\": 1")),
     "matrix/y.json:6:1: rows[0]: there is no column \"w\""},
    {MATRIX(V_COLUMN("text"), "\"v\"",
            "{\"v\": \"a\", \"confidence\": \"high\", \"source\": \"t\"}"),
     "matrix/y.json:6:44: rows[0].source: is not among the sources"},
    {MATRIX(V_COLUMN("text"), "\"v\"",
            "{\"v\": \"a\", \"confidence\": \"sure\", \"source\": \"s\"}"),
     "matrix/y.json:6:26: rows[0].confidence: must be high, medium or low"},
    {MATRIX(V_COLUMN("text"), "\"v\"", "{\"v\": \"a\", \"confidence\": \"high\"}"),
     "matrix/y.json:6:1: rows[0].source: is missing, and the column does not say what null means"},
    {MATRIX(V_COLUMN("number"), "\"v\"", ""),
     "matrix/y.json:3:27: columns.v.type: unknown type \"number\""},
    {MATRIX("\"Bad name\": {\"type\": \"text\", \"doc\": \"d\"}, ", "\"v\"", ""),
     "matrix/y.json:3:12: columns: \"Bad name\" is no name of a column"},
    {MATRIX("\"v\": {\"type\": \"text\"}, ", "\"v\"", ""),
     "matrix/y.json:3:18: columns.v: the key \"doc\" is missing"},
    {MATRIX(V_COLUMN("text"), "\"w\"", ""), "matrix/y.json:4:9: key[0]: there is no column \"w\""},
    {MATRIX(V_COLUMN("text"), "", ""), "matrix/y.json:4:8: key: \"key\" must name columns"},
    {MATRIX("\"command\": {\"type\": \"text\", \"doc\": \"d\"}, ", "\"command\"",
            "{\"command\": \"rm {x}\", \"confidence\": \"low\", \"source\": \"s\"}"),
     "matrix/y.json:6:13: rows[0].command: the slot {x} of a command needs a type"},
    {"{\"schema\": 2, \"title\": \"t\"}", "matrix/y.json:1:12: schema: \"schema\" must be 1"},
    {"{\"title\": \"t\"}", "matrix/y.json:1:1: \"schema\" must be 1"},
    {"{\"schema\": 1, \"title\": \"t\", \"columns\": {}}",
     "matrix/y.json:1:40: columns: confidence and source are mandatory"},
    {"{\"schema\": 1, \"title\": \"t\", \"note\": 1}", "matrix/y.json:1:29: note: unknown key"},
};

Test(engine_load, mistakes_in_a_matrix)
{
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        scratch_write(set.root, "matrix/y.json", matrices[i].json);
        cr_expect_lt(rule_set_load(&set), 0, "%s", matrices[i].sentence);
        cr_expect_str_eq(rule_set_error(&set), matrices[i].sentence);
    }
}

static const struct mistake views[] = {
    {"CREATE VIEW a AS\n  SELECT x\n  FROM gpu;", "views.sql:2:10: view a: no such column: x"},
    {"-- first\n/* second */ DROP VIEW a;",
     "views.sql:2:14: only CREATE VIEW, CREATE TABLE ... AS and CREATE INDEX are allowed here"},
    {"CREATE TEMP VIEW a AS SELECT 1;",
     "views.sql:1:1: only CREATE VIEW, CREATE TABLE ... AS and CREATE INDEX are allowed here"},
    {"CREATE UNIQUE INDEX a ON gpu (name);",
     "views.sql:1:1: only CREATE VIEW, CREATE TABLE ... AS and CREATE INDEX are allowed here"},
    {"CREATE INDEX a;", "views.sql:1:1: index a: ON and a table must follow"},
    {"CREATE INDEX a ON \"gpu\" (name);", "views.sql:1:18: index a: a table's name must follow"},
    {"CREATE INDEX a ON gpu;", "views.sql:1:18: index a: columns must follow in brackets"},
    {"CREATE INDEX a ON gpu (name,);", "views.sql:1:18: index a: columns must follow in brackets"},
    {"CREATE INDEX a ON gpu (name) WHERE 1;",
     "views.sql:1:18: index a: columns must follow in brackets"},
    {"CREATE INDEX a ON gpu (lower(name));",
     "views.sql:1:18: index a: columns must follow in brackets"},
    {"CREATE INDEX a ON gpu (nosuch);", "views.sql:1:18: index a: no such column: nosuch"},
    {"CREATE INDEX a ON nosuch (name);",
     "views.sql:1:18: index a: nosuch is neither a table of facts nor one that CREATE TABLE has "
     "made here"},
    {"CREATE INDEX a ON rule_file (id);",
     "views.sql:1:18: index a: rule_file is neither a table of facts nor one that CREATE TABLE "
     "has made here"},
    {"CREATE INDEX a ON gpu (cc); CREATE INDEX a ON mount (path);",
     "views.sql:1:46: index a: gpu has an index of this name"},
    {"CREATE VIEW a AS SELECT 1 AS n; CREATE INDEX b ON a (n);",
     "views.sql:1:50: index b: a is neither a table of facts nor one that CREATE TABLE has made "
     "here"},
    {"CREATE TABLE a (b);", "views.sql:1:1: table a: AS and a query must follow"},
    {"CREATE TABLE a AS SELECT nosuch FROM gpu;", "views.sql:1:26: view a: no such column: nosuch"},
    {"CREATE TABLE a AS SELECT random() AS r;",
     "views.sql:1:26: view a: the function random() is not allowed here"},
    {"CREATE TABLE a AS DELETE FROM gpu;",
     "views.sql:1:18: view a: only reading is allowed: DELETE is refused"},
    {"CREATE TABLE rule_file AS SELECT 1 AS id;",
     "views.sql:1:26: view rule_file: table \"rule_file\" already exists"},
    {"CREATE TABLE gpu AS SELECT 1 AS id;", "views.sql:1:1: gpu is the name of a table"},
    {"CREATE VIEW \"a\" AS SELECT 1;",
     "views.sql:1:1: a view's name is made of lower-case letters, digits and _"},
    {"CREATE VIEW gpu AS SELECT 1;", "views.sql:1:1: gpu is the name of a table"},
    {"CREATE VIEW m_a AS SELECT 1;", "views.sql:1:1: m_a is the name of a table"},
    {"CREATE VIEW rule_file AS SELECT 1;",
     "views.sql:1:13: view rule_file: table rule_file already exists"},
    {"CREATE VIEW a AS SELECT ';' AS b; CREATE VIEW c AS SELECT b FRM a;",
     "views.sql:1:65: view c: near \"a\": syntax error"},
    {"CREATE VIEW a AS SELECT random() AS r;",
     "views.sql:1:25: view a: the function random() is not allowed here"},
    {"CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a;",
     "views.sql:1:1: view a: view b is circularly defined"},
    {"CREATE VIEW a AS SELECT * FROM sqlite_master;",
     "views.sql:1:32: view a: sqlite_master may not be read here"},
};

Test(engine_load, mistakes_in_views)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        scratch_write(set.root, "views.sql", views[i].json);
        cr_expect_lt(rule_set_load(&set), 0, "%s", views[i].sentence);
        cr_expect_str_eq(rule_set_error(&set), views[i].sentence);
    }
}

Test(engine_load, mistakes_in_descriptors_and_versions)
{
    scratch_write(set.root, "frameworks/torch.json", "{\"name\": \"jax\", \"title\": \"t\"}");
    cr_expect_lt(rule_set_load(&set), 0);
    cr_expect_str_eq(rule_set_error(&set),
                     "frameworks/torch.json:1:10: name: must be \"torch\" like the file");
    scratch_write(set.root, "version.json", "{\"schema\": 1, \"version\": \"1\"}");
    cr_expect_lt(rule_set_load(&set), 0);
    cr_expect_str_eq(rule_set_error(&set), "version.json:1:1: the key \"date\" is missing");
}

Test(engine_load, folders_that_are_none)
{
    struct error err;
    rule_set_must_load(&set);
    cr_expect_lt(engine_load_dir(set.engine, "/nonexistent/rules", &err), 0);
    cr_expect_str_eq(err.text, "/nonexistent/rules: No such file or directory");
}

Test(engine_load, files_that_are_none)
{
    scratch_fifo(set.root, "checks/r.json");
    cr_expect_lt(rule_set_load(&set), 0);
    cr_expect_str_eq(rule_set_error(&set), "checks/r.json: not a regular file");
}

Test(engine_load, a_check_may_not_be_endless)
{
    size_t size = 256 * 1024 + 1;
    char *spaces = malloc(size);
    memset(spaces, ' ', size);
    scratch_write_bytes(set.root, "checks/r.json", spaces, size);
    free(spaces);
    cr_expect_lt(rule_set_load(&set), 0);
    cr_expect_str_eq(rule_set_error(&set), "checks/r.json: larger than 262144 bytes");
}

Test(engine_load, a_cycle_is_shown)
{
    rule_set_add(&set, "a", "machine", "SELECT 'm' AS subject, 'ok' AS verdict",
                 "\"caused_by\": [\"b\"],");
    rule_set_add(&set, "b", "machine", "SELECT 'm' AS subject, 'ok' AS verdict",
                 "\"caused_by\": [\"d\", \"c\"],");
    rule_set_add(&set, "c", "machine", "SELECT 'm' AS subject, 'ok' AS verdict",
                 "\"caused_by\": [\"b\"],");
    rule_set_add(&set, "d", "machine", "SELECT 'm' AS subject, 'ok' AS verdict", "");
    cr_expect_lt(rule_set_load(&set), 0);
    cr_expect_str_eq(rule_set_error(&set), "checks/b.json:1:15: caused_by: a cycle: b -> c -> b");
}

/* --- matrix tables --- */

Test(engine_load, a_matrix_file_is_a_table_with_keys)
{
    write_matrix();
    rule_set_must_load(&set);
    sqlite3_stmt *select;
    cr_assert_eq(engine_prepare_query(set.engine,
                                      "SELECT m.v, v_key, confidence, s.title, s.url FROM m_x m "
                                      "JOIN matrix_source s ON s.file = 'x' AND s.id = m.source",
                                      &select, &set.err),
                 0, "%s", set.err.text);
    cr_assert_eq(sqlite3_step(select), SQLITE_ROW);
    cr_expect_str_eq((const char *)sqlite3_column_text(select, 0), "570.1");
    cr_expect_eq(sqlite3_column_int64(select, 1), 570001000);
    cr_expect_str_eq((const char *)sqlite3_column_text(select, 2), "high");
    cr_expect_str_eq((const char *)sqlite3_column_text(select, 3), "S");
    cr_expect_eq(sqlite3_column_type(select, 4), SQLITE_NULL);
    cr_expect_eq(sqlite3_step(select), SQLITE_DONE);
    sqlite3_finalize(select);
}

/* --- queries of the user --- */

Test(engine_load, a_user_may_only_read)
{
    static const char *const cases[][2] = {
        {"INSERT INTO gpu DEFAULT VALUES", "only reading is allowed: INSERT is refused"},
        {"UPDATE gpu SET name = 1", "only reading is allowed: UPDATE is refused"},
        {"DELETE FROM gpu", "only reading is allowed: DELETE is refused"},
        {"DROP TABLE gpu", "only reading is allowed: a change of the schema is refused"},
        {"CREATE TABLE a (b)", "only reading is allowed: a change of the schema is refused"},
        {"CREATE TEMP TABLE a (b)", "only reading is allowed: INSERT is refused"},
        {"ATTACH 'x.db' AS x", "only reading is allowed: ATTACH is refused"},
        {"PRAGMA writable_schema = 1", "only reading is allowed: PRAGMA is refused"},
        {"BEGIN", "only reading is allowed: a transaction is refused"},
        {"SAVEPOINT a", "only reading is allowed: SAVEPOINT is refused"},
        {"ANALYZE", "only reading is allowed: a change of the schema is refused"},
        {"REINDEX", "only reading is allowed: REINDEX is refused"},
        {"VACUUM INTO 'x.db'", "only reading is allowed"},
        {"SELECT load_extension('x')",
         "at character 8: the function load_extension() is not allowed here"},
        {"SELECT readfile('/etc/passwd')", "at character 8: no such function: readfile"},
        {"SELECT * FROM pragma_table_info('gpu')",
         "only reading is allowed: a change of the schema is refused"},
        {"SELECT * FROM sqlite_master", "at character 15: sqlite_master may not be read here"},
        {"SELECT * FROM dbstat", "at character 15: no such table: dbstat"},
        {"SELECT date('now')", "at character 8: the function date() is not allowed here"},
        {"SELECT 1; DELETE FROM gpu", "at character 11: only one statement is allowed"},
        {"SELECT nme FROM gpu", "at character 8: no such column: nme"},
        {"SELECT name FROM gpu WHERE name = \"x\"", "at character 35: no such column: x"},
        {"", "there is no statement"},
        {" -- ", "there is no statement"},
    };
    rule_set_must_load(&set);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sqlite3_stmt *select = NULL;
        cr_expect_lt(engine_prepare_query(set.engine, cases[i][0], &select, &set.err), 0);
        cr_expect_str_eq(set.err.text, cases[i][1], "%s: %s", cases[i][0], set.err.text);
        cr_expect_null(select);
    }
}

Test(engine_load, a_user_may_read_all_of_it)
{
    static const char *const cases[] = {
        "SELECT * FROM gpu; -- all",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT i FROM n;",
        "SELECT count(*) FROM m_x JOIN subject_machine",
        "SELECT value FROM json_each('[1,2]')",
        "SELECT row_number() OVER (ORDER BY name) FROM gpu",
        "VALUES (1)",
    };
    write_matrix();
    rule_set_must_load(&set);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sqlite3_stmt *select = NULL;
        cr_expect_eq(engine_prepare_query(set.engine, cases[i], &select, &set.err), 0, "%s",
                     set.err.text);
        sqlite3_finalize(select);
    }
}

Test(engine_load, facts_can_be_added_after_a_query)
{
    rule_set_must_load(&set);
    sqlite3_stmt *select = NULL;
    cr_assert_lt(engine_prepare_query(set.engine, "DELETE FROM gpu", &select, &set.err), 0);
    rule_set_facts(&set, "{\"gpu\": [{\"name\": \"A\"}]}");
}

/* --- examples --- */

#define EXAMPLE_RULE \
    HEAD "\"query\": \"SELECT 'machine' AS subject, CASE name WHEN 'good' THEN 'ok' WHEN 'bad' " \
         "THEN 'fail' END AS verdict FROM gpu\"" MESSAGE ",\n\"examples\": ["
#define GOOD "{\"given\": {\"gpu\": [{\"name\": \"good\"}]}, \"expect\": {\"machine\": \"ok\"}}"
#define BAD "{\"given\": {\"gpu\": [{\"name\": \"bad\"}]}, \"expect\": {\"machine\": \"fail\"}}"
#define NONE "{\"given\": {}, \"expect\": {\"machine\": \"unknown\"}, \"note\": \"no GPU\"}"

static const struct mistake examples[] = {
    {EXAMPLE_RULE GOOD ", " BAD "]}",
     "checks/r.json:5:13: examples: no example is expected to be unknown"},
    {EXAMPLE_RULE "]}", "checks/r.json:5:13: examples: no example is expected to be ok"},
    {HEAD QUERY MESSAGE "}", "checks/r.json:1:1: no example is expected to be ok"},
    {EXAMPLE_RULE GOOD
     ", " BAD ",\n" NONE ",\n"
     "{\"given\": {\"gpu\": [{\"name\": \"bad\"}]}, \"expect\": {\"machine\": \"ok\"}}"
     "]}",
     "checks/r.json:7:49: examples[3].expect: \"machine\" should be ok, but is fail"},
    {EXAMPLE_RULE "{\"given\": {}, \"expect\": {\"machine\": \"fail\"}}]}",
     "checks/r.json:5:38: examples[0].expect: \"machine\" should be fail, but is unknown: no data "
     "for this in the rules"},
    {EXAMPLE_RULE "{\"given\": {}, \"expect\": {\"gpu 7\": \"fail\"}}]}",
     "checks/r.json:5:38: examples[0].expect: \"gpu 7\" is not among the subjects of kind "
     "machine"},
    {EXAMPLE_RULE "{\"given\": {}, \"expect\": {\"machine\": \"bad\"}}]}",
     "checks/r.json:5:38: examples[0].expect: \"machine\": must be ok, fail, unknown or skip"},
    {EXAMPLE_RULE "{\"given\": {\"gpus\": []}, \"expect\": {\"machine\": \"fail\"}}]}",
     "checks/r.json:5:24: examples[0].given: there is no table gpus"},
    {EXAMPLE_RULE "{\"given\": {\"gpu\": [{\"nam\": 1}]}, \"expect\": {\"machine\": \"fail\"}}]}",
     "checks/r.json:5:24: examples[0].given: row 1: table gpu has no column nam"},
    {EXAMPLE_RULE "{\"given\": {}}]}",
     "checks/r.json:5:14: examples[0]: \"given\" and \"expect\" must be objects"},
    {EXAMPLE_RULE "{\"give\": {}}]}", "checks/r.json:5:15: examples[0].give: unknown key"},
    {EXAMPLE_RULE "{\"given\": {\"gpu\": [{\"name\": \"bad\"}, {\"name\": \"bad\"}]}, \"expect\": "
                  "{\"machine\": \"fail\"}}]}",
     "checks/r.json:5:14: examples[0]: rule r: query: two rows for the subject machine"},
};

Test(engine_load, mistakes_in_examples)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        size_t run;
        scratch_write(set.root, "checks/r.json", examples[i].json);
        rule_set_must_load(&set);
        cr_expect_lt(engine_run_examples(set.engine, NULL, &run, &set.err), 0, "%s",
                     examples[i].sentence);
        cr_expect_str_eq(rule_set_error(&set), examples[i].sentence);
    }
}

Test(engine_load, examples_that_hold)
{
    size_t run = 0;
    scratch_write(set.root, "checks/r.json", EXAMPLE_RULE GOOD ", " BAD ", " NONE "]}");
    rule_set_must_load(&set);
    /* facts that are there do not disturb them, and stay */
    rule_set_facts(&set, "{\"gpu\": [{\"name\": \"good\"}]}");
    cr_assert_eq(engine_run_examples(set.engine, NULL, &run, &set.err), 0, "%s", set.err.text);
    cr_expect_eq(run, 3);
    cr_assert_eq(engine_run_examples(set.engine, set.root, &run, &set.err), 0, "%s", set.err.text);
    cr_expect_eq(run, 3);
    cr_assert_eq(engine_run_examples(set.engine, "/elsewhere", &run, &set.err), 0);
    cr_expect_eq(run, 0);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.ok, 1);
}

/* --- the documentation --- */

/* The n-th fenced JSON of a page, for the caller to free. */
static char *fenced_json(const char *page, int n)
{
    struct bytes text = {0};
    const char *at;
    char *copy = NULL;
    cr_assert_eq(file_read(page, 1024 * 1024, &text, &set.err), 0, "%s", set.err.text);
    at = text.data;
    for (int i = 0; i <= n && at; i++)
        if ((at = strstr(at, "```json\n")))
            at += strlen("```json\n");
    if (at && strstr(at, "```"))
        copy = strndup(at, (size_t)(strstr(at, "```") - at));
    bytes_done(&text);
    return copy;
}

Test(engine_load, the_examples_of_the_documentation_hold)
{
    size_t run = 0;
    char *check = fenced_json(SOURCE_DIR "/docs/rule-format.md", 0);
    char *matrix = fenced_json(SOURCE_DIR "/docs/rule-format.md", 1);
    cr_assert(check && matrix);
    rule_set_must_load(&set);
    cr_assert_eq(engine_load_dir(set.engine, SOURCE_DIR "/rules", &set.err), 0, "%s", set.err.text);
    char *site = scratch_new();
    scratch_write(site, "compute-mode-prohibited.json", check);
    scratch_write(site, "matrix/compiler.json", matrix);
    free(check);
    free(matrix);
    cr_assert_eq(engine_load_dir(set.engine, site, &set.err), 0, "%s", set.err.text);
    cr_assert_eq(engine_run_examples(set.engine, site, &run, &set.err), 0, "%s", set.err.text);
    cr_expect_eq(run, 3);
    scratch_remove(site);
}
