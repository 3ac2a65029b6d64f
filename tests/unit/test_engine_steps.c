/* Evidence and steps: slots, quoting, and where a command may come from. */
#include "rule_set.h"

#include "engine/slot_type.h"
#include "engine/template.h"

static struct rule_set set;

static void set_up(void)
{
    rule_set_start(&set);
}

static void tear_down(void)
{
    rule_set_end(&set);
}

TestSuite(engine_steps, .init = set_up, .fini = tear_down);

static const struct finding *run_one(const char *columns, const char *more, const char *facts)
{
    char query[600];
    snprintf(query, sizeof query, "SELECT 'machine' AS subject, 'fail' AS verdict%s", columns);
    rule_set_add(&set, "r", "machine", query, more);
    rule_set_must_load(&set);
    if (facts)
        rule_set_facts(&set, facts);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.finding_count, 1);
    return &set.result.findings[0];
}

/* What is added to the text of a step whose command cannot be given. */
#define LEFT_OUT \
    " (The command is left out: a name in it is not known, or is not one that can be handed to a " \
    "shell.)"

/* --- text --- */

Test(engine_steps, slots_of_the_message)
{
    const struct finding *f =
        run_one(", 'nv' AS name, 570 AS branch, NULL AS gone, 1.5 AS half",
                "\"message\": \"{{{name}}} {branch} {gone} {half} {subject}\",", NULL);
    cr_expect_str_eq(f->message, "{nv} 570 unknown 1.5 machine");
}

/* A file can state a name of any length. */
Test(engine_steps, a_long_value_is_cut)
{
    const struct finding *f =
        run_one(", printf('%.65536c', 'x') AS name, 'a' || replace(printf('%.2000c', 'x'), 'x', "
                "'é') AS word,"
                " printf('%.4096c', 'p') AS path",
                "\"message\": \"lacks {name}\", \"evidence\": [{\"what\": \"in {word}\","
                " \"value\": \"{name}\", \"path\": \"{path}\"}],",
                NULL);
    cr_expect_eq(strlen(f->message), strlen("lacks … (65536 bytes in all)") + 1024);
    cr_expect(text_ends(f->message, "xx… (65536 bytes in all)"));
    cr_assert_eq(f->evidence_count, 1);
    cr_expect(text_ends(f->evidence[0].what, "éé… (4001 bytes in all)"), "no half character");
    cr_expect_eq(strlen(f->evidence[0].value), strlen("… (65536 bytes in all)") + 4096);
    cr_expect_eq(strlen(f->evidence[0].path), 4096, "a path is whole");
}

Test(engine_steps, a_long_reason_is_cut)
{
    rule_set_add(&set, "r", "machine",
                 "SELECT 'machine' AS subject, NULL AS verdict, printf('%.65536c', 'x') AS reason",
                 "");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_eq(strlen(set.result.unknowns[0].reason), strlen("… (65536 bytes in all)") + 1024);
}

Test(engine_steps, evidence_with_nothing_known_is_dropped)
{
    const struct finding *f =
        run_one(", 'v' AS a, NULL AS b, '/p' AS p",
                "\"evidence\": [{\"what\": \"one\", \"value\": \"{a}\", \"path\": \"{p}\"},"
                " {\"what\": \"two\", \"value\": \"{b}\"},"
                " {\"what\": \"three\", \"value\": \"{b} of {a}\", \"path\": \"{b}/x\"},"
                " {\"what\": \"four\"}],",
                NULL);
    cr_assert_eq(f->evidence_count, 3);
    cr_expect_str_eq(f->evidence[0].what, "one");
    cr_expect_str_eq(f->evidence[0].value, "v");
    cr_expect_str_eq(f->evidence[0].path, "/p");
    cr_expect_str_eq(f->evidence[1].value, "unknown of v");
    cr_expect_null(f->evidence[1].path);
    cr_expect_str_eq(f->evidence[2].what, "four");
    cr_expect_null(f->evidence[2].value);
}

