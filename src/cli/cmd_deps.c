#include <string.h>

#include "cli/command.h"
#include "cli/deps_process.h"
#include "cli/progress.h"
#include "engine/slot_type.h"

static const struct option options[] = {
    {"--env", "PATH",
     "the environment whose Python loads it: its folder, a python or pip of it, or kernel:NAME",
     OPTION_LIST, offsetof(struct options, environments)},
    {"--all", NULL, "show system libraries, every request and the whole trail as well", OPTION_FLAG,
     offsetof(struct options, all)},
    {"--root", "DIR", "look at a recorded machine or an unpacked image instead of this machine",
     OPTION_VALUE, offsetof(struct options, root)},
    {"--facts", "FILE", "take a snapshot of facts instead of this machine (for a FRAMEWORK)",
     OPTION_VALUE, offsetof(struct options, facts)},
    {"--rules", "DIR", "add the rules of a folder, or replace rules of the same id", OPTION_VALUE,
     offsetof(struct options, rules)},
    {"--format", "FORMAT", "text (default) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--output", "FILE", "write to a file instead of standard output", OPTION_VALUE,
     offsetof(struct options, output)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor deps torch",
    "which libraries `import torch` loads, from where, and which copies they keep out",
    "gpudoctor deps torch --env ~/venvs/train",
    "the same in that environment",
    "gpudoctor deps ./build/libkernels.so",
    "what one file needs, and where it comes from",
    "gpudoctor deps /usr/local/bin/app --format json",
    "for a program to read",
    NULL,
};

/* What is wrong is shown; how it is mended is for the rules to say. */
static void add_way_on(struct text *out, const struct options *o, const struct style *style,
                       const char *environment)
{
    CLEANUP_TEXT struct text line = {0};
    text_add(&line, "gpudoctor check");
    if (!o->root && !o->facts && environment) {
        text_add(&line, " --env ");
        shell_quote(&line, environment);
    }
    text_add_char(out, '\n');
    style_line(out, style, "How to mend it: ", PAINT_NONE, text_get(&line));
}

static int write_deps(const struct options *o, const struct style *style, bool json,
                      const struct deps *deps)
{
    if (json)
        return write_json(o->output, render_deps_json(deps));
    CLEANUP_TEXT struct text text = {0};
    render_deps(&text, style, deps, o->all);
    if (deps->process.framework && deps_is_broken(deps))
        add_way_on(&text, o, style, deps->process.environment);
    return write_output(o->output, text_get(&text), text.length);
}

static int status_of(const struct deps *deps)
{
    if (deps_is_broken(deps))
        return STATUS_FINDINGS;
    bool is_known =
        text_equal(deps->process.outcome, "loads") || text_equal(deps->process.outcome, "nothing");
    return is_known ? STATUS_OK : STATUS_USAGE;
}

/* Which probes have to run: for a file alone no environment is looked for. */
static void choose_probes(const struct options *o, const struct deps_question *q,
                          struct session_options *ret)
{
    if (q->framework) {
        ret->tables = "process framework environment";
        ret->probe.framework = q->framework;
        return;
    }
    ret->tables = "process";
    ret->without = o->environments.count ? NULL : "environment search_path package framework";
    ret->probe.loaded_files = &q->path;
    ret->probe.loaded_file_count = 1;
}

static int answer(const struct options *o, const struct style *style, bool json,
                  struct session_options *session_options, struct deps_question *q,
                  struct arena *arena)
{
    struct error err;
    CLEANUP(session_freep) struct session *session = NULL;
    session_options->tables = "process";
    int code = session_open(session_options, &session, &err);
    if (code < 0)
        return complain_session(code, &err);
    if (!strchr(q->name, '/'))
        q->framework = engine_framework_called(session_engine(session), q->name, arena);
    if (!q->framework && o->facts)
        return complain(
            STATUS_USAGE,
            "deps: %s is no framework, and a snapshot (--facts) tells of no single file", q->name);
    choose_probes(o, q, session_options);
    if ((code = progress_collect(session, session_options, &err)) < 0)
        return complain_session(code, &err);
    struct deps deps = {0};
    struct engine *engine = session_engine(session);
    struct facts *facts = engine_facts(engine);
    int status = q->framework ? deps_of_framework(facts, arena, o, q, &deps)
                              : deps_of_file(engine, arena, q, &deps);
    if (status == STATUS_OK && facts_failed(facts, &err) < 0)
        status = complain(STATUS_BROKEN, "%s", err.text);
    if (status == STATUS_OK)
        status = write_deps(o, style, json, &deps);
    return status == STATUS_OK ? status_of(&deps) : status;
}

static int run(struct options *o)
{
    struct style style;
    struct session_options session_options;
    bool json = o->format && strcmp(o->format, "json") == 0;
    if (!o->operands.count)
        return complain(STATUS_USAGE, "deps: a file or a framework is needed");
    if (o->operands.count > 1)
        return complain(STATUS_USAGE, "deps: unexpected argument %s", o->operands.items[1]);
    if (!*o->operands.items[0])
        return complain(STATUS_USAGE, "deps: the name is empty");
    if (o->environments.count > 1)
        return complain(STATUS_USAGE, "deps: one --env only");
    if (o->format && !json && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    if (!style_for_output(o, &style) || !session_options_from(o, &session_options))
        return STATUS_USAGE;
    struct arena arena = {0};
    struct deps_question question = {.name = o->operands.items[0]};
    question.path = path_in_machine(&arena, o, question.name);
    int status = answer(o, &style, json, &session_options, &question, &arena);
    arena_done(&arena);
    return status;
}

const struct command command_deps = {
    .name = "deps",
    .operands = "FILE|FRAMEWORK",
    .summary = "Draws what a file or a framework's import loads, from where and why.",
    .details =
        "A framework goes by its name or a package's, such as torch, PyTorch, onnxruntime-gpu; "
        "./torch\n"
        "is a file. Nothing is run: the loader's rules are followed on the files. Exit "
        "status 1\n"
        "when something is missing or does not fit; gpudoctor check says how to mend it.",
    .examples = examples,
    .options = options,
    .run = run,
};
