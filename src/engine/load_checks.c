/* A check file to a rule: its shape. What needs the database is rule_compile(). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/internal.h"

static bool is_id(const char *text)
{
    size_t length = strlen(text);
    return length && length <= 80 && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static int parse_statement(struct rule *rule, const struct member *at, const char *key,
                           bool required, struct statement *ret, struct error *err)
{
    ret->key = member_path(at, &rule->arena, key);
    return get_lines(at, &rule->arena, key, required, &ret->sql, err);
}

static int parse_template(struct rule *rule, const struct member *at, const char *key,
                          bool required, enum template_kind kind, struct template *ret,
                          bool *ret_present, struct error *err)
{
    const char *text;
    size_t offset;
    struct error reason;
    int code = get_text(at, &rule->arena, key, required, &text, err);
    if (ret_present)
        *ret_present = text != NULL;
    if (code || !text)
        return code;
    if (template_parse(&rule->arena, text, kind, ret, &offset, &reason) < 0)
        return source_error_in(at->source, err, member_path(at, &rule->arena, key), (long)offset,
                               "%s", reason.text);
    return 0;
}

/* --- header --- */

static int parse_names(struct rule *rule, const struct member *root, const char *base,
                       struct error *err)
{
    struct rule_info *info = &rule->info;
    const char *severity;
    int code = get_text(root, &rule->arena, "id", true, &info->id, err);
    if (code)
        return code;
    if (!is_id(info->id))
        return source_error(root->source, err, "id",
                            "must be made of lower-case letters, digits and hyphens");
    if (base && strcmp(base, info->id) != 0)
        return source_error(root->source, err, "id", "must be \"%s\" like the file", base);
    if ((code = get_text(root, &rule->arena, "title", true, &info->title, err)) ||
        (code = get_text(root, &rule->arena, "severity", true, &severity, err)) ||
        (code = get_text(root, &rule->arena, "summary", true, &info->summary, err)) ||
        (code = get_text(root, &rule->arena, "subject", true, &info->subject, err)) ||
        (code = get_text(root, &rule->arena, "ok", false, &info->ok, err)) ||
        (code = get_text(root, &rule->arena, "why", false, &info->why, err)))
        return code;
    if (!info->why)
        info->why = "";
    if (!severity_from_name(severity, &info->severity))
        return source_error(root->source, err, "severity", "must be error, warning or info");
    return 0;
}

static int parse_lists(struct rule *rule, const struct member *root, struct error *err)
{
    struct rule_info *info = &rule->info;
    int code = get_texts(root, &rule->arena, "links", &info->links, &info->link_count, err);
    if (code)
        return code;
    for (size_t i = 0; i < info->link_count; i++)
        if (strpbrk(info->links[i], " \t\n"))
            return source_error(root->source, err, arena_printf(&rule->arena, "links[%zu]", i),
                                "a link holds no spaces");
    return get_texts(root, &rule->arena, "caused_by", &info->caused_by, &info->caused_by_count,
                     err);
}

/* --- evidence --- */

static int parse_evidence_entry(struct rule *rule, const json_t *entry, size_t i,
                                struct evidence_spec *ret, struct error *err)
{
    static const char *const keys[] = {"what", "value", "path", "query", NULL};
    struct member at = {&rule->source, entry, arena_printf(&rule->arena, "evidence[%zu]", i)};
    ret->key = at.base;
    if (!json_is_object(entry))
        return source_error(&rule->source, err, at.base, "must be an object");
    int code = check_keys(&at, &rule->arena, keys, err);
    if (!code)
        code = parse_template(rule, &at, "what", true, TEMPLATE_TEXT, &ret->what, NULL, err);
    if (!code)
        code = parse_template(rule, &at, "value", false, TEMPLATE_TEXT, &ret->value,
                              &ret->has_value, err);
    if (!code)
        code = parse_template(rule, &at, "path", false, TEMPLATE_TEXT, &ret->path, &ret->has_path,
                              err);
    if (!code)
        code = parse_statement(rule, &at, "query", false, &ret->query, err);
    return code;
}

static int parse_evidence(struct rule *rule, const struct member *root, struct error *err)
{
    const json_t *array, *entry;
    size_t i;
    int code = get_array(root, &rule->arena, "evidence", false, &array, err);
    if (code || !array)
        return code;
    rule->evidence = arena_alloc(&rule->arena, json_array_size(array) * sizeof *rule->evidence);
    json_array_foreach (array, i, entry) {
        code = parse_evidence_entry(rule, entry, i, &rule->evidence[i], err);
        if (code)
            return code;
        rule->evidence_count++;
    }
    return 0;
}

/* --- steps --- */

static int check_step(const struct rule *rule, const struct step_spec *step, struct error *err)
{
    if (!step->query.sql && (step->optional || step->each || step->has_otherwise || step->only_if))
        return source_error(&rule->source, err, step->key,
                            "optional, each, otherwise and if need a query");
    if (step->optional && step->has_otherwise)
        return source_error(&rule->source, err, step->key,
                            "an optional step has no use for otherwise");
    return 0;
}