Test(engine_steps, evidence_of_a_query_has_an_entry_for_each_row)
{
    const struct finding *f = run_one(
        ", 'nvidia' AS prefix",
        "\"evidence\": [{\"what\": \"{prefix}: {name}\", \"value\": \"{version}\", \"query\":"
        " [\"SELECT name, version, :subject AS s FROM kernel_module\","
        "  \"WHERE name GLOB :prefix || '*' ORDER BY name\"]}],",
        "{\"kernel_module\": [{\"name\": \"nvidia_uvm\", \"version\": \"570.1\"}, {\"name\": "
        "\"nvidia\"}, {\"name\": \"nouveau\"}]}");
    cr_assert_eq(f->evidence_count, 2);
    cr_expect_str_eq(f->evidence[0].what, "nvidia: nvidia");
    cr_expect_str_eq(f->evidence[0].value, "unknown");
    cr_expect_str_eq(f->evidence[1].what, "nvidia: nvidia_uvm");
    cr_expect_str_eq(f->evidence[1].value, "570.1");
}

Test(engine_steps, evidence_is_at_most_twenty_rows)
{
    const struct finding *f = run_one(
        "",
        "\"evidence\": [{\"what\": \"{i}\", \"query\": \"WITH RECURSIVE n(i) AS (SELECT 1 UNION "
        "ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n\"}],",
        NULL);
    cr_assert_eq(f->evidence_count, 20);
    cr_expect_str_eq(f->evidence[19].what, "20");
}

/* --- steps --- */

Test(engine_steps, a_plain_step)
{
    const struct finding *f =
        run_one(", '/opt/my env' AS prefix",
                "\"steps\": [{\"text\": \"In {prefix}:\", \"command\": \"ls -l {prefix:path}\"},"
                " {\"text\": \"Restart.\"}],",
                NULL);
    cr_assert_eq(f->step_count, 2);
    cr_expect_str_eq(f->steps[0].text, "In /opt/my env:");
    cr_expect_str_eq(f->steps[0].command, "ls -l '/opt/my env'");
    cr_expect_null(f->steps[1].command);
}

Test(engine_steps, a_null_slot_makes_the_step_text_only)
{
    const struct finding *f = run_one(
        ", NULL AS prefix",
        "\"steps\": [{\"text\": \"In {prefix}:\", \"command\": \"ls {prefix:path}\"}],", NULL);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "In unknown." LEFT_OUT);
    cr_expect_null(f->steps[0].command);
}

Test(engine_steps, a_value_that_does_not_fit_makes_the_step_text_only)
{
    const struct finding *f = run_one(", 'torch; rm -rf ~' AS name",
                                      "\"steps\": [{\"text\": \"Install {name}.\", \"command\": "
                                      "\"pip install {name:package}\"}],",
                                      NULL);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "Install torch; rm -rf ~." LEFT_OUT);
    cr_expect_null(f->steps[0].command);
}

#define MODULE_STEP(more) \
    "\"steps\": [{\"text\": \"Unload {name}:\", " more \
    "\"query\": \"SELECT name FROM kernel_module WHERE :subject = 'machine' ORDER BY name\", " \
    "\"command\": \"rmmod {name:word}\"}],"
#define TWO_MODULES "{\"kernel_module\": [{\"name\": \"b\"}, {\"name\": \"a\"}]}"

Test(engine_steps, the_first_row_of_a_query)
{
    const struct finding *f =
        run_one("", MODULE_STEP("\"otherwise\": \"Nothing to unload.\", "), TWO_MODULES);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "Unload a:");
    cr_expect_str_eq(f->steps[0].command, "rmmod a");
}

Test(engine_steps, otherwise_where_there_is_no_row)
{
    const struct finding *f = run_one("", MODULE_STEP("\"otherwise\": \"Nothing to do.\", "), NULL);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "Nothing to do.");
    cr_expect_null(f->steps[0].command);
}

Test(engine_steps, an_optional_step_vanishes)
{
    const struct finding *f = run_one("", MODULE_STEP("\"optional\": true, "), NULL);
    cr_expect_eq(f->step_count, 0);
}

