/* Verdicts, blindness, folding, limits: what a run makes of rules and facts. */
#include "rule_set.h"

static struct rule_set set;

static void set_up(void)
{
    rule_set_start(&set);
}

static void tear_down(void)
{
    rule_set_end(&set);
}

TestSuite(engine, .init = set_up, .fini = tear_down);

#define FINGERPRINT_A "bc2200d620e7df1530e619e980ff057e7507e61fcc1777261dbb17406fa70b7d"

#define TWO_GPUS \
    "{\"gpu\": [{\"pci_address\": \"0000:01:00.0\", \"gpu_index\": 0, \"name\": \"A\"}," \
    " {\"pci_address\": \"0000:02:00.0\", \"gpu_index\": 1, \"name\": \"B\"}]}"
#define TWO_ENVIRONMENTS \
    "{\"environment\": [{\"environment_id\": \"/a\"}, {\"environment_id\": \"/b\"}]}"

static const char *reason_of(const char *key)
{
    for (size_t i = 0; i < set.result.unknown_count; i++)
        if (strcmp(set.result.unknowns[i].key, key) == 0)
            return set.result.unknowns[i].reason;
    return NULL;
}

/* --- verdicts --- */

Test(engine, every_verdict_is_counted)
{
    rule_set_add(&set, "r", "gpu",
                 "SELECT pci_address AS subject, CASE gpu_index WHEN 0 THEN 'fail' ELSE 'ok' END "
                 "AS verdict FROM gpu",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.rule_count, 1);
    cr_expect_eq(set.result.rules[0].ok, 1);
    cr_expect_eq(set.result.rules[0].fail, 1);
    cr_expect_eq(set.result.errors, 1);
    cr_expect_eq(set.result.ok, 1);
    cr_assert_eq(set.result.finding_count, 1);
    const struct finding *f = &set.result.findings[0];
    cr_expect_str_eq(f->rule->id, "r");
    cr_expect_str_eq(f->kind, "gpu");
    cr_expect_str_eq(f->key, "gpu 0");
    cr_expect_str_eq(f->label, "A");
    cr_expect_str_eq(f->subject, "0000:01:00.0");
    cr_expect_str_eq(f->message, "it is broken");
    cr_expect_null(f->confidence);
    cr_expect_null(f->cause);
}

Test(engine, null_is_unknown)
{
    rule_set_add(&set, "r", "gpu",
                 "SELECT pci_address AS subject, CASE WHEN cc_key < 500 THEN 'fail' WHEN cc_key >= "
                 "500 THEN 'ok' END AS verdict FROM gpu",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.unknown_count, 2);
    cr_expect_str_eq(reason_of("gpu 0"), "a fact that decides is not known");
    cr_expect_str_eq(set.result.unknowns[1].label, "B");
    cr_expect_eq(set.result.ok + set.result.finding_count, 0);
}

Test(engine, no_row_is_unknown)
{
    rule_set_add(&set, "r", "gpu",
                 "SELECT pci_address AS subject, 'ok' AS verdict FROM gpu WHERE gpu_index = 1", "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.ok, 1);
    cr_expect_eq(set.result.unknown, 1);
    cr_expect_str_eq(reason_of("gpu 0"), "no data for this in the rules");
}

Test(engine, a_rule_may_give_its_reason)
{
    rule_set_add(&set, "r", "gpu",
                 "SELECT pci_address AS subject, CASE gpu_index WHEN 0 THEN 'unknown' END AS "
                 "verdict, CASE gpu_index WHEN 0 THEN 'the moon is full' END AS reason FROM gpu",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_expect_str_eq(reason_of("gpu 0"), "the moon is full");
    cr_expect_str_eq(reason_of("gpu 1"), "a fact that decides is not known");
}

Test(engine, applies_alone_makes_skip)
{
    rule_set_add(&set, "r", "gpu", "SELECT pci_address AS subject, 'fail' AS verdict FROM gpu",
                 "\"applies\": \"SELECT pci_address FROM gpu WHERE gpu_index = 1\",");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.skip, 1);
    cr_expect_eq(set.result.rules[0].skip, 1);
    cr_assert_eq(set.result.finding_count, 1);
    cr_expect_str_eq(set.result.findings[0].key, "gpu 1");
}

Test(engine, no_subjects_no_verdicts)
{
    rule_set_add(&set, "r", "gpu", "SELECT pci_address AS subject, 'fail' AS verdict FROM gpu", "");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.rule_count, 1);
    cr_expect_eq(set.result.rules[0].fail + set.result.rules[0].ok + set.result.rules[0].unknown,
                 0);
}

/* --- a rule that fails --- */

