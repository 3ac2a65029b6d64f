/* Results made by hand, as text and as JSON. What a renderer is given it must show, and show once.
 */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "base/json_file.h"
#include "render/render.h"

static const char *const links[] = {"https://example.com/a", "https://example.com/b"};
static const struct rule_info rule_old = {.id = "driver-too-old",
                                          .title = "The driver is too old",
                                          .ok = "the driver is new enough",
                                          .severity = SEVERITY_ERROR,
                                          .subject = "framework",
                                          .links = links,
                                          .link_count = 2};
static const struct rule_info rule_nvml = {.id = "nvml-failed",
                                           .title = "NVML does not start",
                                           .severity = SEVERITY_ERROR,
                                           .subject = "machine"};
static const struct rule_info rule_gpu = {.id = "no-gpu",
                                          .title = "No GPU is here",
                                          .ok = "a GPU is here",
                                          .severity = SEVERITY_INFO,
                                          .subject = "machine"};

static const struct evidence evidence[] = {
    {"driver", "570.86.10", "/proc/driver/nvidia/version"},
    {"module", "570.86.10", NULL},
    {"library", NULL, "/usr/lib/libcuda.so.1"},
    {"nothing else", NULL, NULL},
};
static const struct step steps[] = {
    {"Update the driver:", "sudo apt install nvidia-driver-580"},
    {"Restart the machine.", NULL},
};

static const struct finding plain_finding = {
    .rule = &rule_old,
    .severity = SEVERITY_ERROR,
    .kind = "framework",
    .key = "~/venv torch",
    .label = "torch 2.11.0 in /home/u/venv",
    .subject = "/home/u/venv torch",
    .message = "PyTorch needs driver 580.",
    .confidence = "high",
    .evidence = evidence,
    .evidence_count = 4,
    .steps = steps,
    .step_count = 2,
    .fingerprint = "aaaa",
};

static const struct style unicode = {.unicode = true, .width = 80};

static struct finding findings[3];
static struct unknown unknowns[20];
static struct rule_count counts[3];
static struct result result;
static struct summary summary;
static struct text out;
static json_t *json;

static void set_up(void)
{
    result = (struct result){.findings = findings, .unknowns = unknowns, .rules = counts};
    summary = (struct summary){.wsl = -1};
    memset(findings, 0, sizeof findings);
}

static void tear_down(void)
{
    text_done(&out);
    json_decref(json);
}

TestSuite(render, .init = set_up, .fini = tear_down);

static const struct report report = {&result, &summary, "1.2.3", "2026.1"};

static const char *as_text(const struct style *style)
{
    text_clear(&out);
    render_text(&out, style, &report);
    return text_get(&out);
}

static const char *first_line(void)
{
    as_text(&unicode);
    char *end = strchr(out.data, '\n');
    cr_assert_not_null(end);
    *end = '\0';
    return out.data;
}

/* One error in front, and the counts that belong to it. */
static void one_error(void)
{
    findings[0] = plain_finding;
    result.finding_count = 1;
    result.errors = 1;
}

static const json_t *as_json(void)
{
    json_decref(json);
    json = render_json(&report);
    cr_assert_not_null(json);
    return json;
}