Test(engine_steps, a_step_whose_column_is_0_has_no_row)
{
    const struct finding *f =
        run_one(", 0 AS asked", MODULE_STEP("\"otherwise\": \"Nothing.\", \"if\": \"asked\", "),
                TWO_MODULES);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "Nothing.");
}

Test(engine_steps, a_step_whose_column_is_0_by_its_number_has_no_row)
{
    const struct finding *f = run_one(
        ", 0.0 AS asked", MODULE_STEP("\"optional\": true, \"if\": \"asked\", "), TWO_MODULES);
    cr_expect_eq(f->step_count, 0);
}

Test(engine_steps, a_step_whose_column_is_not_known_has_no_row)
{
    const struct finding *f = run_one(
        ", NULL AS asked", MODULE_STEP("\"optional\": true, \"if\": \"asked\", "), TWO_MODULES);
    cr_expect_eq(f->step_count, 0);
}

Test(engine_steps, a_step_whose_column_is_1_is_asked)
{
    const struct finding *f = run_one(
        ", 1 AS asked", MODULE_STEP("\"optional\": true, \"if\": \"asked\", "), TWO_MODULES);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "Unload a:");
}

Test(engine_steps, each_row_a_step)
{
    const struct finding *f =
        run_one("", MODULE_STEP("\"optional\": true, \"each\": true, "), TWO_MODULES);
    cr_assert_eq(f->step_count, 2);
    cr_expect_str_eq(f->steps[1].command, "rmmod b");
}

Test(engine_steps, each_is_at_most_ten)
{
    const struct finding *f = run_one(
        "",
        "\"steps\": [{\"text\": \"{i}\", \"optional\": true, \"each\": true, \"query\": \"WITH "
        "RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM "
        "n\"}],",
        NULL);
    cr_expect_eq(f->step_count, 10);
}

Test(engine_steps, the_text_stays_without_a_row)
{
    const struct finding *f = run_one(
        ", 'x' AS a",
        "\"steps\": [{\"text\": \"Do {a}:\", \"query\": \"SELECT name FROM kernel_module\", "
        "\"command\": \"rmmod {name:word}\"}],",
        NULL);
    cr_assert_eq(f->step_count, 1);
    cr_expect_str_eq(f->steps[0].text, "Do x:");
    cr_expect_null(f->steps[0].command);
}

/* The finding stands: it loses the entry, and the step falls back to its words. */
Test(engine_steps, a_query_that_fails_takes_only_its_part)
{
#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    const struct finding *f =
        run_one("",
                "\"evidence\": [{\"what\": \"lost\", \"query\": \"" ENDLESS
                "SELECT 1 AS one FROM n WHERE i < 0\"}, {\"what\": \"kept\"}],"
                "\"steps\": [{\"text\": \"first\", \"query\": \"SELECT 'a' AS a\","
                "  \"command\": \"run {a:word}\"},"
                " {\"text\": \"with {a}\", \"query\": \"" ENDLESS
                "SELECT 'a' AS a FROM n WHERE i < 0\", \"otherwise\": \"without\","
                "  \"command\": \"run {a:word}\"},"
                " {\"text\": \"gone\", \"query\": \"" ENDLESS
                "SELECT 1 AS a FROM n WHERE i < 0\", \"optional\": true},"
                " {\"text\": \"last\", \"query\": \"SELECT 'b' AS b\","
                "  \"command\": \"run {b:word}\"}],",
                NULL);
    cr_assert_eq(f->evidence_count, 1);
    cr_expect_str_eq(f->evidence[0].what, "kept");
    cr_assert_eq(f->step_count, 3);
    cr_expect_str_eq(f->steps[0].command, "run a");
    cr_expect_str_eq(f->steps[1].text, "without");
    cr_expect_null(f->steps[1].command);
    cr_expect_str_eq(f->steps[2].command, "run b", "the next has a limit of its own");
    cr_assert_eq(set.result.failed_count, 1, "told once for the rule");
    cr_expect_str_eq(set.result.failed[0].error,
                     "evidence[0].query: it was stopped: it takes too many steps");
    cr_expect_eq(set.result.unknown_count, 0);
}