/* The rule's subjects are unknown with the reason, and the rule beside it is judged. */
static void expect_failure(const char *query, const char *sentence)
{
    rule_set_add(&set, "r", "gpu", query, "");
    rule_set_add(&set, "s", "gpu", "SELECT pci_address AS subject, 'ok' AS verdict FROM gpu", "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.failed_count, 1);
    cr_expect_str_eq(set.result.failed[0].rule->id, "r");
    cr_expect_str_eq(set.result.failed[0].error, sentence);
    cr_expect_not(set.result.failed[0].is_ours);
    cr_assert_eq(set.result.unknown_count, 2);
    cr_expect_str_eq(set.result.unknowns[0].rule->id, "r");
    char reason[300];
    snprintf(reason, sizeof reason, "the rule itself failed: %s", sentence);
    cr_expect_str_eq(reason_of("gpu 0"), reason);
    cr_expect_str_eq(reason_of("gpu 1"), reason);
    cr_expect_eq(set.result.ok, 2);
    cr_expect_eq(set.result.finding_count, 0);
}

Test(engine, two_rows_for_a_subject_are_an_error)
{
    expect_failure("SELECT '0000:01:00.0' AS subject, 'ok' AS verdict FROM gpu",
                   "query: two rows for the subject 0000:01:00.0");
}

Test(engine, a_verdict_that_is_none_is_an_error)
{
    expect_failure("SELECT pci_address AS subject, 'fine' AS verdict FROM gpu",
                   "query: subject 0000:01:00.0 has the verdict \"fine\"");
}

Test(engine, a_rule_cannot_skip_in_its_query)
{
    expect_failure("SELECT pci_address AS subject, 'skip' AS verdict FROM gpu",
                   "query: subject 0000:01:00.0 has the verdict \"skip\"");
}

Test(engine, a_subject_that_is_not_enumerated_is_an_error)
{
    expect_failure("SELECT 'x' AS subject, 'ok' AS verdict",
                   "query: x is not among the subjects of kind gpu");
}

Test(engine, a_null_subject_is_an_error)
{
    expect_failure("SELECT NULL AS subject, 'ok' AS verdict",
                   "query: NULL is not among the subjects of kind gpu");
}

Test(engine, a_severity_that_is_none_is_an_error)
{
    expect_failure("SELECT pci_address AS subject, 'fail' AS verdict, 'bad' AS severity FROM gpu",
                   "query: subject 0000:01:00.0 has the severity \"bad\"");
}

Test(engine, a_confidence_that_is_none_is_an_error)
{
    expect_failure("SELECT pci_address AS subject, 'fail' AS verdict, '1' AS confidence FROM gpu",
                   "query: subject 0000:01:00.0 has the confidence \"1\"");
}

Test(engine, a_runaway_query_is_stopped)
{
    expect_failure("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                   "SELECT 'x' AS subject, 'ok' AS verdict FROM n WHERE i < 0",
                   "query: it was stopped: it takes too many steps");
}

Test(engine, a_subject_listed_twice_fails_all_rules_of_its_kind)
{
    rule_set_add(&set, "q", "gpu", "SELECT pci_address AS subject, 'ok' AS verdict FROM gpu", "");
    rule_set_add(&set, "r", "gpu", "SELECT pci_address AS subject, 'ok' AS verdict FROM gpu", "");
    rule_set_add(&set, "s", "machine", "SELECT 'machine' AS subject, 'fail' AS verdict", "");
    rule_set_must_load(&set);
    rule_set_facts(&set, "{\"gpu\": [{\"pci_address\": \"1\"}, {\"pci_address\": \"1\"}]}");
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.failed_count, 2);
    for (size_t i = 0; i < 2; i++)
        cr_expect_str_eq(set.result.failed[i].error, "view subject_gpu: it lists 1 twice");
    cr_expect_eq(set.result.ok, 0);
    cr_expect_eq(set.result.finding_count, 1, "the other kind is judged");
}

Test(engine, what_a_rule_that_fails_is_not_about_is_skipped)
{
    rule_set_add(&set, "r", "gpu", "SELECT 'x' AS subject, 'ok' AS verdict",
                 "\"applies\": \"SELECT pci_address FROM gpu WHERE gpu_index = 1\",");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].key, "gpu 1");
    cr_expect_eq(set.result.skip, 1);
}

Test(engine, a_rule_whose_applies_fails_knows_nothing)
{
    rule_set_add(&set, "r", "gpu", "SELECT pci_address AS subject, 'fail' AS verdict FROM gpu",
                 "\"applies\": \"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                 "SELECT 'x' FROM n WHERE i < 0\",");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 0);
    cr_assert_eq(set.result.unknown_count, 2);
    cr_expect_str_eq(reason_of("gpu 0"), "the rule itself failed: applies: it was stopped: it "
                                         "takes too many steps");
}

Test(engine, a_view_evaluated_once_that_fails_takes_its_readers_alone)
{
    scratch_write(set.root, "views.sql",
                  "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key,"
                  " 'm' AS label, 'machine' AS scope;"
                  "CREATE TABLE endless AS WITH RECURSIVE n(i) AS (SELECT 1 FROM kernel_module"
                  " UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
                  "CREATE TABLE above AS SELECT count(*) AS n FROM endless;");
    rule_set_add(&set, "a", "machine", "SELECT 'machine' AS subject, 'ok' AS verdict FROM above",
                 "");
    rule_set_add(&set, "b", "machine", "SELECT 'machine' AS subject, 'fail' AS verdict", "");
    rule_set_must_load(&set);
    rule_set_facts(&set, "{\"kernel_module\": [{\"name\": \"nvidia\"}]}");
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.failed_count, 1);
    cr_expect_str_eq(set.result.failed[0].error,
                     "view endless: it was stopped: it takes too many steps");
    cr_expect_eq(set.result.unknown_count, 1);
    cr_expect_eq(set.result.finding_count, 1);
    cr_expect_eq(facts_clear(engine_facts(set.engine), TABLE_kernel_module, &set.err), 0);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.failed_count, 0, "other facts, another run");
    cr_expect_eq(set.result.ok, 1);
}

/* --- severity and confidence --- */

