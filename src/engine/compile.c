/* Prepares a rule's statements and checks what only the database can tell. */
#include <string.h>

#include "base/text.h"
#include "engine/internal.h"

int statement_column(const struct statement *statement, const char *name)
{
    for (size_t i = 0; i < statement->column_count; i++)
        if (strcmp(statement->columns[i], name) == 0)
            return (int)i;
    return -1;
}

bool statement_reads_matrix(const struct statement *statement)
{
    return statement->reads.matrix_count > 0;
}

static int note_columns(const struct rule *rule, struct statement *statement, struct error *err)
{
    int count = sqlite3_column_count(statement->stmt);
    struct arena *arena = (struct arena *)&rule->arena;
    statement->columns = arena_alloc(arena, (size_t)count * sizeof *statement->columns);
    for (int i = 0; i < count; i++) {
        const char *name = sqlite3_column_name(statement->stmt, i);
        if (statement_column(statement, name) >= 0)
            return source_error(&rule->source, err, statement->key, "two columns are named \"%s\"",
                                name);
        statement->columns[i] = arena_strdup(arena, name);
        statement->column_count++;
    }
    return 0;
}

/* A query of evidence or of a step is given :subject and the columns of the rule's row. */
static int check_parameters(const struct rule *rule, const struct statement *statement,
                            struct error *err)
{
    bool inner = statement != &rule->query && statement != &rule->applies;
    int count = sqlite3_bind_parameter_count(statement->stmt);
    if (count && !inner)
        return source_error(&rule->source, err, statement->key, "it may have no parameters");
    for (int i = 1; i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(statement->stmt, i);
        if (!name || name[0] != ':')
            return source_error(&rule->source, err, statement->key,
                                "parameters are written :column");
        if (statement_column(&rule->query, name + 1) < 0)
            return source_error(&rule->source, err, statement->key,
                                "the parameter %s is no column of the rule's query", name);
    }
    return 0;
}

int statement_compile(struct engine *engine, const struct rule *rule, struct statement *statement,
                      struct error *err)
{
    struct error reason;
    int offset;
    statement_done(statement);
    int code = once_list(engine, err);
    if (code)
        return code;
    if (guard_prepare(&engine->guard, engine->db, GUARD_QUERY, statement->sql, &statement->reads,
                      &statement->stmt, &offset, &reason) < 0)
        return source_error_in(&rule->source, err, statement->key, offset, "%s", reason.text);
    code = note_columns(rule, statement, err);
    return code ? code : check_parameters(rule, statement, err);
}

/* --- the rule's own query --- */

static int check_kind(struct engine *engine, const struct rule *rule, struct error *err)
{
    CLEANUP_TEXT struct text kinds = {0};
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    int code = engine_prepare(engine,
                              "SELECT substr(name, 9) FROM sqlite_schema WHERE type = 'view' AND"
                              " name GLOB 'subject_?*' AND name <> 'subject_parent' ORDER BY name",
                              &select, err);
    if (code)
        return code;
    while (sqlite3_step(select) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(select, 0);
        if (text_equal(kind, rule->info.subject))
            return 0;
        text_printf(&kinds, "%s%s", kinds.length ? ", " : "", kind);
    }
    return source_error(&rule->source, err, "subject",
                        "there is no subject kind \"%s\"; there are: %s", rule->info.subject,
                        kinds.length ? text_get(&kinds) : "none");
}

int rule_compile_query(struct engine *engine, struct rule *rule, struct error *err)
{
    int code = statement_compile(engine, rule, &rule->query, err);
    if (code)
        return code;
    rule->subject_column = statement_column(&rule->query, "subject");
    rule->verdict_column = statement_column(&rule->query, "verdict");
    rule->severity_column = statement_column(&rule->query, "severity");
    rule->confidence_column = statement_column(&rule->query, "confidence");
    rule->reason_column = statement_column(&rule->query, "reason");
    if (rule->subject_column < 0 || rule->verdict_column < 0)
        return source_error(&rule->source, err, "query", "it must return a column named %s",
                            rule->subject_column < 0 ? "subject" : "verdict");
    if (rule->confidence_column < 0 && statement_reads_matrix(&rule->query))
        return source_error(&rule->source, err, "query",
                            "it reads %s and must return a column named confidence",
                            rule->query.reads.matrix[0].table);
    return 0;
}

void engine_warm_up(struct engine *engine)
{
    struct error ignored; /* engine_run() meets the same error and tells it */
    for (size_t i = 0; i < engine->rule_count; i++) {
        struct rule *rule = engine->rules[i];
        if (rule->applies.sql && !rule->applies.stmt)
            (void)statement_compile(engine, rule, &rule->applies, &ignored);
        if (!rule->query.stmt)
            (void)rule_compile_query(engine, rule, &ignored);
        once_warm_up(engine, &rule->applies.reads);
        once_warm_up(engine, &rule->query.reads);
    }
}

/* --- slots --- */

/* Where slots of a template may come from; `first` may be NULL. */
struct columns {
    const struct statement *first, *second;
};