static void expect_json(const json_t *have, const char *want)
{
    json_error_t error;
    CLEANUP_JSON json_t *expected = json_loads(want, JSON_DECODE_ANY, &error);
    cr_assert_not_null(expected, "%s: %s", want, error.text);
    char *shown = json_dumps(have, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    cr_expect(json_equal(have, expected), "have %s\nwant %s", shown, want);
    free(shown);
}

/* --- the first line --- */

Test(render, nothing_checked_is_said_in_the_first_line)
{
    cr_expect_str_eq(first_line(),
                     "? Nothing could be checked: no GPU, no GPU framework, no driver seen");
    result.unknown = 3;
    cr_expect_str_eq(first_line(), "? Nothing could be checked, 3 not known: no GPU, no GPU "
                                   "framework, no driver seen");
    cr_expect(report_nothing_checked(&report));
}

Test(render, a_remark_alone_has_checked_nothing)
{
    findings[0] = plain_finding;
    findings[0].severity = SEVERITY_INFO;
    result.finding_count = result.infos = 1;
    summary.framework_count = 1;
    cr_expect_str_eq(first_line(), "? Nothing could be checked, 1 remark: no GPU, no driver seen");
}

Test(render, a_good_machine)
{
    struct summary_gpu gpu = {"NVIDIA H200", "9.0", "0000:01:00.0", 143771};
    summary.gpus = &gpu;
    summary.gpu_count = 1;
    summary.driver = "580.1";
    summary.cuda = "13.0";
    summary.os = "Ubuntu 24.04";
    summary.container = "none";
    result.ok = 1;
    cr_expect_str_eq(
        first_line(),
        "✓ No problem in what was checked: NVIDIA H200, driver 580.1 (CUDA 13.0), Ubuntu 24.04");
    cr_expect_not(report_nothing_checked(&report));
    result.infos = 2;
    summary.cuda = NULL;
    summary.wsl = 2;
    summary.container = "docker";
    cr_expect_str_eq(first_line(),
                     "✓ No problem in what was checked, 2 remarks: NVIDIA H200, driver 580.1, "
                     "Ubuntu 24.04 under WSL2 in docker");
}

Test(render, counts_in_the_first_line)
{
    one_error();
    summary.framework_count = 1;
    cr_expect_str_eq(first_line(), "✗ 1 error: no GPU, no driver seen");
    result.errors = 2;
    result.warnings = 1;
    result.infos = 1;
    result.unknown = 4;
    cr_expect_str_eq(first_line(),
                     "✗ 2 errors, 1 warning, 1 remark, 4 not known: no GPU, no driver seen");
    result = (struct result){.warnings = 2};
    cr_expect_str_eq(first_line(), "! 2 warnings: no GPU, no driver seen");
}

Test(render, several_gpus_in_the_first_line)
{
    struct summary_gpu gpus[] = {{.name = "A"}, {.name = "A"}, {.name = "B"}};
    summary.gpus = gpus;
    summary.driver = "1";
    result.ok = 1;
    summary.gpu_count = 2;
    cr_expect_str_eq(first_line(), "✓ No problem in what was checked: 2 x A, driver 1");
    summary.gpu_count = 3;
    cr_expect_str_eq(first_line(), "✓ No problem in what was checked: 3 GPUs, driver 1");
    gpus[0].name = gpus[1].name = NULL;
    summary.gpu_count = 2;
    cr_expect_str_eq(first_line(), "✓ No problem in what was checked: 2 GPUs, driver 1");
    summary.gpu_count = 1;
    cr_expect_str_eq(first_line(), "✓ No problem in what was checked: 1 GPU, driver 1");
}

/* --- findings --- */

Test(render, a_finding_with_evidence_and_steps)
{
    one_error();
    summary.framework_count = 1;
    cr_expect_str_eq(as_text(&unicode), "✗ 1 error: no GPU, no driver seen\n"
                                        "\n"
                                        "✗ The driver is too old  [error, driver-too-old]\n"
                                        "  PyTorch needs driver 580.\n"
                                        "  Where: torch 2.11.0 in /home/u/venv\n"
                                        "  Seen:\n"
                                        "    • driver: 570.86.10 (/proc/driver/nvidia/version)\n"
                                        "    • module: 570.86.10\n"
                                        "    • library (/usr/lib/libcuda.so.1)\n"
                                        "    • nothing else\n"
                                        "  Do:\n"
                                        "    1. Update the driver:\n"
                                        "       $ sudo apt install nvidia-driver-580\n"
                                        "    2. Restart the machine.\n");
}

/* A search of many places: the first few. */
Test(render, evidence_that_is_a_long_list)
{
    static const struct evidence search[] = {
        {"looked for (7)", "/a; /b; /c; /d; /e; /f; /g", "/x.so"},
        {"looked for (5)", "/a; /b; /c; /d; /e", NULL}};
    one_error();
    findings[0].evidence = search;
    findings[0].evidence_count = 2;
    findings[0].step_count = 0;
    const char *text = as_text(&unicode);
    cr_expect_neq(
        strstr(text,
               "    • looked for (7): /a; /b; /c; /d; /e; and more, which --format json lists\n"
               "      (/x.so)\n"
               "    • looked for (5): /a; /b; /c; /d; /e\n"),
        NULL);
}

Test(render, a_finding_of_the_machine_with_nothing_more)
{
    findings[0] = (struct finding){.rule = &rule_nvml,
                                   .severity = SEVERITY_WARNING,
                                   .kind = "machine",
                                   .key = "machine",
                                   .label = "this machine",
                                   .message = "It fails.",
                                   .fingerprint = "b"};
    result.finding_count = result.warnings = 1;
    summary.framework_count = 1;
    cr_expect_str_eq(as_text(&(struct style){0}),
                     "WARN 1 warning: no GPU, no driver seen\n"
                     "\n"
                     "WARN NVML does not start  [warning, nvml-failed]\n"
                     "  It fails.\n");
}

/* Two that one cause explains stand below it, each with a mark of its own. */
static void folded(void)
{
    one_error();
    findings[0].evidence_count = findings[0].step_count = 0;
    for (size_t i = 1; i < 3; i++) {
        findings[i] = plain_finding;
        findings[i].rule = &rule_nvml;
        findings[i].cause = &findings[0];
        findings[i].fingerprint = "bbbb";
    }
    findings[1].message = "NVML does not start, because the module and the library of the driver "
                          "are of two versions.";
    findings[2].message = "Nor does CUDA.";
    result.finding_count = 3;
    result.folded = 2;
}

Test(render, what_follows_stands_below_its_cause)
{
    folded();
    const char *at = strstr(as_text(&unicode), "  Follows from it:\n");
    cr_assert_not_null(at, "%s", text_get(&out));
    cr_expect_str_eq(at, "  Follows from it:\n"
                         "    • NVML does not start, because the module and the library of the "
                         "driver are\n"
                         "      of two versions. [nvml-failed]\n"
                         "    • Nor does CUDA. [nvml-failed]\n");
    cr_expect_null(strstr(at + 12, "Follows"), "said once");
}

Test(render, followers_of_two_causes_stand_apart)
{
    folded();
    findings[2] = findings[1];
    findings[1] = plain_finding;
    findings[2].cause = &findings[1];
    result.errors = 2;
    result.folded = 1;
    const char *text = as_text(&unicode);
    const char *second = strstr(strstr(text, "driver-too-old]") + 1, "driver-too-old]");
    cr_assert_not_null(second);
    cr_expect_gt(strstr(text, "Follows from it:"), second);
}

static size_t count_of(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)); at++)
        count++;
    return count;
}