static const struct finding *only_finding(const char *columns, const char *severity)
{
    char query[400], more[100];
    snprintf(query, sizeof query, "SELECT 'machine' AS subject, 'fail' AS verdict%s", columns);
    snprintf(more, sizeof more, "\"severity\": \"%s\",", severity);
    rule_set_add(&set, "r", "machine", query, more);
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.finding_count, 1);
    return &set.result.findings[0];
}

Test(engine, a_query_lowers_the_severity)
{
    cr_expect_eq(only_finding(", 'info' AS severity", "error")->severity, SEVERITY_INFO);
    cr_expect_eq(set.result.infos, 1);
}

Test(engine, a_query_cannot_raise_the_severity)
{
    cr_expect_eq(only_finding(", 'error' AS severity", "warning")->severity, SEVERITY_WARNING);
    cr_expect_eq(set.result.warnings, 1);
}

Test(engine, a_null_severity_is_the_files)
{
    cr_expect_eq(only_finding(", NULL AS severity", "error")->severity, SEVERITY_ERROR);
}

Test(engine, low_confidence_is_a_warning_at_most)
{
    const struct finding *f = only_finding(", 'low' AS confidence", "error");
    cr_expect_eq(f->severity, SEVERITY_WARNING);
    cr_expect_str_eq(f->confidence, "low");
    cr_expect_str_eq(f->message, "it is broken (low confidence: the data behind this is weak)");
}

Test(engine, low_confidence_leaves_an_info_alone)
{
    cr_expect_eq(only_finding(", 'low' AS confidence", "info")->severity, SEVERITY_INFO);
}

Test(engine, medium_confidence_says_probably)
{
    const struct finding *f = only_finding(", 'medium' AS confidence", "error");
    cr_expect_eq(f->severity, SEVERITY_ERROR);
    cr_expect_str_eq(f->message, "it is broken (probably: the data behind this is not confirmed)");
}

Test(engine, high_confidence_says_nothing)
{
    const struct finding *f = only_finding(", 'high' AS confidence", "error");
    cr_expect_str_eq(f->message, "it is broken");
    cr_expect_str_eq(f->confidence, "high");
}

/* --- blindness --- */

#define MODULE_RULE \
    "SELECT 'machine' AS subject, CASE WHEN EXISTS (SELECT 1 FROM kernel_module) THEN 'ok' ELSE " \
    "'fail' END AS verdict"
#define PROBE(scope, status, fills) \
    "{\"probe\": [{\"name\": \"p\", \"scope\": \"" scope "\", \"status\": \"" status "\", " \
    "\"path\": \"/proc/modules\", \"fills\": \"" fills "\"}]}"

static void run_module_rule(const char *facts)
{
    rule_set_add(&set, "r", "machine", MODULE_RULE, "");
    rule_set_must_load(&set);
    rule_set_facts(&set, facts);
    rule_set_run(&set, NULL);
}

Test(engine, absent_is_a_fact)
{
    run_module_rule(PROBE("machine", "absent", "kernel_module"));
    cr_expect_eq(set.result.finding_count, 1);
}

Test(engine, a_denied_source_makes_unknown)
{
    run_module_rule(PROBE("machine", "denied", "driver kernel_module"));
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].reason, "/proc/modules: denied");
}

Test(engine, a_malformed_source_makes_unknown)
{
    run_module_rule(PROBE("machine", "malformed", "kernel_module"));
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].reason, "/proc/modules: malformed");
}

Test(engine, the_place_and_its_detail_are_the_reason)
{
    run_module_rule("{\"probe\": [{\"name\": \"p\", \"scope\": \"machine\", \"status\": "
                    "\"timeout\", \"path\": \"/x\", \"detail\": \"the driver did not answer\", "
                    "\"fills\": \"kernel_module\"}]}");
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].reason, "/x: the driver did not answer");
}

Test(engine, another_source_that_filled_the_table_ends_blindness)
{
    run_module_rule("{\"probe\": [{\"name\": \"p\", \"scope\": \"machine\", \"status\": "
                    "\"denied\", \"path\": \"/x\", \"fills\": \"kernel_module\"}], "
                    "\"kernel_module\": [{\"name\": \"nvidia\"}]}");
    cr_expect_eq(set.result.ok, 1);
}

Test(engine, a_part_of_a_table_name_is_not_the_table)
{
    run_module_rule(PROBE("machine", "denied", "module kernel_modules kernel"));
    cr_expect_eq(set.result.finding_count, 1);
}

Test(engine, a_skipped_source_makes_unknown)
{
    run_module_rule(PROBE("machine", "skipped", "driver kernel_module"));
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].reason, "/proc/modules: skipped");
}

Test(engine, what_was_skipped_without_harm_names_no_table)
{
    run_module_rule(PROBE("machine", "skipped", ""));
    cr_expect_eq(set.result.finding_count, 1);
}

Test(engine, reading_probe_makes_nothing_unknown)
{
    rule_set_add(&set, "r", "machine",
                 "SELECT 'machine' AS subject, CASE WHEN EXISTS (SELECT 1 FROM probe WHERE status "
                 "= 'denied') THEN 'fail' ELSE 'ok' END AS verdict",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, PROBE("machine", "denied", "probe kernel_module"));
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
}