static int check_slots(const struct rule *rule, const struct template *template, const char *key,
                       struct columns from, struct error *err)
{
    for (size_t i = 0; i < template->count; i++) {
        const struct piece *piece = &template->pieces[i];
        if (!piece->slot || statement_column(from.second, piece->slot) >= 0 ||
            (from.first && statement_column(from.first, piece->slot) >= 0))
            continue;
        return source_error_in(&rule->source, err, key, (long)piece->offset,
                               "there is no column for the slot {%s}", piece->slot);
    }
    return 0;
}

static int check_evidence(struct engine *engine, struct rule *rule, struct evidence_spec *spec,
                          struct error *err)
{
    struct columns from = {NULL, &rule->query};
    int code = 0;
    if (spec->query.sql) {
        from.first = &spec->query;
        code = statement_compile(engine, rule, &spec->query, err);
    }
    char *key = arena_printf(&rule->arena, "%s.what", spec->key);
    if (!code)
        code = check_slots(rule, &spec->what, key, from, err);
    key = arena_printf(&rule->arena, "%s.value", spec->key);
    if (!code && spec->has_value)
        code = check_slots(rule, &spec->value, key, from, err);
    key = arena_printf(&rule->arena, "%s.path", spec->key);
    if (!code && spec->has_path)
        code = check_slots(rule, &spec->path, key, from, err);
    return code;
}

/* Not every build of SQLite can tell a column's origin. The image is always checked by one that
 * can, and a line is checked again by its value when it is used. */
extern const char *sqlite3_column_table_name(sqlite3_stmt *statement, int column)
    __attribute__((weak));

static int check_line(const struct rule *rule, const struct step_spec *step, const char *key,
                      struct error *err)
{
    const char *slot = step->command.pieces[0].slot;
    int column = step->query.sql ? statement_column(&step->query, slot) : -1;
    if (column < 0)
        return source_error(&rule->source, err, key,
                            "{%s:line} must be a column of the step's own query", slot);
    if (rule->from_image)
        return 0;
    if (!sqlite3_column_table_name)
        return source_error(&rule->source, err, key,
                            "{%s:line} cannot be checked by this build of SQLite", slot);
    const char *table = sqlite3_column_table_name(step->query.stmt, column);
    if (!table || strncmp(table, "m_", 2) != 0)
        return source_error(&rule->source, err, key,
                            "{%s:line} must be a column of a matrix table, not of %s", slot,
                            table ? table : "an expression");
    return 0;
}

/* Without a row the text stands alone: it must not need what only the step's query has. */
static int check_fallback(const struct rule *rule, const struct step_spec *step, const char *key,
                          struct error *err)
{
    if (!step->query.sql || step->optional || step->has_otherwise)
        return 0;
    for (size_t i = 0; i < step->text.count; i++) {
        const struct piece *piece = &step->text.pieces[i];
        if (piece->slot && statement_column(&rule->query, piece->slot) < 0)
            return source_error_in(&rule->source, err, key, (long)piece->offset,
                                   "{%s} is not known when the step's query gives no row: add "
                                   "\"otherwise\" or \"optional\"",
                                   piece->slot);
    }
    return 0;
}

static int check_step(struct engine *engine, struct rule *rule, struct step_spec *step,
                      struct error *err)
{
    struct columns from = {NULL, &rule->query};
    int code = 0;
    if (step->query.sql) {
        from.first = &step->query;
        code = statement_compile(engine, rule, &step->query, err);
    }
    if (!code && step->only_if && statement_column(&rule->query, step->only_if) < 0)
        code = source_error(&rule->source, err, arena_printf(&rule->arena, "%s.if", step->key),
                            "there is no column %s in the rule's query", step->only_if);
    char *key = arena_printf(&rule->arena, "%s.text", step->key);
    if (!code)
        code = check_slots(rule, &step->text, key, from, err);
    if (!code)
        code = check_fallback(rule, step, key, err);
    key = arena_printf(&rule->arena, "%s.otherwise", step->key);
    if (!code && step->has_otherwise)
        code = check_slots(rule, &step->otherwise, key, (struct columns){NULL, &rule->query}, err);
    key = arena_printf(&rule->arena, "%s.command", step->key);
    if (!code && step->has_command)
        code = check_slots(rule, &step->command, key, from, err);
    if (!code && step->has_command && template_is_line(&step->command))
        code = check_line(rule, step, key, err);
    return code;
}

int rule_compile(struct engine *engine, struct rule *rule, struct error *err)
{
    int code = rule_read_whole(engine, rule, err);
    if (!code)
        code = check_kind(engine, rule, err);
    if (!code && rule->applies.sql)
        code = statement_compile(engine, rule, &rule->applies, err);
    if (!code)
        code = rule_compile_query(engine, rule, err);
    if (!code)
        code =
            check_slots(rule, &rule->message, "message", (struct columns){NULL, &rule->query}, err);
    for (size_t i = 0; !code && i < rule->evidence_count; i++)
        code = check_evidence(engine, rule, &rule->evidence[i], err);
    for (size_t i = 0; !code && i < rule->step_count; i++)
        code = check_step(engine, rule, &rule->steps[i], err);
    return code;
}