/* Two GPUs, one fault: told once, with both subjects. What differs is told apart. */
Test(render, the_same_story_is_told_once)
{
    one_error();
    findings[1] = findings[2] = plain_finding;
    findings[1].label = "torch 2.11.0 in /srv/venv";
    findings[2].message = "PyTorch needs driver 590.";
    result.finding_count = result.errors = 3;
    const char *text = as_text(&unicode);
    cr_expect_eq(count_of(text, "[error, driver-too-old]"), 2);
    cr_expect_not_null(strstr(text, "  Where: torch 2.11.0 in /home/u/venv\n"
                                    "         torch 2.11.0 in /srv/venv\n"));
    cr_expect_eq(count_of(text, "PyTorch needs driver 590."), 1);
    cr_expect_eq(count_of(text, "$ sudo apt install nvidia-driver-580"), 2);
}

Test(render, another_command_is_another_story)
{
    static const struct step other[] = {{"Update the driver:", "sudo dnf install nvidia-driver"},
                                        {"Restart the machine.", NULL}};
    one_error();
    findings[1] = plain_finding;
    findings[1].steps = other;
    result.finding_count = result.errors = 2;
    cr_expect_eq(count_of(as_text(&unicode), "[error, driver-too-old]"), 2);
}

Test(render, hostile_words_stay_on_their_line)
{
    static const struct evidence bad_evidence[] = {
        {"a\x1b[2J", "x\nERROR forged", "/tmp/\xff\r/\u202e"},
    };
    static const struct step bad_steps[] = {{"do\nthis\x07", "echo a\nrm -rf ~\x1b[8m"}};
    one_error();
    findings[0].message = "m\nm\x9b";
    findings[0].label = "l\n✗ forged";
    findings[0].evidence = bad_evidence;
    findings[0].steps = bad_steps;
    findings[0].evidence_count = findings[0].step_count = 1;
    summary.os = "OS\n\x1b]0;x\x07";
    summary.framework_count = 1;
    cr_expect_str_eq(as_text(&unicode),
                     "✗ 1 error: no GPU, no driver seen, OS\\x0a\\x1b]0;x\\x07\n"
                     "\n"
                     "✗ The driver is too old  [error, driver-too-old]\n"
                     "  m\\x0am\\x9b\n"
                     "  Where: l\\x0a✗ forged\n"
                     "  Seen:\n"
                     "    • a\\x1b[2J: x\\x0aERROR forged (/tmp/\\xff\\x0d/\\u{202e})\n"
                     "  Do:\n"
                     "    1. do\\x0athis\\x07\n"
                     "       $ echo a\\x0arm -rf ~\\x1b[8m\n");
}

