#include <string.h>

#include "cli/command.h"
#include "render/render.h"

static const struct option options[] = {
    {"--rules", "DIR", "add the rules of a folder, or replace rules of the same id", OPTION_VALUE,
     offsetof(struct options, rules)},
    {"--format", "FORMAT", "text (default) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--output", "FILE", "write to a file instead of standard output", OPTION_VALUE,
     offsetof(struct options, output)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor rules list",
    "all rules with their severity",
    "gpudoctor rules show driver-too-old-for-cuda",
    "what a rule judges and why",
    "gpudoctor rules check ./site-rules",
    "load a folder of own rules and run their examples",
    NULL,
};

static int open_rules(const struct options *o, struct session **ret)
{
    struct session_options session_options;
    struct error err;
    if (!session_options_from(o, &session_options))
        return STATUS_USAGE;
    int code = session_open(&session_options, ret, &err);
    return code < 0 ? complain_session(code, &err) : STATUS_OK;
}

static json_t *list_json(const struct engine *engine)
{
    json_t *list = json_array();
    for (size_t i = 0; i < engine_rule_count(engine); i++) {
        const struct rule_info *rule = engine_rule(engine, i);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "id", rule->id, "severity",
                                              severity_name(rule->severity), "subject",
                                              rule->subject, "title", rule->title));
    }
    return list;
}

static int list_rules(const struct options *o, const struct style *style,
                      const struct engine *engine)
{
    if (o->format && strcmp(o->format, "json") == 0)
        return write_json(o->output, list_json(engine));
    CLEANUP_TEXT struct text out = {0};
    for (size_t i = 0; i < engine_rule_count(engine); i++) {
        const struct rule_info *rule = engine_rule(engine, i);
        text_printf(&out, "%-28s %-8s ", rule->id, severity_name(rule->severity));
        style_add(&out, style, PAINT_NONE, rule->title);
        text_add_char(&out, '\n');
    }
    return write_output(o->output, text_get(&out), out.length);
}

static void section(struct text *out, const struct style *style, const char *head,
                    const char *words)
{
    if (!words || !*words)
        return;
    text_add_char(out, '\n');
    style_line(out, style, "", PAINT_BOLD, head);
    style_paragraph(out, style, "  ", words);
}

static int show_rule(const struct options *o, const struct style *style, struct engine *engine,
                     const char *id)
{
    const struct rule_info *rule = engine_rule_named(engine, id);
    if (!rule)
        return complain(STATUS_USAGE, "rules: there is no rule %s; see gpudoctor rules list", id);
    if (o->format && strcmp(o->format, "json") == 0)
        return write_json(o->output, json_loads(engine_rule_text(engine, id), 0, NULL));
    CLEANUP_TEXT struct text out = {0}, line = {0};
    style_line(&out, style, "", PAINT_BOLD, rule->id);
    text_printf(&line, "%s, judged for each %s", severity_name(rule->severity), rule->subject);
    section(&out, style, rule->title, text_get(&line));
    section(&out, style, "What it looks at", rule->summary);
    section(&out, style, "Why", rule->why);
    text_clear(&line);
    for (size_t i = 0; i < rule->caused_by_count; i++)
        text_printf(&line, "%s%s", i ? ", " : "", rule->caused_by[i]);
    section(&out, style, "Folds under", text_get(&line));
    for (size_t i = 0; i < rule->link_count; i++)
        section(&out, style, i ? "" : "More", rule->links[i]);
    section(&out, style, "File", rule->file);
    return write_output(o->output, text_get(&out), out.length);
}

static int check_dir(const struct options *o, const struct style *style, struct engine *engine,
                     const char *dir)
{
    struct error err;
    size_t examples_run = 0;
    if (engine_load_dir(engine, dir, &err) < 0 ||
        engine_run_examples(engine, dir, &examples_run, &err) < 0)
        return complain(STATUS_USAGE, "%s", err.text);
    if (!examples_run)
        return complain(STATUS_USAGE, "%s: holds no rules", dir);
    CLEANUP_TEXT struct text out = {0};
    style_add(&out, style, PAINT_NONE, dir);
    text_printf(&out, ": in order, %zu examples hold\n", examples_run);
    return write_output(o->output, text_get(&out), out.length);
}

static int run(struct options *o)
{
    struct style style;
    const char *verb = o->operands.count ? o->operands.items[0] : "";
    const char *operand = o->operands.count > 1 ? o->operands.items[1] : NULL;
    bool list = strcmp(verb, "list") == 0, show = strcmp(verb, "show") == 0,
         check = strcmp(verb, "check") == 0;
    if (!list && !show && !check)
        return complain(STATUS_USAGE, "rules: say list, show ID or check DIR");
    if (list ? o->operands.count != 1 : o->operands.count != 2)
        return complain(STATUS_USAGE, "rules %s: %s", verb,
                        list    ? "takes no argument"
                        : check ? "needs one folder"
                                : "needs one rule id");
    if (o->format && strcmp(o->format, "json") != 0 && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    CLEANUP(session_freep) struct session *session = NULL;
    if (!style_for_output(o, &style))
        return STATUS_USAGE;
    int status = open_rules(o, &session);
    if (status != STATUS_OK)
        return status;
    struct engine *engine = session_engine(session);
    return list    ? list_rules(o, &style, engine)
           : check ? check_dir(o, &style, engine, operand)
                   : show_rule(o, &style, engine, operand);
}

const struct command command_rules = {
    .name = "rules",
    .operands = "list | show ID | check DIR",
    .summary = "Lists and explains the rules, or checks a folder of own ones.",
    .examples = examples,
    .options = options,
    .run = run,
};
