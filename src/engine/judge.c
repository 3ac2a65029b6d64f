/* A verdict for every subject of a rule. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/run.h"

int rule_error(const struct rule *rule, struct error *err, const char *format, ...)
{
    char sentence[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return error_set(err, -EINVAL, "rule %s: %s", rule->info.id, sentence);
}

const char *rule_failure(const struct rule *rule, const struct error *err)
{
    static const char start[] = "rule ";
    const char *text = err->text;
    size_t length = strlen(rule->info.id);
    bool named = text_starts(text, start) &&
                 strncmp(text + strlen(start), rule->info.id, length) == 0 &&
                 text_starts(text + strlen(start) + length, ": ");
    return named ? text + strlen(start) + length + 2 : text;
}

/* --- rows --- */

void row_keep(struct row *row, const struct statement *statement)
{
    row->statement = statement;
    row->values = xcalloc(statement->column_count, sizeof *row->values);
    for (size_t i = 0; i < statement->column_count; i++)
        row->values[i] = sqlite3_value_dup(sqlite3_column_value(statement->stmt, (int)i));
}

void row_done(struct row *row)
{
    for (size_t i = 0; row->values && i < row->statement->column_count; i++)
        sqlite3_value_free(row->values[i]);
    free(row->values);
    *row = (struct row){0};
}

const char *row_text(const struct row *row, int column)
{
    return column >= 0 && row->values[column]
               ? (const char *)sqlite3_value_text(row->values[column])
               : NULL;
}

/* --- one rule --- */

/* What happened to a subject before its verdict. */
struct state {
    bool applies, seen;
};

struct judge {
    struct run *run;
    struct rule *rule;
    const struct subjects *subjects;
    struct judgement *judgements;
    struct state *states;
    int64_t steps_left;
    bool knows_whom; /* `applies` was evaluated */
};

static int step_error(const struct judge *j, const struct statement *statement, struct error *err)
{
    return rule_error(j->rule, err, "%s: %s", statement->key,
                      guard_reason(&j->run->engine->guard, j->run->engine->db));
}