/* What is asked with the same values has the same answer; with others it is asked again. */
Test(engine_steps, an_answer_is_kept_for_the_same_question_alone)
{
    rule_set_add(&set, "r", "gpu",
                 "SELECT pci_address AS subject, 'fail' AS verdict, gpu_index AS n,"
                 " CASE WHEN gpu_index > 1 THEN 'x' END AS x FROM gpu",
                 "\"evidence\": [{\"what\": \"{v}\", \"query\": \"SELECT 'n' || :n AS v UNION ALL"
                 " SELECT 'm' || :n\"}], \"steps\": [{\"text\": \"{v} {n}\", \"optional\": true,"
                 " \"query\": \"SELECT coalesce(:x, 'none') AS v\"}, {\"text\": \"few\","
                 " \"optional\": true, \"query\": \"SELECT 1 AS one WHERE :x IS NULL\"}],");
    rule_set_must_load(&set);
    rule_set_facts(&set, "{\"gpu\": [{\"pci_address\": \"a\", \"gpu_index\": 0, \"name\": \"A\"},"
                         " {\"pci_address\": \"b\", \"gpu_index\": 1, \"name\": \"B\"},"
                         " {\"pci_address\": \"c\", \"gpu_index\": 2, \"name\": \"C\"},"
                         " {\"pci_address\": \"d\", \"gpu_index\": 3, \"name\": \"D\"}]}");
    static const char *const texts[] = {"none 0", "none 1", "x 2", "x 3"};
    static const char *const evidence[][2] = {
        {"n0", "m0"}, {"n1", "m1"}, {"n2", "m2"}, {"n3", "m3"}};
    for (int again = 0; again < 2; again++) {
        rule_set_run(&set, NULL);
        cr_assert_eq(set.result.finding_count, 4);
        for (size_t i = 0; i < 4; i++) {
            const struct finding *f = &set.result.findings[i];
            cr_assert_eq(f->evidence_count, 2);
            cr_expect_str_eq(f->evidence[0].what, evidence[i][0]);
            cr_expect_str_eq(f->evidence[1].what, evidence[i][1]);
            cr_assert_eq(f->step_count, i < 2 ? 2 : 1);
            cr_expect_str_eq(f->steps[0].text, texts[i]);
        }
    }
}

Test(engine_steps, a_step_query_is_not_counted_as_read)
{
    const struct finding *f =
        run_one("", MODULE_STEP("\"optional\": true, "),
                "{\"probe\": [{\"scope\": \"machine\", \"status\": \"denied\", \"path\": \"/x\", "
                "\"fills\": \"kernel_module\"}]}");
    cr_expect_eq(f->step_count, 0);
}

/* --- lines of the matrix --- */

#define MATRIX_HEAD \
    "{\"schema\": 1, \"title\": \"t\", \"sources\": [{\"id\": \"s\", \"title\": \"S\", \"url\": " \
    "null}], \"columns\": {\"manager\": {\"type\": \"text\", \"doc\": \"d\"}, \"command\": " \
    "{\"type\": \"text\", \"doc\": \"d\"}, \"confidence\": {\"type\": \"text\", \"doc\": \"d\"}, " \
    "\"source\": {\"type\": \"text\", \"doc\": \"d\"}}, \"key\": [\"manager\"], \"rows\": ["
#define FIX(manager, command) \
    "{\"manager\": \"" manager "\", \"command\": \"" command \
    "\", \"confidence\": \"high\", \"source\": \"s\"}"

static void write_fixes(void)
{
    scratch_write(set.root, "matrix/fix.json",
                  MATRIX_HEAD FIX("pip",
                                  "{python:path} -m pip install \\\"torch=={v:version}\\\""
                                  " && echo $HOME") "," FIX("uv", "uv sync {nix:word}") "]}");
}