Test(engine, blindness_is_seen_through_views)
{
    scratch_write(set.root, "views.sql",
                  "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, NULL AS key, NULL "
                  "AS label, NULL AS scope;"
                  "CREATE VIEW inner_view AS SELECT * FROM kernel_module;"
                  "CREATE VIEW counted AS SELECT count(*) AS n FROM inner_view;");
    rule_set_add(&set, "r", "machine",
                 "SELECT 'machine' AS subject, CASE n WHEN 0 THEN 'fail' ELSE 'ok' END AS verdict "
                 "FROM counted",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, PROBE("machine", "denied", "kernel_module"));
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].key, "machine");
    cr_expect_str_eq(set.result.unknowns[0].label, "machine");
}

#define PACKAGES_RULE \
    "SELECT e.environment_id AS subject, CASE WHEN EXISTS (SELECT 1 FROM package p WHERE " \
    "p.environment_id = e.environment_id) THEN 'ok' ELSE 'fail' END AS verdict FROM environment e"

Test(engine, one_environment_may_be_blind_and_the_next_not)
{
    rule_set_add(&set, "r", "environment", PACKAGES_RULE, "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_ENVIRONMENTS);
    rule_set_facts(&set, PROBE("/a", "denied", "package framework"));
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].key, "/a");
    cr_assert_eq(set.result.finding_count, 1);
    cr_expect_str_eq(set.result.findings[0].key, "/b");
}

Test(engine, rows_of_another_environment_do_not_end_blindness)
{
    rule_set_add(&set, "r", "environment", PACKAGES_RULE, "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_ENVIRONMENTS);
    rule_set_facts(&set, PROBE("/a", "malformed", "package"));
    rule_set_facts(&set, "{\"package\": [{\"environment_id\": \"/b\", \"name\": \"torch\"}]}");
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.ok, 1);
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].key, "/a");
}

Test(engine, a_machine_subject_is_not_blind_for_an_environment)
{
    rule_set_add(&set, "r", "machine",
                 "SELECT 'machine' AS subject, CASE count(*) WHEN 0 THEN 'fail' ELSE 'ok' END AS "
                 "verdict FROM package",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, PROBE("/a", "denied", "package"));
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
}

Test(engine, an_environment_is_blind_with_the_machine)
{
    rule_set_add(&set, "r", "environment",
                 "SELECT environment_id AS subject, 'ok' AS verdict FROM environment LEFT JOIN "
                 "kernel_module m ON m.name = 'nvidia'",
                 "");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_ENVIRONMENTS);
    rule_set_facts(&set, PROBE("machine", "timeout", "kernel_module"));
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.unknown_count, 2);
}

Test(engine, blind_applies_comes_before_skip)
{
    rule_set_add(&set, "r", "machine", "SELECT 'machine' AS subject, 'ok' AS verdict",
                 "\"applies\": \"SELECT 'machine' FROM kernel_module\",");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.skip, 1);
    rule_set_facts(&set, PROBE("machine", "denied", "kernel_module"));
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.unknown, 1);
    cr_expect_eq(set.result.skip, 0);
}

Test(engine, skip_comes_before_a_blind_query)
{
    rule_set_add(&set, "r", "machine", MODULE_RULE, "\"applies\": \"SELECT 'machine' FROM gpu\",");
    rule_set_must_load(&set);
    rule_set_facts(&set, PROBE("machine", "denied", "kernel_module"));
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.skip, 1);
}

/* --- folding --- */

static void add_failing(const char *id, const char *kind, const char *more)
{
    char query[200];
    snprintf(query, sizeof query,
             "SELECT subject, CASE subject WHEN 'good' THEN 'ok' ELSE 'fail' END AS verdict FROM "
             "subject_%s",
             kind);
    rule_set_add(&set, id, kind, query, more);
}

static const char *cause_of(const char *rule)
{
    const struct finding *f = rule_set_finding(&set, rule);
    cr_assert_not_null(f, "%s", rule);
    return f->cause ? f->cause->rule->id : "-";
}

Test(engine, a_chain_folds_to_its_root)
{
    add_failing("c", "machine", "\"severity\": \"info\", \"caused_by\": [\"b\"],");
    add_failing("b", "machine", "\"severity\": \"warning\", \"caused_by\": [\"a\"],");
    add_failing("a", "machine", "\"severity\": \"warning\",");
    add_failing("z", "machine", "");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.finding_count, 4);
    cr_expect_str_eq(set.result.findings[0].rule->id, "z");
    cr_expect_str_eq(set.result.findings[1].rule->id, "a");
    cr_expect_str_eq(set.result.findings[2].rule->id, "b");
    cr_expect_str_eq(set.result.findings[3].rule->id, "c");
    cr_expect_str_eq(cause_of("c"), "b");
    cr_expect_str_eq(cause_of("b"), "a");
    cr_expect_str_eq(cause_of("a"), "-");
    cr_expect_eq(set.result.findings[2].cause, &set.result.findings[1]);
    cr_expect_eq(set.result.errors, 1);
    cr_expect_eq(set.result.warnings, 1);
    cr_expect_eq(set.result.folded, 2);
}

/* An error must not leave the exit status because a remark explains it. */
Test(engine, what_weighs_less_is_no_cause)
{
    add_failing("b", "machine", "\"caused_by\": [\"a\"],");
    add_failing("a", "machine", "\"severity\": \"info\",");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_expect_str_eq(cause_of("b"), "-");
    cr_expect_eq(set.result.errors, 1);
    cr_expect_eq(set.result.infos, 1);
    cr_expect_eq(set.result.folded, 0);
}