static int run_applies(struct judge *j, struct error *err)
{
    struct statement *applies = &j->rule->applies;
    int rc, code = 0;
    if (!applies->sql) {
        for (size_t i = 0; i < j->subjects->count; i++)
            j->states[i].applies = true;
        return 0;
    }
    if (!applies->stmt)
        code = statement_compile(j->run->engine, j->rule, applies, err);
    if (!code)
        code = once_need(j->run->engine, &applies->reads, err);
    if (code)
        return code;
    guard_limit(&j->run->engine->guard, j->steps_left, RULE_MS_MAX);
    while ((rc = sqlite3_step(applies->stmt)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(applies->stmt, 0);
        long at = name ? subjects_find(j->subjects, name) : -1;
        if (at >= 0)
            j->states[at].applies = true; /* a subject that is not enumerated is not judged */
    }
    if (rc != SQLITE_DONE)
        code = step_error(j, applies, err);
    j->steps_left = j->run->engine->guard.steps_left;
    guard_unlimit(&j->run->engine->guard);
    sqlite3_reset(applies->stmt);
    return code;
}

static const char *column_text(const struct rule *rule, int column)
{
    return column < 0 ? NULL : (const char *)sqlite3_column_text(rule->query.stmt, column);
}

static int read_grade(const struct rule *rule, const char *subject, struct judgement *ret,
                      struct error *err)
{
    const char *severity = column_text(rule, rule->severity_column);
    const char *confidence = column_text(rule, rule->confidence_column);
    ret->severity = rule->info.severity;
    ret->confidence = NULL;
    if (severity) {
        enum severity lowered;
        if (!severity_from_name(severity, &lowered))
            return rule_error(rule, err, "query: subject %s has the severity \"%s\"", subject,
                              severity);
        if (lowered < ret->severity)
            ret->severity = lowered;
    }
    if (!confidence)
        return 0;
    static const char *const grades[] = {"high", "medium", "low"};
    for (size_t i = 0; i < sizeof grades / sizeof *grades; i++)
        if (strcmp(grades[i], confidence) == 0)
            ret->confidence = grades[i];
    if (!ret->confidence)
        return rule_error(rule, err, "query: subject %s has the confidence \"%s\"", subject,
                          confidence);
    return 0;
}

static int read_verdict(const struct judge *j, const char *subject, struct judgement *ret,
                        struct error *err)
{
    const char *verdict = column_text(j->rule, j->rule->verdict_column);
    const char *reason = column_text(j->rule, j->rule->reason_column);
    if (!verdict || strcmp(verdict, "unknown") == 0) {
        ret->verdict = VERDICT_UNKNOWN;
        ret->reason =
            reason ? template_value(reason, &j->run->arena) : "a fact that decides is not known";
        return 0;
    }
    if (strcmp(verdict, "ok") == 0) {
        ret->verdict = VERDICT_OK;
        return 0;
    }
    if (strcmp(verdict, "fail") != 0)
        return rule_error(j->rule, err, "query: subject %s has the verdict \"%s\"", subject,
                          verdict);
    ret->verdict = VERDICT_FAIL;
    row_keep(&ret->row, &j->rule->query);
    return read_grade(j->rule, subject, ret, err);
}

static bool applies_to_any(const struct judge *j)
{
    for (size_t i = 0; i < j->subjects->count; i++)
        if (j->states[i].applies)
            return true;
    return false;
}

static int run_query(struct judge *j, struct error *err)
{
    struct statement *query = &j->rule->query;
    int rc = SQLITE_DONE, code = query->stmt ? 0 : rule_compile_query(j->run->engine, j->rule, err);
    if (!code)
        code = once_need(j->run->engine, &query->reads, err);
    guard_limit(&j->run->engine->guard, j->steps_left, RULE_MS_MAX);
    while (!code && (rc = sqlite3_step(query->stmt)) == SQLITE_ROW) {
        const char *name = column_text(j->rule, j->rule->subject_column);
        long at = name ? subjects_find(j->subjects, name) : -1;
        if (at < 0)
            code = rule_error(j->rule, err, "query: %s is not among the subjects of kind %s",
                              name ? name : "NULL", j->subjects->kind);
        else if (j->states[at].seen)
            code = rule_error(j->rule, err, "query: two rows for the subject %s", name);
        else
            code = read_verdict(j, name, &j->judgements[at], err);
        if (!code)
            j->states[at].seen = true;
    }
    if (!code && rc != SQLITE_DONE)
        code = step_error(j, query, err);
    guard_unlimit(&j->run->engine->guard);
    sqlite3_reset(query->stmt); /* NULL is fine */
    return code;
}

static void set_verdict(struct judgement *judgement, enum verdict verdict, const char *reason)
{
    row_done(&judgement->row);
    judgement->verdict = verdict;
    judgement->reason = reason;
}

/* What a subject is before, and in spite of, the row of the query. */
static void settle(struct judge *j, size_t i)
{
    const char *scope = j->subjects->items[i].scope;
    const char *reason = blinds_reason(&j->run->blinds, &j->rule->applies.reads, scope);
    if (reason) {
        set_verdict(&j->judgements[i], VERDICT_UNKNOWN, reason);
    } else if (!j->states[i].applies) {
        set_verdict(&j->judgements[i], VERDICT_SKIP, NULL);
    } else if ((reason = blinds_reason(&j->run->blinds, &j->rule->query.reads, scope))) {
        set_verdict(&j->judgements[i], VERDICT_UNKNOWN, reason);
    } else if (!j->states[i].seen) {
        set_verdict(&j->judgements[i], VERDICT_UNKNOWN, "no data for this in the rules");
    }
}

/* Nothing is known of what a rule that failed is about. */
static void settle_failed(struct judge *j, size_t i, const char *reason)
{
    if (j->knows_whom && !j->states[i].applies)
        set_verdict(&j->judgements[i], VERDICT_SKIP, NULL);
    else
        set_verdict(&j->judgements[i], VERDICT_UNKNOWN, reason);
}

void judgements_free(struct judgement *judgements, size_t count)
{
    for (size_t i = 0; judgements && i < count; i++)
        row_done(&judgements[i].row);
    free(judgements);
}

static int run_both(struct judge *j, struct error *err)
{
    int code = run_applies(j, err);
    j->knows_whom = !code;
    /* preparing a query over many views takes longer than running it */
    return code || !applies_to_any(j) ? code : run_query(j, err);
}

int rule_judge(struct run *run, struct rule *rule, const struct subjects **ret_subjects,
               struct judgement **ret, struct error *err)
{
    struct judge j = {.run = run, .rule = rule, .steps_left = RULE_STEPS_MAX};
    *ret_subjects = NULL;
    int code = run_subjects(run, rule->info.subject, &j.subjects, err);
    if (code)
        return code;
    j.judgements = xcalloc(j.subjects->count, sizeof *j.judgements);
    CLEANUP_FREE struct state *states = xcalloc(j.subjects->count, sizeof *states);
    j.states = states;
    if (j.subjects->count)
        code = run_both(&j, err);
    const char *reason =
        code ? arena_printf(&run->arena, "the rule itself failed: %s", rule_failure(rule, err))
             : NULL;
    for (size_t i = 0; i < j.subjects->count; i++) {
        if (code)
            settle_failed(&j, i, reason);
        else
            settle(&j, i);
    }
    *ret_subjects = j.subjects;
    *ret = j.judgements;
    return code;
}