static const struct finding *run_line(const char *step_query)
{
    char more[700];
    write_fixes();
    snprintf(more, sizeof more,
             "\"steps\": [{\"text\": \"Install:\", \"query\": \"%s\", \"command\": "
             "\"{command:line}\"}],",
             step_query);
    return run_one(", '2.8.0' AS v, '/opt/my env/bin/python' AS python", more,
                   "{\"env_var\": [{\"name\": \"EVIL\", \"value\": \"rm -rf /\"}]}");
}

Test(engine_steps, a_line_is_filled_from_both_rows)
{
    const struct finding *f =
        run_line("SELECT command, '/usr/bin/python3' AS python FROM m_fix WHERE manager = 'pip'");
    cr_expect_str_eq(f->steps[0].command,
                     "/usr/bin/python3 -m pip install \"torch==2.8.0\" && echo $HOME");
}

Test(engine_steps, a_line_goes_through_views)
{
    scratch_write(set.root, "views.sql",
                  "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key, "
                  "'m' AS label, 'machine' AS scope;"
                  "CREATE VIEW best AS SELECT f.command AS command FROM m_fix f WHERE manager = "
                  "'pip';");
    const struct finding *f = run_line("SELECT command FROM best");
    cr_expect_str_eq(f->steps[0].command,
                     "'/opt/my env/bin/python' -m pip install \"torch==2.8.0\" && echo $HOME");
}

Test(engine_steps, a_line_with_a_slot_that_nobody_has_is_text_only)
{
    cr_expect_null(run_line("SELECT command FROM m_fix WHERE manager = 'uv'")->steps[0].command);
}

/* SQLite names one arm of a compound as the origin: the value itself must be the matrix's. */
Test(engine_steps, a_fact_cannot_pass_for_a_line)
{
    const struct finding *f =
        run_line("SELECT command FROM (SELECT value AS command FROM env_var UNION ALL SELECT "
                 "command FROM m_fix) WHERE command GLOB 'rm*'");
    cr_expect_str_eq(f->steps[0].text, "Install." LEFT_OUT);
    cr_expect_null(f->steps[0].command);
}

static void expect_load_error(const char *more, const char *sentence)
{
    write_fixes();
    rule_set_add(&set, "r", "machine", "SELECT 'machine' AS subject, 'fail' AS verdict, 'x' AS c",
                 more);
    cr_expect_lt(rule_set_load(&set), 0);
    cr_expect_str_eq(rule_set_error(&set), sentence);
}

Test(engine_steps, a_line_must_come_from_the_matrix)
{
    expect_load_error("\"steps\": [{\"text\": \"t\", \"query\": \"SELECT value FROM env_var\",\n"
                      " \"command\": \"{value:line}\"}],",
                      "checks/r.json:2:13: steps[0].command: {value:line} must be a column of a "
                      "matrix table, not of env_var");
}

Test(engine_steps, a_line_must_not_be_put_together)
{
    expect_load_error(
        "\"steps\": [{\"text\": \"t\", \"query\": \"SELECT 'sudo ' || command AS value FROM m_fix\""
        ",\n \"command\": \"{value:line}\"}],",
        "checks/r.json:2:13: steps[0].command: {value:line} must be a column of a matrix table, "
        "not of an expression");
}

Test(engine_steps, a_line_must_be_of_the_steps_own_query)
{
    expect_load_error("\"steps\": [{\"text\": \"t\",\n\"command\": \"{c:line}\"}],",
                      "checks/r.json:2:12: steps[0].command: {c:line} must be a column of the "
                      "step's own query");
}

Test(engine_steps, a_line_must_be_the_whole_command)
{
    expect_load_error("\"steps\": [{\"text\": \"t\", \"query\": \"SELECT command FROM m_fix\",\n"
                      " \"command\": \"sudo {command:line}\"}],",
                      "checks/r.json:2:19: steps[0].command: a slot of type line must be the whole "
                      "command");
}

/* --- types and quotes --- */

