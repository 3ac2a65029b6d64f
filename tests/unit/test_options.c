/* The option parser: every form of a value, and one sentence for every mistake. */
#include <criterion/criterion.h>
#include <errno.h>

#include "cli/command.h"

static const struct command *const commands[] = {&command_check, &command_facts, &command_query,
                                                 &command_rules};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands, WORDS_MAX = 16 };

static struct options options;
static struct error err;

static void tear_down(void)
{
    options_done(&options);
}

TestSuite(options, .fini = tear_down);

static int parse_words(const struct command *command, const char *const *words)
{
    char *argv[WORDS_MAX];
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    options_done(&options);
    err.text[0] = '\0';
    return options_parse(command, argc, argv, &options, &err);
}
#define PARSE(command, ...) parse_words(command, (const char *const[]){__VA_ARGS__, NULL})

static void expect_refused(const char *sentence, const struct command *command,
                           const char *const *words)
{
    cr_expect_eq(parse_words(command, words), -EINVAL, "%s", sentence);
    cr_expect_str_eq(err.text, sentence);
}
#define REFUSED(sentence, ...) \
    expect_refused(sentence, &command_check, (const char *const[]){__VA_ARGS__, NULL})

Test(options, nothing_given_is_nothing_set)
{
    cr_assert_eq(parse_words(&command_check, (const char *const[]){NULL}), 0);
    cr_expect_null(options.root);
    cr_expect_null(options.format);
    cr_expect_null(options.output);
    cr_expect_not(options.strict);
    cr_expect_not(options.help);
    cr_expect_eq(options.operands.count + options.only.count + options.require.count, 0);
}

Test(options, a_value_follows_a_space_or_an_equals_sign)
{
    cr_assert_eq(PARSE(&command_check, "--root", "/a", "--format=json"), 0, "%s", err.text);
    cr_expect_str_eq(options.root, "/a");
    cr_expect_str_eq(options.format, "json");
    cr_assert_eq(PARSE(&command_check, "--root=/a=b", "--facts", "x=y"), 0);
    cr_expect_str_eq(options.root, "/a=b", "the first sign alone ends the name");
    cr_expect_str_eq(options.facts, "x=y");
}

Test(options, a_value_may_look_like_an_option)
{
    cr_assert_eq(PARSE(&command_check, "--root", "--strict"), 0);
    cr_expect_str_eq(options.root, "--strict");
    cr_expect_not(options.strict);
}

Test(options, the_last_of_two_values_counts)
{
    cr_assert_eq(PARSE(&command_check, "--root", "/a", "--root=/b"), 0);
    cr_expect_str_eq(options.root, "/b");
}

Test(options, a_list_keeps_each_value_in_order)
{
    cr_assert_eq(PARSE(&command_check, "--require", "gpu", "--ignore=a", "--require=torch>=2.6",
                       "--only", "b", "--env", "/e", "--require", "driver"),
                 0);
    cr_assert_eq(options.require.count, 3);
    cr_expect_str_eq(options.require.items[0], "gpu");
    cr_expect_str_eq(options.require.items[1], "torch>=2.6");
    cr_expect_str_eq(options.require.items[2], "driver");
    cr_assert_eq(options.ignore.count, 1);
    cr_expect_str_eq(options.ignore.items[0], "a");
    cr_assert_eq(options.only.count, 1);
    cr_assert_eq(options.environments.count, 1);
}

Test(options, flags_are_set)
{
    cr_assert_eq(PARSE(&command_check, "--strict", "--all-envs", "--wake"), 0);
    cr_expect(options.strict && options.all_environments && options.wake);
    cr_assert_eq(PARSE(&command_facts, "--schema", "gpu"), 0);
    cr_expect(options.schema);
    cr_assert_eq(options.operands.count, 1);
    cr_expect_str_eq(options.operands.items[0], "gpu");
}

Test(options, short_forms)
{
    cr_assert_eq(PARSE(&command_check, "-o", "r.json", "-h"), 0);
    cr_expect_str_eq(options.output, "r.json");
    cr_expect(options.help);
}

Test(options, two_hyphens_end_the_options)
{
    cr_assert_eq(PARSE(&command_query, "--format", "json", "--", "--strict", "-h", "--"), 0);
    cr_assert_eq(options.operands.count, 3);
    cr_expect_str_eq(options.operands.items[0], "--strict");
    cr_expect_str_eq(options.operands.items[1], "-h");
    cr_expect_str_eq(options.operands.items[2], "--");
    cr_expect_not(options.help);
}