Test(engine, ignoring_a_cause_releases_its_followers)
{
    add_failing("a", "machine", "");
    add_failing("b", "machine", "\"caused_by\": [\"a\"],");
    add_failing("c", "machine", "\"caused_by\": [\"b\"],");
    rule_set_must_load(&set);
    rule_set_run(&set,
                 &(struct engine_options){.ignore = (const char *[]){"a"}, .ignore_count = 1});
    cr_expect_null(rule_set_finding(&set, "a"));
    cr_expect_str_eq(cause_of("b"), "-");
    cr_expect_str_eq(cause_of("c"), "b");
    cr_expect_eq(set.result.errors, 1);
    cr_expect_eq(set.result.rule_count, 2);
}

Test(engine, the_first_failing_cause_counts)
{
    rule_set_add(&set, "fine", "machine", "SELECT 'machine' AS subject, 'ok' AS verdict", "");
    add_failing("second", "machine", "");
    add_failing("third", "machine", "");
    add_failing("x", "machine", "\"caused_by\": [\"fine\", \"third\", \"second\"],");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_expect_str_eq(cause_of("x"), "third");
}

Test(engine, causes_are_looked_for_on_every_ancestor)
{
    add_failing("host", "machine", "");
    add_failing("env", "environment", "");
    add_failing("fw", "framework", "\"caused_by\": [\"env\"],");
    add_failing("far", "framework", "\"caused_by\": [\"host\"],");
    rule_set_must_load(&set);
    rule_set_facts(&set, "{\"environment\": [{\"environment_id\": \"/a\"}, {\"environment_id\": "
                         "\"good\"}], \"framework\": [{\"environment_id\": \"/a\", "
                         "\"framework_id\": \"/a torch\", \"name\": \"torch\"}, "
                         "{\"environment_id\": \"good\", \"framework_id\": \"good torch\", "
                         "\"name\": \"torch\"}]}");
    rule_set_run(&set, NULL);
    size_t released = 0;
    for (size_t i = 0; i < set.result.finding_count; i++) {
        const struct finding *f = &set.result.findings[i];
        if (strcmp(f->rule->id, "fw") == 0 && strcmp(f->key, "/a torch") == 0)
            cr_expect_str_eq(f->cause->key, "/a");
        if (strcmp(f->rule->id, "fw") == 0 && strcmp(f->key, "good torch") == 0)
            released += f->cause == NULL; /* its own environment is well */
        if (strcmp(f->rule->id, "far") == 0)
            cr_expect_str_eq(f->cause->rule->id, "host");
    }
    cr_expect_eq(released, 1);
    cr_expect_eq(set.result.folded, 3);
}

Test(engine, another_subject_is_no_cause)
{
    rule_set_add(&set, "cause", "gpu",
                 "SELECT pci_address AS subject, CASE gpu_index WHEN 0 THEN 'fail' ELSE 'ok' END "
                 "AS verdict FROM gpu",
                 "");
    add_failing("x", "gpu", "\"caused_by\": [\"cause\"],");
    rule_set_must_load(&set);
    rule_set_facts(&set, TWO_GPUS);
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.finding_count, 3);
    cr_expect_eq(set.result.folded, 1);
    cr_expect_str_eq(set.result.findings[0].rule->id, "cause");
    cr_expect_eq(set.result.findings[1].cause, &set.result.findings[0]);
    cr_expect_str_eq(set.result.findings[2].key, "gpu 1");
    cr_expect_null(set.result.findings[2].cause);
}

Test(engine, parents_in_a_circle_end)
{
    scratch_write(set.root, "views.sql",
                  "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key, "
                  "'m' AS label, 'machine' AS scope;"
                  "CREATE VIEW subject_parent AS SELECT 'machine' AS kind, 'machine' AS subject, "
                  "'x' AS parent_kind, 'y' AS parent UNION ALL SELECT 'x', 'y', 'machine', "
                  "'machine';");
    add_failing("a", "machine", "");
    add_failing("b", "machine", "\"caused_by\": [\"a\"],");
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_expect_str_eq(cause_of("b"), "a");
}

Test(engine, only_runs_what_is_named)
{
    add_failing("a", "machine", "");
    add_failing("b", "machine", "\"caused_by\": [\"a\"],");
    rule_set_must_load(&set);
    rule_set_run(&set, &(struct engine_options){.only = (const char *[]){"b"}, .only_count = 1});
    cr_assert_eq(set.result.finding_count, 1);
    cr_expect_str_eq(cause_of("b"), "-");
}

/* --- fingerprints --- */

static const char *fingerprint_of(const char *id, const char *target)
{
    static char copy[65];
    rule_set_run(&set, &(struct engine_options){.target = target});
    const struct finding *f = rule_set_finding(&set, id);
    cr_assert_eq(strlen(f->fingerprint), sizeof copy - 1);
    memcpy(copy, f->fingerprint, sizeof copy);
    return copy;
}

Test(engine, fingerprints_are_stable)
{
    add_failing("a", "machine", "");
    add_failing("b", "machine", "");
    rule_set_must_load(&set);
    /* sha256 of "a\0" "\0" "machine\0" "machine\0": people keep it in baselines */
    cr_expect_str_eq(fingerprint_of("a", NULL), FINGERPRINT_A);
    cr_expect_str_eq(fingerprint_of("a", NULL), FINGERPRINT_A);
    cr_expect_str_neq(fingerprint_of("b", NULL), FINGERPRINT_A);
    cr_expect_str_neq(fingerprint_of("a", "driver=535"), FINGERPRINT_A);
}

/* --- images --- */