Test(render, colour_brackets_whole_words_only)
{
    folded();
    CLEANUP_TEXT struct text stripped = {0};
    as_text(&(struct style){.colour = true, .unicode = true, .width = 80});
    cr_assert_not_null(strstr(out.data, "\033[1;31m✗\033[0m \033[1m1 error\033[0m"));
    for (const char *c = out.data; *c; c++) {
        if (*c == '\033')
            c = strchr(c, 'm');
        else
            text_add_char(&stripped, *c);
    }
    cr_expect_str_eq(text_get(&stripped), as_text(&unicode), "colour changes nothing else");
}

/* --- not known, in order, environments --- */

Test(render, what_is_not_known_is_listed_up_to_a_limit)
{
    for (size_t i = 0; i < 20; i++)
        unknowns[i] = (struct unknown){&rule_old, "gpu", "g", "GPU", "no data"};
    result.unknown_count = result.unknown = 12;
    cr_expect_null(strstr(as_text(&unicode), " more;"));
    cr_expect_not_null(strstr(out.data, "\nNot known:\n  ? GPU: no data (driver-too-old)\n"));
    result.unknown_count = result.unknown = 20;
    cr_expect_not_null(strstr(as_text(&unicode), "\n  and 8 more; --format json lists them all\n"));
}

Test(render, files_that_could_not_be_read)
{
    struct summary_unread unread[] = {
        {"/a/METADATA", "malformed", "no valid Version"},
        {"/b\nx", "denied", NULL},
    };
    summary.unread = unread;
    summary.unread_shown = summary.unread_count = 2;
    const char *at = strstr(as_text(&unicode), "\nCould not be read:\n");
    cr_assert_not_null(at);
    cr_expect_str_eq(at, "\nCould not be read:\n"
                         "  ? /a/METADATA: malformed, no valid Version\n"
                         "  ? /b\\x0ax: denied\n");
    summary.unread_count = 5;
    cr_expect_not_null(
        strstr(as_text(&unicode), "\n  and 3 more; gpudoctor facts probe lists them all\n"));
}

Test(render, what_is_in_order_the_machine_first)
{
    counts[0] = (struct rule_count){.rule = &rule_old, .ok = 1, .fail = 1, .unknown = 1, .skip = 4};
    counts[1] = (struct rule_count){.rule = &rule_nvml, .skip = 1};
    counts[2] = (struct rule_count){.rule = &rule_gpu, .ok = 1};
    result.rule_count = 3;
    result.ok = 2;
    const char *at = strstr(as_text(&unicode), "\nIn order:\n");
    cr_assert_not_null(at);
    cr_expect_str_eq(at, "\nIn order:\n"
                         "  ✓ a GPU is here\n"
                         "  ✓ the driver is new enough (1 of 3)\n");
    counts[1] = (struct rule_count){.rule = &rule_nvml, .ok = 1};
    cr_expect_not_null(strstr(as_text(&unicode), "  ✓ NVML does not start\n"),
                       "a rule without words for the good state shows its title");
}