static int parse_step(struct rule *rule, const json_t *entry, size_t i, struct step_spec *ret,
                      struct error *err)
{
    static const char *const keys[] = {"text",      "command", "query", "optional", "each",
                                       "otherwise", "if",      "alone", NULL};
    struct member at = {&rule->source, entry, arena_printf(&rule->arena, "steps[%zu]", i)};
    ret->key = at.base;
    if (!json_is_object(entry))
        return source_error(&rule->source, err, at.base, "must be an object");
    int code = check_keys(&at, &rule->arena, keys, err);
    if (!code)
        code = parse_template(rule, &at, "text", true, TEMPLATE_TEXT, &ret->text, NULL, err);
    if (!code)
        code = parse_template(rule, &at, "command", false, TEMPLATE_COMMAND, &ret->command,
                              &ret->has_command, err);
    if (!code)
        code = parse_template(rule, &at, "otherwise", false, TEMPLATE_TEXT, &ret->otherwise,
                              &ret->has_otherwise, err);
    if (!code)
        code = parse_statement(rule, &at, "query", false, &ret->query, err);
    if (!code)
        code = get_flag(&at, &rule->arena, "optional", &ret->optional, err);
    if (!code)
        code = get_flag(&at, &rule->arena, "each", &ret->each, err);
    if (!code)
        code = get_flag(&at, &rule->arena, "alone", &ret->alone, err);
    if (!code)
        code = get_text(&at, &rule->arena, "if", false, &ret->only_if, err);
    return code ? code : check_step(rule, ret, err);
}

static int parse_steps(struct rule *rule, const struct member *root, struct error *err)
{
    const json_t *array, *entry;
    size_t i;
    int code = get_array(root, &rule->arena, "steps", false, &array, err);
    if (code || !array)
        return code;
    rule->steps = arena_alloc(&rule->arena, json_array_size(array) * sizeof *rule->steps);
    json_array_foreach (array, i, entry) {
        code = parse_step(rule, entry, i, &rule->steps[i], err);
        if (code)
            return code;
        rule->step_count++;
    }
    return 0;
}

/* --- the whole --- */

/* What it takes to judge. */
static int parse_head(struct rule *rule, const char *base, struct error *err)
{
    static const char *const keys[] = {
        "id",      "ok",       "title", "severity", "summary", "subject",   "query",    "applies",
        "message", "evidence", "steps", "why",      "links",   "caused_by", "examples", NULL};
    int code = source_parse(&rule->source, err);
    if (code)
        return code;
    struct member root = {&rule->source, rule->source.json, ""};
    if ((code = check_keys(&root, &rule->arena, keys, err)) ||
        (code = parse_names(rule, &root, base, err)) ||
        (code = parse_statement(rule, &root, "query", true, &rule->query, err)) ||
        (code = parse_statement(rule, &root, "applies", false, &rule->applies, err)))
        return code;
    return parse_lists(rule, &root, err);
}

/* What it takes to tell of a failure. */
static int parse_body(struct rule *rule, struct error *err)
{
    struct member root = {&rule->source, rule->source.json, ""};
    const json_t *examples;
    int code;
    if ((code = parse_template(rule, &root, "message", true, TEMPLATE_TEXT, &rule->message, NULL,
                               err)) ||
        (code = parse_evidence(rule, &root, err)) || (code = parse_steps(rule, &root, err)))
        return code;
    rule->is_whole = true;
    return get_array(&root, &rule->arena, "examples", false, &examples, err);
}

static struct rule *rule_new(const char *path, const char *text, size_t length)
{
    struct rule *rule = xcalloc(1, sizeof *rule);
    rule->source.path = arena_strdup(&rule->arena, path);
    rule->source.text = arena_strndup(&rule->arena, text, length);
    rule->source.length = length;
    rule->info.file = rule->source.path;
    rule->info.json = rule->source.text;
    return rule;
}

static int give(struct rule *rule, int code, struct rule **ret)
{
    if (code)
        rule_free(rule);
    else
        *ret = rule;
    return code;
}

int rule_parse(const char *path, const char *text, size_t length, const char *base,
               struct rule **ret, struct error *err)
{
    struct rule *rule = rule_new(path, text, length);
    int code = parse_head(rule, base, err);
    return give(rule, code ? code : parse_body(rule, err), ret);
}

int rule_read_whole(struct engine *engine, struct rule *rule, struct error *err)
{
    if (rule->is_whole)
        return 0;
    if (rule->is_broken)
        return error_set(err, -EIO, "%s: cannot be read", rule->info.file);
    rule->is_broken = true;
    int code = rule_read_text(engine, rule, err);
    if (!code)
        code = source_parse(&rule->source, err);
    if (!code)
        code = parse_body(rule, err);
    rule->is_broken = code != 0;
    return code;
}

void statement_done(struct statement *statement)
{
    sqlite3_finalize(statement->stmt);
    statement->stmt = NULL;
    statement->column_count = 0;
    reads_done(&statement->reads);
}

void rule_free(struct rule *rule)
{
    if (!rule)
        return;
    statement_done(&rule->query);
    statement_done(&rule->applies);
    for (size_t i = 0; i < rule->evidence_count; i++)
        statement_done(&rule->evidence[i].query);
    for (size_t i = 0; i < rule->step_count; i++)
        statement_done(&rule->steps[i].query);
    source_done(&rule->source);
    arena_done(&rule->arena);
    free(rule);
}