Test(engine, an_image_holds_all_of_it)
{
    scratch_write(set.root, "version.json",
                  "{\"schema\": 1, \"version\": \"2026.1.0\", \"date\": \"2026-01-02\"}");
    scratch_write(set.root, "frameworks/torch.json",
                  "{\"name\": \"torch\", \"title\": \"PyTorch\", \"companion_of\": null}");
    add_failing("a", "machine", "\"links\": [\"example.org/a\"], \"why\": \"because\",");
    add_failing("b", "machine", "\"caused_by\": [\"a\"],");
    rule_set_must_load(&set);
    cr_expect_str_eq(engine_rules_version(set.engine), "2026.1.0");
    unsigned char *image;
    size_t size;
    cr_assert_eq(engine_save_image(set.engine, &image, &size, &set.err), 0, "%s", set.err.text);
    engine_free(set.engine);
    set.engine = NULL;
    cr_assert_eq(engine_open(image, size, &set.engine, &set.err), 0, "%s", set.err.text);

    const struct descriptor *descriptors;
    cr_expect_str_eq(engine_rules_version(set.engine), "2026.1.0");
    cr_assert_eq(engine_descriptors(set.engine, &descriptors), 1);
    cr_expect_str_eq(descriptors[0].file, "frameworks/torch.json");
    cr_expect_not_null(strstr(descriptors[0].json, "PyTorch"));
    cr_assert_eq(engine_rule_count(set.engine), 2);
    const struct rule_info *rule = engine_rule_named(set.engine, "a");
    cr_expect_eq(rule, engine_rule(set.engine, 0));
    cr_expect_null(engine_rule(set.engine, 2));
    cr_expect_null(engine_rule_named(set.engine, "c"));
    cr_expect_str_eq(rule->file, "checks/a.json");
    cr_expect_str_eq(rule->why, "because");
    cr_assert_eq(rule->link_count, 1);
    cr_expect_str_eq(rule->links[0], "example.org/a");
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 2);
    cr_expect_eq(set.result.folded, 1);
    result_done(&set.result);
    engine_free(set.engine);
    set.engine = NULL;
    sqlite3_free(image);
}

Test(engine, the_same_folder_gives_the_same_image)
{
    unsigned char *images[2];
    size_t sizes[2];
    add_failing("a", "machine", "");
    for (int i = 0; i < 2; i++) {
        rule_set_must_load(&set);
        cr_assert_eq(engine_save_image(set.engine, &images[i], &sizes[i], &set.err), 0);
    }
    cr_assert_eq(sizes[0], sizes[1]);
    cr_expect_eq(memcmp(images[0], images[1], sizes[0]), 0);
    sqlite3_free(images[0]);
    sqlite3_free(images[1]);
}

Test(engine, what_is_no_image_is_refused)
{
    static const char garbage[4096] = "this is no database";
    struct engine *engine = NULL;
    cr_expect_lt(engine_open(garbage, sizeof garbage, &engine, &set.err), 0);
    cr_expect_lt(engine_open(garbage, 0, &engine, &set.err), 0);
    cr_expect_null(engine);
}

Test(engine, a_second_folder_overrides_by_id)
{
    add_failing("a", "machine", "\"message\": \"ours\",");
    add_failing("b", "machine", "");
    rule_set_must_load(&set);
    char *site = scratch_new();
    scratch_write(site, "a.json",
                  "{\"id\": \"a\", \"title\": \"t\", \"severity\": \"info\", \"summary\": \"s\", "
                  "\"subject\": \"machine\", \"message\": \"theirs\", "
                  "\"query\": \"SELECT 'machine' AS subject, 'fail' AS verdict\"}");
    cr_assert_eq(engine_load_dir(set.engine, site, &set.err), 0, "%s", set.err.text);
    rule_set_run(&set, NULL);
    cr_expect_eq(engine_rule_count(set.engine), 2);
    cr_expect_str_eq(rule_set_finding(&set, "a")->message, "theirs");
    cr_expect_eq(set.result.infos, 1);
    scratch_remove(site);
}

Test(engine, a_second_folder_overrides_views)
{
    rule_set_add(&set, "r", "machine", "SELECT 'machine' AS subject, v AS verdict FROM opinion",
                 "");
    scratch_write(set.root, "views.sql",
                  "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key, "
                  "'m' AS label, 'machine' AS scope; CREATE VIEW opinion AS SELECT 'ok' AS v");
    rule_set_must_load(&set);
    char *site = scratch_new();
    scratch_write(site, "views.sql", "CREATE VIEW opinion AS SELECT 'fail' AS v;");
    cr_assert_eq(engine_load_dir(set.engine, site, &set.err), 0, "%s", set.err.text);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
    /* an override that breaks a rule is found while it is loaded */
    scratch_write(site, "views.sql", "CREATE VIEW opinion AS SELECT 'fail' AS w;");
    cr_expect_lt(engine_load_dir(set.engine, site, &set.err), 0);
    cr_expect_not_null(strstr(set.err.text, "no such column: v"), "%s", set.err.text);
    scratch_remove(site);
}

/* --- views that are evaluated once in a run --- */

#define ONCE_VIEWS \
    "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key, 'm' AS label, " \
    "'machine' AS scope;" \
    "CREATE TABLE modules AS SELECT name FROM kernel_module;" \
    "CREATE INDEX modules_key ON modules (name); CREATE INDEX gpu_key ON gpu (name, cc);" \
    "CREATE TABLE counted AS SELECT count(*) AS n FROM modules;"