Test(render, environments_that_were_read_and_those_that_were_not)
{
    struct summary_environment environments[] = {
        {"/home/u/venv", "venv", "uv", "3.12.3", 1, "torch 2.8.0, jax 0.7.2"},
        {"/opt/x", "venv", NULL, NULL, -1, NULL},
        {.active = 0},
    };
    summary.environments = environments;
    summary.environment_count = 3;
    summary.listed_count = 2;
    const char *at = strstr(as_text(&unicode), "\nEnvironments:\n");
    cr_assert_not_null(at);
    cr_expect_str_eq(at, "\nEnvironments:\n"
                         "  • /home/u/venv (uv, Python 3.12.3, active): torch 2.8.0, jax 0.7.2\n"
                         "  • /opt/x (?): no GPU framework\n"
                         "  • ? (?): no GPU framework\n"
                         "  • 2 more not read; --all-envs reads them, --env PATH one\n");
}

/* --- JSON --- */

Test(render, an_empty_report_has_every_key)
{
    expect_json(as_json(),
                "{\"schema\": 1, \"gpudoctor\": \"1.2.3\", \"rules\": \"2026.1\","
                " \"machine\": {\"kind\": null, \"os\": null, \"kernel\": null, \"arch\": null,"
                "  \"driver\": null, \"cuda\": null, \"gpus\": [], \"environments\": []},"
                " \"summary\": {\"error\": 0, \"warning\": 0, \"info\": 0, \"ok\": 0,"
                "  \"unknown\": 0, \"skip\": 0, \"folded\": 0},"
                " \"findings\": [], \"unknown\": [], \"checked\": [], \"failed_rules\": []}");
}

Test(render, the_machine_as_json)
{
    struct summary_gpu gpus[] = {{"A", "9.0", "0000:01:00.0", 40960}, {NULL, NULL, NULL, -1}};
    struct summary_environment environments[] = {{"/a", "venv", "pip", "3.12", 1, "torch"},
                                                 {"/b", "conda", NULL, NULL, -1, NULL}};
    summary = (struct summary){.kind = "recorded",
                               .os = "Debian",
                               .kernel = "6.1",
                               .arch = "x86_64",
                               .driver = "580.1",
                               .cuda = "13.0",
                               .gpus = gpus,
                               .gpu_count = 2,
                               .environments = environments,
                               .environment_count = 2};
    expect_json(json_object_get(as_json(), "machine"),
                "{\"kind\": \"recorded\", \"os\": \"Debian\", \"kernel\": \"6.1\","
                " \"arch\": \"x86_64\", \"driver\": \"580.1\", \"cuda\": \"13.0\", \"gpus\": ["
                "{\"name\": \"A\", \"cc\": \"9.0\", \"pci\": \"0000:01:00.0\","
                " \"memory_mib\": 40960},"
                "{\"name\": null, \"cc\": null, \"pci\": null, \"memory_mib\": null}],"
                " \"environments\": ["
                "{\"prefix\": \"/a\", \"kind\": \"venv\", \"manager\": \"pip\","
                " \"python\": \"3.12\", \"active\": true},"
                "{\"prefix\": \"/b\", \"kind\": \"conda\", \"manager\": null, \"python\": null,"
                " \"active\": null}]}");
}