Test(engine_steps, slot_types)
{
    static const struct {
        enum slot_type type;
        const char *value;
        bool fits;
    } cases[] = {
        {SLOT_PATH, "/opt/my env", true},
        {SLOT_PATH, "/opt/$(reboot)", true}, /* quoted, so harmless */
        {SLOT_PATH, "/opt/it's", true},
        {SLOT_PATH, "/opt/\xc3\xa9t\xc3\xa9", true},
        {SLOT_PATH, "-rf", false},
        {SLOT_PATH, "", false},
        {SLOT_PATH, "/a\nb", false},
        {SLOT_PATH, "/a\x1b[2J", false},
        {SLOT_PATH, "/a\xff", false},
        {SLOT_PATH,
         "/a\xe2\x80\xae"
         "b",
         false}, /* right-to-left override */
        {SLOT_PACKAGE, "torch", true},
        {SLOT_PACKAGE, "jax[cuda12]", true},
        {SLOT_PACKAGE, "jax[cuda12,k8s]", true},
        {SLOT_PACKAGE, "a.b_c-d", true},
        {SLOT_PACKAGE, "-torch", false},
        {SLOT_PACKAGE, "torch-", false},
        {SLOT_PACKAGE, "torch==1", false},
        {SLOT_PACKAGE, "jax[cuda12", false},
        {SLOT_PACKAGE, "jax[]", false},
        {SLOT_PACKAGE, "jax[a]b", false},
        {SLOT_PACKAGE, "a b", false},
        {SLOT_PACKAGE, "torch;reboot", false},
        {SLOT_VERSION, "2.8.0", true},
        {SLOT_VERSION, "2.8.0+cu126", true},
        {SLOT_VERSION, "1!2.0rc1.post1", true},
        {SLOT_VERSION, "570.86.10", true},
        {SLOT_VERSION, "2.8; ls", false},
        {SLOT_VERSION, " 2.8", false},
        {SLOT_VERSION, "2.8\n", false},
        {SLOT_VERSION, "new", false},
        {SLOT_PATH, "/home/u/x", true},
        {SLOT_PATH, "/home/u/a\\x5", true},
        {SLOT_PATH, "/home/u/e\xff", false},
        {SLOT_PATH, "/home/u/e\\xff", false}, /* the same in a snapshot */
        {SLOT_WORD, "nvidia-driver-570", true},
        {SLOT_WORD, "a/b:c@d=e+f.g_h", true},
        {SLOT_WORD, "-y", false},
        {SLOT_WORD, "a b", false},
        {SLOT_WORD, "$HOME", false},
        {SLOT_WORD, "a,b", false},
        {SLOT_WORD, "\xc3\xa9", false},
        {SLOT_SPEC, "torch==2.8.0", true},
        {SLOT_SPEC, "jax[cuda12]>=0.4,<0.5", true},
        {SLOT_SPEC, "torch==2.8.*", true},
        {SLOT_SPEC, "torch", false},
        {SLOT_SPEC, "torch=2.8", false},
        {SLOT_SPEC, "torch==2.8 --pre", false},
        {SLOT_SPEC, "torch>1>out", false},
        {SLOT_URL, "https://download.pytorch.org/whl/cu126", true},
        {SLOT_URL, "https://example.org:8443/a?b=c&d=%20", true},
        {SLOT_URL, "http://example.org/", false},
        {SLOT_URL, "https://user:secret@example.org/", false},
        {SLOT_URL, "https:///a", false},
        {SLOT_URL, "https://example.org/a b", false},
        {SLOT_URL, "https://example.org/`ls`", false},
        {SLOT_LINE, "ls", false},
        {SLOT_TEXT, "ls", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(slot_fits(cases[i].type, cases[i].value), cases[i].fits, "%d %s",
                     (int)cases[i].type, cases[i].value);
}

Test(engine_steps, a_value_may_not_be_endless)
{
    char *value = malloc(5001);
    memset(value, 'a', 5000);
    value[5000] = '\0';
    cr_expect_not(slot_fits(SLOT_WORD, value));
    cr_expect_not(slot_fits(SLOT_PATH, value));
    free(value);
}

Test(engine_steps, quoting)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"/usr/bin/python3.12", "/usr/bin/python3.12"},
        {"a b", "'a b'"},
        {"", "''"},
        {"it's", "'it'\\''s'"},
        {"$(ls)", "'$(ls)'"},
        {"`ls`", "'`ls`'"},
        {"a\"b", "'a\"b'"},
        {"torch<2.15", "'torch<2.15'"},
        {"jax[cuda12]", "'jax[cuda12]'"},
        {"1!2.0", "'1!2.0'"},
        {"~/env", "'~/env'"},
        {"=ls", "'=ls'"},
        {"a;b", "'a;b'"},
        {"a\\b", "'a\\b'"},
        {"*", "'*'"},
        {"https://a.org/?b&c", "'https://a.org/?b&c'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CLEANUP_TEXT struct text out = {0};
        shell_quote(&out, cases[i][0]);
        cr_expect_str_eq(text_get(&out), cases[i][1]);
    }
}