static void add_once_rule(void)
{
    rule_set_add(&set, "r", "machine",
                 "SELECT 'machine' AS subject, CASE n WHEN 0 THEN 'fail' ELSE 'ok' END AS verdict "
                 "FROM counted",
                 "");
    scratch_write(set.root, "views.sql", ONCE_VIEWS);
}

Test(engine, a_view_evaluated_once_is_filled_anew_in_each_run)
{
    add_once_rule();
    rule_set_must_load(&set);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
    rule_set_facts(&set, "{\"kernel_module\": [{\"name\": \"nvidia\"}]}");
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.ok, 1);
    sqlite3_stmt *query = NULL;
    cr_assert_eq(engine_prepare_query(set.engine, "SELECT n FROM counted", &query, &set.err), 0);
    cr_assert_eq(sqlite3_step(query), SQLITE_ROW);
    cr_expect_eq(sqlite3_column_int(query, 0), 1);
    sqlite3_finalize(query);
}

Test(engine, blindness_is_seen_through_views_evaluated_once)
{
    add_once_rule();
    rule_set_must_load(&set);
    rule_set_facts(&set, PROBE("machine", "denied", "kernel_module"));
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.unknown_count, 1);
    cr_expect_str_eq(set.result.unknowns[0].reason, "/proc/modules: denied");
}

Test(engine, a_view_evaluated_once_can_be_overridden_and_overrides)
{
    add_once_rule();
    rule_set_must_load(&set);
    char *site = scratch_new();
    scratch_write(site, "views.sql", "CREATE VIEW counted AS SELECT 1 AS n;");
    cr_assert_eq(engine_load_dir(set.engine, site, &set.err), 0, "%s", set.err.text);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.ok, 1);
    scratch_write(site, "views.sql",
                  "CREATE TABLE counted AS SELECT 0 AS n; CREATE INDEX gpu_key ON gpu (cc);");
    cr_assert_eq(engine_load_dir(set.engine, site, &set.err), 0, "%s", set.err.text);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
    scratch_remove(site);
}

/* Out of an image one holds what it gives without facts; that must not outlive them. */
Test(engine, a_view_evaluated_once_of_an_image)
{
    unsigned char *image = NULL;
    size_t size = 0;
    add_once_rule();
    rule_set_must_load(&set);
    cr_assert_eq(engine_save_image(set.engine, &image, &size, &set.err), 0, "%s", set.err.text);
    engine_free(set.engine);
    set.engine = NULL;
    cr_assert_eq(engine_open(image, size, &set.engine, &set.err), 0, "%s", set.err.text);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
    rule_set_facts(&set, "{\"kernel_module\": [{\"name\": \"nvidia\"}]}");
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.ok, 1);
    cr_expect_eq(facts_clear(engine_facts(set.engine), TABLE_kernel_module, &set.err), 0);
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.finding_count, 1);
    rule_set_facts(&set, PROBE("machine", "denied", "kernel_module"));
    rule_set_run(&set, NULL);
    cr_expect_eq(set.result.unknown_count, 1, "what it reads is known without preparing it");
    engine_free(set.engine);
    set.engine = NULL;
    sqlite3_free(image);
}

Test(engine, rules_of_an_image_are_whole)
{
    unsigned char *image = NULL;
    size_t size = 0;
    rule_set_add(&set, "r", "machine", "SELECT 'machine' AS subject, 'fail' AS verdict",
                 "\"why\": \"w\", \"ok\": \"o\", \"links\": [\"https://a\", \"https://b\"],"
                 " \"severity\": \"warning\", \"caused_by\": [\"s\"],"
                 " \"applies\": \"SELECT 'machine'\",");
    rule_set_add(&set, "s", "machine", "SELECT 'machine' AS subject, 'ok' AS verdict", "");
    rule_set_must_load(&set);
    cr_assert_eq(engine_save_image(set.engine, &image, &size, &set.err), 0, "%s", set.err.text);
    engine_free(set.engine);
    set.engine = NULL;
    cr_assert_eq(engine_open(image, size, &set.engine, &set.err), 0, "%s", set.err.text);
    const struct rule_info *r = engine_rule_named(set.engine, "r");
    cr_expect_str_eq(r->title, "t");
    cr_expect_str_eq(r->summary, "s");
    cr_expect_str_eq(r->why, "w");
    cr_expect_str_eq(r->ok, "o");
    cr_expect_str_eq(r->file, "checks/r.json");
    cr_expect_eq(r->severity, SEVERITY_WARNING);
    cr_assert_eq(r->link_count, 2);
    cr_expect_str_eq(r->links[1], "https://b");
    cr_assert_eq(r->caused_by_count, 1);
    cr_expect_str_eq(r->caused_by[0], "s");
    const struct rule_info *s = engine_rule_named(set.engine, "s");
    cr_expect_null(s->ok);
    cr_expect_str_eq(s->why, "");
    cr_expect_eq(s->link_count + s->caused_by_count, 0);
    cr_expect(strstr(engine_rule_text(set.engine, "r"), "\"https://b\""));
    cr_expect_null(engine_rule_text(set.engine, "t"));
    rule_set_run(&set, NULL);
    cr_assert_eq(set.result.finding_count, 1);
    cr_expect_str_eq(set.result.findings[0].message, "it is broken");
    result_done(&set.result);
    engine_free(set.engine);
    set.engine = NULL;
    sqlite3_free(image);
}

