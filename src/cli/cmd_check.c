#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "render/render.h"

static const struct option options[] = {
    MACHINE_OPTIONS,
    {"--format", "FORMAT", "text (default) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--output", "FILE", "write to a file instead of standard output", OPTION_VALUE,
     offsetof(struct options, output)},
    {"--fail-on", "SEVERITY",
     "lowest severity that gives exit status 1: error (default), warning, info or never",
     OPTION_VALUE, offsetof(struct options, fail_on)},
    {"--strict", NULL,
     "what is not known, or not checked at all, fails too; --fail-on has no say in that",
     OPTION_FLAG, offsetof(struct options, strict)},
    {"--require", "WHAT",
     "gpu, driver, or a framework such as torch or \"torch>=2.6\" must be here (may be repeated)",
     OPTION_LIST, offsetof(struct options, require)},
    {"--only", "RULE", "judge by this rule only (may be repeated)", OPTION_LIST,
     offsetof(struct options, only)},
    {"--ignore", "RULE", "leave this rule out (may be repeated)", OPTION_LIST,
     offsetof(struct options, ignore)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor check",
    "judge this machine and the active Python environment",
    "gpudoctor check --env ~/venvs/train --require 'torch>=2.6' --require gpu",
    "a gate: fails when the environment has no such torch, or the machine no GPU",
    "gpudoctor check --all-envs --fail-on warning --format json -o report.json",
    "every environment, stricter, for a program to read",
    "gpudoctor check --facts node17.json",
    "judge a snapshot that `gpudoctor facts -o node17.json` made elsewhere",
    NULL,
};

/* Severity at which the status becomes 1; false for "never". */
static bool parse_fail_on(const char *word, enum severity *ret, bool *ret_ever)
{
    *ret_ever = true;
    *ret = SEVERITY_ERROR;
    if (word && strcmp(word, "never") == 0)
        *ret_ever = false;
    else if (word && !severity_from_name(word, ret))
        return false;
    return true;
}

static bool rules_exist(struct engine *engine, const struct list *ids, const char *option)
{
    for (size_t i = 0; i < ids->count; i++)
        if (!engine_rule_named(engine, ids->items[i])) {
            complain(STATUS_USAGE, "%s %s: there is no such rule; see gpudoctor rules list", option,
                     ids->items[i]);
            return false;
        }
    return true;
}

static bool is_failure(const struct result *result, bool nothing_checked, enum severity fail_on,
                       bool ever, bool strict)
{
    size_t count = result->errors;
    if (fail_on <= SEVERITY_WARNING)
        count += result->warnings;
    if (fail_on <= SEVERITY_INFO)
        count += result->infos;
    return (ever && count) ||
           (strict && (result->unknown || result->failed_count || nothing_checked));
}

/* Once each, beside the report. */
static void tell_failed(const struct result *result)
{
    for (size_t i = 0; i < result->failed_count; i++) {
        const struct failed_rule *failed = &result->failed[i];
        complain(STATUS_BROKEN, "rule %s failed: %s%s", failed->rule->id, failed->error,
                 failed->is_ours ? "; please report it" : "");
    }
}

static int write_report(const struct options *o, const struct style *style, bool json,
                        const struct report *report)
{
    if (json)
        return write_json(o->output, render_json(report));
    CLEANUP_TEXT struct text text = {0};
    render_text(&text, style, report);
    return write_output(o->output, text_get(&text), text.length);
}

static int judge_and_write(struct options *o, struct session *session, const struct style *style,
                           bool json, enum severity fail_on, bool ever)
{
    struct engine *engine = session_engine(session);
    struct engine_options judge = {
        .only = o->only.items,
        .only_count = o->only.count,
        .ignore = o->ignore.items,
        .ignore_count = o->ignore.count,
    };
    struct error err;
    struct result result;
    struct summary summary;
    int code = session_judge(session, &judge, &result, &err);
    if (code < 0)
        return complain_session(code, &err);
    int status;
    if (summary_read(engine, &result.arena, &summary, &err) < 0) {
        status = complain(STATUS_BROKEN, "%s", err.text);
    } else {
        struct report report = {&result, &summary, GPUDOCTOR_VERSION, engine_rules_version(engine)};
        status = write_report(o, style, json, &report);
        if (status == STATUS_OK &&
            is_failure(&result, report_nothing_checked(&report), fail_on, ever, o->strict))
            status = STATUS_FINDINGS;
        else if (status == STATUS_OK && result.failed_count)
            status = STATUS_BROKEN;
    }
    tell_failed(&result);
    result_done(&result);
    return status;
}

static int run(struct options *o)
{
    struct style style;
    struct session_options session_options;
    enum severity fail_on;
    bool ever, json = o->format && strcmp(o->format, "json") == 0;
    if (o->operands.count)
        return complain(STATUS_USAGE, "check: unexpected argument %s", o->operands.items[0]);
    if (o->format && !json && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    if (!parse_fail_on(o->fail_on, &fail_on, &ever))
        return complain(STATUS_USAGE, "--fail-on %s: must be error, warning, info or never",
                        o->fail_on);
    if (!style_for_output(o, &style) || !session_options_from(o, &session_options))
        return STATUS_USAGE;
    struct error err;
    session_options.judges = true;
    CLEANUP(session_freep) struct session *session = NULL;
    int code = session_open(&session_options, &session, &err);
    if (code < 0)
        return complain_session(code, &err);
    struct engine *engine = session_engine(session);
    if (!rules_exist(engine, &o->only, "--only") || !rules_exist(engine, &o->ignore, "--ignore"))
        return STATUS_USAGE;
    if ((code = progress_collect(session, &session_options, &err)) < 0)
        return complain_session(code, &err);
    return judge_and_write(o, session, &style, json, fail_on, ever);
}

const struct command command_check = {
    .name = "check",
    .summary = "Looks at the machine and says what is wrong, with evidence and steps.",
    .details = "By default the active environment, the one that `python` belongs to and ./.venv "
               "are read;\n"
               "others are listed. In a recorded machine or an image every environment is read.",
    .examples = examples,
    .options = options,
    .run = run,
};