Test(render, a_finding_as_json)
{
    one_error();
    expect_json(json_array_get(json_object_get(as_json(), "findings"), 0),
                "{\"rule\": \"driver-too-old\", \"severity\": \"error\", \"verdict\": \"fail\","
                " \"subject\": {\"kind\": \"framework\", \"key\": \"~/venv torch\","
                "  \"label\": \"torch 2.11.0 in /home/u/venv\"},"
                " \"message\": \"PyTorch needs driver 580.\", \"confidence\": \"high\","
                " \"evidence\": ["
                "  {\"what\": \"driver\", \"value\": \"570.86.10\","
                "   \"path\": \"/proc/driver/nvidia/version\"},"
                "  {\"what\": \"module\", \"value\": \"570.86.10\"},"
                "  {\"what\": \"library\", \"path\": \"/usr/lib/libcuda.so.1\"},"
                "  {\"what\": \"nothing else\"}],"
                " \"steps\": [{\"text\": \"Update the driver:\","
                "   \"command\": \"sudo apt install nvidia-driver-580\"},"
                "  {\"text\": \"Restart the machine.\"}],"
                " \"links\": [\"https://example.com/a\", \"https://example.com/b\"],"
                " \"fingerprint\": \"aaaa\"}");
}

Test(render, a_folded_finding_names_its_cause)
{
    folded();
    const json_t *list = json_object_get(as_json(), "findings");
    cr_assert_eq(json_array_size(list), 3);
    cr_expect_null(json_object_get(json_array_get(list, 0), "caused_by"));
    expect_json(json_object_get(json_array_get(list, 1), "caused_by"),
                "{\"rule\": \"driver-too-old\", \"fingerprint\": \"aaaa\"}");
    findings[0].confidence = NULL;
    cr_expect_null(
        json_object_get(json_array_get(json_object_get(as_json(), "findings"), 0), "confidence"));
}

Test(render, counts_as_json)
{
    result.errors = 1;
    result.warnings = 2;
    result.infos = 3;
    result.ok = 4;
    result.unknown = 5;
    result.skip = 6;
    result.folded = 7;
    unknowns[0] = (struct unknown){&rule_gpu, "machine", "machine", "this machine", "why"};
    result.unknown_count = 1;
    counts[0] = (struct rule_count){.rule = &rule_gpu, .ok = 1, .fail = 2, .unknown = 3, .skip = 4};
    result.rule_count = 1;
    expect_json(json_object_get(as_json(), "summary"),
                "{\"error\": 1, \"warning\": 2, \"info\": 3, \"ok\": 4, \"unknown\": 5,"
                " \"skip\": 6, \"folded\": 7}");
    expect_json(json_object_get(json, "unknown"),
                "[{\"rule\": \"no-gpu\", \"subject\": {\"kind\": \"machine\","
                " \"key\": \"machine\", \"label\": \"this machine\"}, \"reason\": \"why\"}]");
    expect_json(json_object_get(json, "checked"),
                "[{\"rule\": \"no-gpu\", \"ok\": 1, \"fail\": 2, \"unknown\": 3, \"skip\": 4}]");
}

Test(render, bytes_that_json_cannot_hold_do_not_lose_the_finding)
{
    static const struct evidence bad[] = {{"\xff", "a\x1b", "/\xfe"}};
    static const struct step step[] = {{"\xfd", "\xfc"}};
    one_error();
    findings[0].message = "m\xff";
    findings[0].key = "k\xff";
    findings[0].evidence = bad;
    findings[0].steps = step;
    findings[0].evidence_count = findings[0].step_count = 1;
    summary.os = "\xff";
    unknowns[0] = (struct unknown){&rule_gpu, "gpu", "\xff", "\xff", "\xff"};
    result.unknown_count = 1;
    const json_t *first = json_array_get(json_object_get(as_json(), "findings"), 0);
    cr_assert_not_null(first);
    expect_json(json_object_get(first, "message"), "\"m\\\\xff\"");
    expect_json(json_object_get(first, "evidence"),
                "[{\"what\": \"\\\\xff\", \"value\": \"a\\u001b\", \"path\": \"/\\\\xfe\"}]");
    expect_json(json_object_get(first, "steps"),
                "[{\"text\": \"\\\\xfd\", \"command\": \"\\\\xfc\"}]");
    expect_json(json_object_get(json_object_get(first, "subject"), "key"), "\"k\\\\xff\"");
    cr_expect_eq(json_array_size(json_object_get(json, "unknown")), 1);
    expect_json(json_object_get(json_object_get(json, "machine"), "os"), "\"\\\\xff\"");
}