/* --- functions --- */

static const char *evaluate(const char *expression)
{
    static char value[100];
    char sql[300];
    sqlite3_stmt *select;
    snprintf(sql, sizeof sql, "SELECT %s", expression);
    cr_assert_eq(engine_prepare_query(set.engine, sql, &select, &set.err), 0, "%s", set.err.text);
    cr_assert_eq(sqlite3_step(select), SQLITE_ROW);
    const char *text = (const char *)sqlite3_column_text(select, 0);
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    sqlite3_finalize(select);
    return value;
}

Test(engine, sql_functions)
{
    rule_set_must_load(&set);
    cr_expect_str_eq(evaluate("pep440_match('>=2.0,<3', '2.10.1')"), "1");
    cr_expect_str_eq(evaluate("pep440_match('==2.8.*', '2.9')"), "0");
    cr_expect_str_eq(evaluate("pep440_match('nonsense', '2.9')"), "NULL");
    cr_expect_str_eq(evaluate("pep440_match('>1', NULL)"), "NULL");
    cr_expect_str_eq(evaluate("pep440_cmp('2.10', '2.9')"), "1");
    cr_expect_str_eq(evaluate("pep440_cmp('2.0rc1', '2.0')"), "-1");
    cr_expect_str_eq(evaluate("pep440_cmp('2.0', '2')"), "0");
    cr_expect_str_eq(evaluate("pep440_cmp('2.0', 'x')"), "NULL");
    cr_expect_str_eq(evaluate("driver_key('570.86.10')"), "570086010");
    cr_expect_str_eq(evaluate("cuda_key('12.8')"), "1208");
    cr_expect_str_eq(evaluate("cc_key('9.0')"), "900");
    cr_expect_str_eq(evaluate("glibc_key('2.39')"), "239");
    cr_expect_str_eq(evaluate("driver_key('')"), "NULL");
    cr_expect_str_eq(evaluate("driver_key(NULL)"), "NULL");
    cr_expect_str_eq(evaluate("folder_of('/a/b/c.so')"), "/a/b");
    cr_expect_str_eq(evaluate("folder_of('/a/b//c.so')"), "/a/b");
    cr_expect_str_eq(evaluate("folder_of('/a/b/')"), "/a/b");
    cr_expect_str_eq(evaluate("folder_of('/a')"), "");
    cr_expect_str_eq(evaluate("folder_of('a')"), "");
    cr_expect_str_eq(evaluate("folder_of(NULL)"), "NULL");
}

Test(engine, sql_functions_of_text)
{
    static const char *const cases[][2] = {
        {"starts_with('a_b', 'a_')", "1"},
        {"starts_with('axb', 'a_')", "0"}, /* no pattern */
        {"starts_with('Ab', 'a')", "0"},
        {"starts_with('a', 'ab')", "0"},
        {"starts_with('a', '')", "1"},
        {"starts_with(NULL, 'a')", "NULL"},
        {"starts_with('a', NULL)", "NULL"},
        {"ends_with('/a/b.so', '/b.so')", "1"},
        {"ends_with('b.so', '/b.so')", "0"},
        {"ends_with('/a/b_so', '/b.so')", "0"},
        {"ends_with('a', NULL)", "NULL"},
        {"is_below('/a/b', '/a')", "1"},
        {"is_below('/a/b', '/a/')", "1"},
        {"is_below('/a/b', '/')", "1"},
        {"is_below('/ab', '/a')", "0"},
        {"is_below('/a', '/a')", "0"},
        {"is_below('/a/', '/a')", "0"},
        {"is_below('/', '/')", "0"},
        {"is_below('/x%/b', '/%%')", "0"},
        {"is_below('/a/b', '')", "NULL"},
        {"is_below(NULL, '/a')", "NULL"},
        {"before_first('a: b: c', ': ')", "a"},
        {"after_first('a: b: c', ': ')", "b: c"},
        {"before_last('a: b: c', ': ')", "a: b"},
        {"before_last('a:::', '::')", "a:"},
        {"after_first('a:', ':')", ""},
        {"before_first('a', ':')", "NULL"},
        {"after_first('a', '')", "NULL"},
        {"before_last(NULL, ':')", "NULL"},
        /* bytes that are no UTF-8, and a character cut in two */
        {"hex(before_first(CAST(x'61e93a20' AS TEXT), ': '))", "61E9"},
        {"hex(before_first(CAST(x'6180ff3a20' AS TEXT), ': '))", "6180FF"},
        {"hex(after_first(CAST(x'61803a80' AS TEXT), ':'))", "80"},
        {"starts_with(CAST(x'2f61802f62' AS TEXT), CAST(x'2f6180' AS TEXT))", "1"},
        {"is_below(CAST(x'2f61802f62' AS TEXT), CAST(x'2f6180' AS TEXT))", "1"},
        {"normal_path('/s/torch/lib/../../nvidia/./x.so')", "/s/nvidia/x.so"},
        {"normal_path('//a///b/')", "/a/b"},
        {"normal_path('/../..')", "/"},
        {"normal_path('/a/..b/...')", "/a/..b/..."},
        {"normal_path('/')", "/"},
        {"normal_path('a/b')", "NULL"},
        {"normal_path('')", "NULL"},
        {"normal_path(NULL)", "NULL"},
    };
    rule_set_must_load(&set);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(evaluate(cases[i][0]), cases[i][1], "%s", cases[i][0]);
}