/* Whether a template is refused, and why. */
static const char *refusal(const char *source, enum template_kind kind, size_t *ret_offset)
{
    static struct error err;
    struct arena arena = {0};
    struct template template;
    err.text[0] = '\0';
    template_parse(&arena, source, kind, &template, ret_offset, &err);
    arena_done(&arena);
    return err.text;
}

Test(engine_steps, templates_that_are_refused)
{
    static const struct {
        enum template_kind kind;
        const char *source, *why;
        size_t offset;
    } cases[] = {
        {TEMPLATE_TEXT, "a {", "a slot is {name}; a brace is written {{", 2},
        {TEMPLATE_TEXT, "a {}", "a slot is {name}; a brace is written {{", 2},
        {TEMPLATE_TEXT, "a } b", "a lone }; a brace is written }}", 2},
        {TEMPLATE_TEXT, "{name", "the slot {name is not closed", 0},
        {TEMPLATE_TEXT, "{name x}", "the slot {name is not closed", 0},
        {TEMPLATE_TEXT, "{name:word}", "a slot has a type only in a command", 0},
        {TEMPLATE_COMMAND, "ls {name}", "the slot {name} of a command needs a type", 3},
        {TEMPLATE_COMMAND, "ls {name:file}", "unknown slot type \"file\"", 3},
        {TEMPLATE_COMMAND, "ls {name:}", "unknown slot type \"\"", 3},
        {TEMPLATE_COMMAND, "ls '{name:path}'",
         "the slot {name} stands inside quotes: only word and version may", 4},
        {TEMPLATE_COMMAND, "a\nb", "a command is one line", 1},
        {TEMPLATE_TEXT, "fine {{ {a} }} b", "", 16},
        {TEMPLATE_COMMAND, "\"{a:word}\" {b:path} \"c\" '{d:version}'", "", 37},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t offset = 99;
        cr_expect_str_eq(refusal(cases[i].source, cases[i].kind, &offset), cases[i].why, "%s",
                         cases[i].source);
        cr_expect_eq(offset, cases[i].offset, "%s: %zu", cases[i].source, offset);
    }
}

static bool epoch(const void *context, const char *name, const char **ret)
{
    (void)context;
    (void)name;
    *ret = "1!2.0";
    return true;
}

Test(engine_steps, no_quotes_inside_quotes)
{
    struct arena arena = {0};
    struct template template;
    size_t offset;
    cr_assert_eq(
        template_parse(&arena, "x \"a=={v:version}\"", TEMPLATE_COMMAND, &template, &offset, NULL),
        0);
    cr_expect_null(template_command(&template, epoch, NULL, &arena));
    cr_assert_eq(
        template_parse(&arena, "x a=={v:version}", TEMPLATE_COMMAND, &template, &offset, NULL), 0);
    cr_expect_str_eq(template_command(&template, epoch, NULL, &arena), "x a=='1!2.0'");
    arena_done(&arena);
}