Test(options, one_hyphen_and_nothing_are_operands)
{
    cr_assert_eq(PARSE(&command_query, "-", ""), 0);
    cr_assert_eq(options.operands.count, 2);
}

Test(options, a_missing_value_is_told)
{
    REFUSED("check: --root needs a value (DIR)", "--root");
    REFUSED("check: --root needs a value (DIR)", "--root=");
    REFUSED("check: --root needs a value (DIR)", "--root", "");
    REFUSED("check: --output needs a value (FILE)", "-o");
    REFUSED("check: --require needs a value (WHAT)", "--strict", "--require");
}

Test(options, a_flag_takes_no_value)
{
    REFUSED("check: --strict takes no value", "--strict=yes");
    REFUSED("check: --strict takes no value", "--strict=");
    REFUSED("check: --help takes no value", "--help=check");
}

Test(options, what_was_meant_is_suggested)
{
    REFUSED("check: unknown option --colour, did you mean --color; see gpudoctor check --help",
            "--colour");
    REFUSED("check: unknown option --formt=json, did you mean --format; see gpudoctor check --help",
            "--formt=json");
    REFUSED("check: unknown option --zzz; see gpudoctor check --help", "--zzz");
    REFUSED("check: unknown option -x; see gpudoctor check --help", "-x");
    REFUSED("check: unknown option -orep.json; see gpudoctor check --help", "-orep.json");
}

Test(options, an_option_of_another_command_is_unknown)
{
    cr_expect_eq(PARSE(&command_rules, "list", "--root=/a"), -EINVAL);
    cr_expect_eq(PARSE(&command_query, "--strict", "SELECT 1"), -EINVAL);
    cr_expect_eq(PARSE(&command_check, "--schema"), -EINVAL);
}

Test(options, a_hostile_word_is_told_without_control_characters)
{
    cr_expect_eq(PARSE(&command_check, "--\x1b[2J\n"), -EINVAL);
    for (const char *c = err.text; *c; c++)
        cr_expect((unsigned char)*c >= 0x20, "%02x", (unsigned char)*c);
}

/* Tables of options: what parsing and --help rely on. */
Test(options, the_tables_are_sound)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        bool help = false;
        for (const struct option *o = commands[i]->options; o->name; o++) {
            cr_expect_eq(strncmp(o->name, "--", 2), 0);
            cr_expect_eq(o->kind == OPTION_FLAG, o->argument == NULL, "%s", o->name);
            for (const struct option *p = commands[i]->options; p < o; p++)
                cr_expect_str_neq(p->name, o->name);
            help = help || strcmp(o->name, "--help") == 0;
        }
        cr_expect(help, "%s", commands[i]->name);
        cr_expect_not_null(commands[i]->examples[0]);
    }
}

/* --- what a session is made of --- */

Test(options, become_options_of_a_session)
{
    struct session_options session;
    cr_assert_eq(PARSE(&command_check, "--root", "/r", "--env", "/e", "--wake", "--require", "gpu",
                       "--nvml-timeout", "0.25", "--rules", "/rules"),
                 0);
    cr_assert(session_options_from(&options, &session));
    cr_expect_str_eq(session.root, "/r");
    cr_expect_str_eq(session.rules_dir, "/rules");
    cr_expect_null(session.facts_file);
    cr_expect_eq(session.probe.environment_count, 1);
    cr_expect_str_eq(session.probe.environments[0], "/e");
    cr_expect(session.probe.wake);
    cr_expect_not(session.probe.all_environments);
    cr_expect_eq(session.probe.nvml_deadline_ms, 250);
    cr_expect_eq(session.require_count, 1);
}

Test(options, a_timeout_is_a_number_of_seconds)
{
    static const char *const bad[] = {"", "x", "5s", "0", "-1", "601", "nan", "inf", "0x", "1e9"};
    struct session_options session;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct options given = {.nvml_timeout = bad[i]};
        cr_expect_not(session_options_from(&given, &session), "%s", bad[i]);
    }
    struct options most = {.nvml_timeout = "600"}, least = {.nvml_timeout = "0.0001"};
    cr_assert(session_options_from(&most, &session));
    cr_expect_eq(session.probe.nvml_deadline_ms, 600000);
    cr_assert(session_options_from(&least, &session));
    cr_expect_gt(session.probe.nvml_deadline_ms, 0, "0 would mean the default");
}

Test(options, that_exclude_each_other_are_refused)
{
    struct session_options session;
    struct options both = {.root = "/r", .facts = "f.json"};
    struct options all = {.facts = "f.json", .all_environments = true};
    cr_expect_not(session_options_from(&both, &session));
    cr_expect_not(session_options_from(&all, &session));
}
