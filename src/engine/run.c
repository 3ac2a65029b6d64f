/* One run of the rules over the facts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/run.h"

int run_begin(struct run *run, struct engine *engine, const char *target, struct error *err)
{
    *run = (struct run){.engine = engine, .target = target};
    return blinds_load(engine, &run->arena, &run->blinds, err);
}

int run_subjects(struct run *run, const char *kind, const struct subjects **ret, struct error *err)
{
    for (size_t i = 0; i < run->kind_count; i++) {
        if (strcmp(run->kinds[i]->kind, kind) == 0) {
            *ret = run->kinds[i];
            const char *failure = run->kinds[i]->failure;
            return failure ? error_set(err, -EIO, "%s", failure) : 0;
        }
    }
    struct subjects *subjects = arena_alloc(&run->arena, sizeof *subjects);
    int code = subjects_load(run->engine, &run->arena, kind, subjects, err);
    if (code)
        *subjects =
            (struct subjects){.kind = kind, .failure = arena_strdup(&run->arena, err->text)};
    run->kinds = xgrow(run->kinds, &run->kind_capacity, run->kind_count + 1, sizeof *run->kinds);
    run->kinds[run->kind_count++] = subjects;
    *ret = subjects;
    return code;
}

void run_done(struct run *run)
{
    free(run->kinds);
    arena_done(&run->arena);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static bool is_among(const char *id, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], id) == 0)
            return true;
    return false;
}

/* What grows while the rules run. */
struct tally {
    struct run run;
    struct result *result;
    struct finding *findings;
    size_t finding_count, finding_capacity, unknown_capacity, rule_capacity, failed_capacity;
    struct words words; /* of the rule at hand */
};

static void add_unknown(struct tally *t, const struct rule *rule, const struct subject *subject,
                        const char *reason)
{
    struct result *result = t->result;
    struct arena *arena = &result->arena;
    result->unknowns = xgrow(result->unknowns, &t->unknown_capacity, result->unknown_count + 1,
                             sizeof *result->unknowns);
    result->unknowns[result->unknown_count++] =
        (struct unknown){&rule->info, rule->info.subject, arena_strdup(arena, subject->key),
                         arena_strdup(arena, subject->label), arena_strdup(arena, reason)};
}

/* Once for each rule: the first thing that went wrong. */
static void add_failed(struct tally *t, const struct rule *rule, const struct error *err)
{
    struct result *result = t->result;
    if (result->failed_count && result->failed[result->failed_count - 1].rule == &rule->info)
        return;
    result->failed = xgrow(result->failed, &t->failed_capacity, result->failed_count + 1,
                           sizeof *result->failed);
    result->failed[result->failed_count++] = (struct failed_rule){
        &rule->info, arena_strdup(&result->arena, rule_failure(rule, err)), rule->from_image};
}

/* False where the rule cannot be read any more. */
static bool add_finding(struct tally *t, struct rule *rule, const struct subject *subject,
                        const struct judgement *judgement)
{
    struct error err;
    t->findings =
        xgrow(t->findings, &t->finding_capacity, t->finding_count + 1, sizeof *t->findings);
    if (finding_make(&t->run, rule, subject, judgement, &t->words, &t->result->arena,
                     &t->findings[t->finding_count], &err) < 0) {
        add_failed(t, rule, &err);
        return false;
    }
    t->finding_count++;
    return true;
}

static void take(struct tally *t, struct rule *rule, const struct subject *subject,
                 const struct judgement *judgement, struct rule_count *count)
{
    switch (judgement->verdict) {
    case VERDICT_OK:
        count->ok++;
        break;
    case VERDICT_SKIP:
        count->skip++;
        break;
    case VERDICT_UNKNOWN:
        count->unknown++;
        add_unknown(t, rule, subject, judgement->reason);
        break;
    case VERDICT_FAIL:
        if (add_finding(t, rule, subject, judgement)) {
            count->fail++;
        } else {
            count->unknown++;
            add_unknown(t, rule, subject, "the rule itself failed: its file cannot be read");
        }
    }
}

static void run_rule(struct tally *t, struct rule *rule)
{
    struct result *result = t->result;
    struct rule_count count = {.rule = &rule->info};
    const struct subjects *subjects = NULL;
    struct judgement *judgements = NULL;
    struct error err;
    double start = now_ms();
    words_begin(&t->words);
    if (rule_judge(&t->run, rule, &subjects, &judgements, &err) < 0)
        add_failed(t, rule, &err);
    for (size_t i = 0; subjects && i < subjects->count; i++)
        take(t, rule, &subjects->items[i], &judgements[i], &count);
    if (t->words.code)
        add_failed(t, rule, &t->words.error);
    words_end(&t->words);
    judgements_free(judgements, subjects ? subjects->count : 0);
    count.ms = now_ms() - start;
    result->ok += count.ok;
    result->unknown += count.unknown;
    result->skip += count.skip;
    result->rules =
        xgrow(result->rules, &t->rule_capacity, result->rule_count + 1, sizeof *result->rules);
    result->rules[result->rule_count++] = count;
}

/* The lists grew on the heap; the result's arena owns what it gives out. */
static void *adopt(struct arena *arena, void *items, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (size)
        memcpy(copy, items, size);
    free(items);
    return copy;
}

static void run_rules(struct tally *t, const struct engine_options *options)
{
    struct engine *engine = t->run.engine;
    for (size_t i = 0; i < engine->rule_count; i++) {
        const char *id = engine->rules[i]->info.id;
        bool wanted = !options->only_count || is_among(id, options->only, options->only_count);
        /* an ignored rule does not run: nothing folds under it */
        if (wanted && !is_among(id, options->ignore, options->ignore_count))
            run_rule(t, engine->rules[i]);
    }
}

int engine_run(struct engine *engine, const struct engine_options *options, struct result *ret,
               struct error *err)
{
    static const struct engine_options none = {0};
    struct tally t = {.result = ret};
    options = options ? options : &none;
    *ret = (struct result){0};
    int code = facts_failed(engine->facts, err);
    if (!code)
        code = run_begin(&t.run, engine, options->target, err);
    if (!code)
        run_rules(&t, options);
    if (!code && t.finding_count > 1) /* one finding alone has nothing to fold under */
        code = parents_load(engine, &t.run.arena, &t.run.parents, err);
    ret->unknowns = adopt(&ret->arena, ret->unknowns, ret->unknown_count * sizeof *ret->unknowns);
    ret->rules = adopt(&ret->arena, ret->rules, ret->rule_count * sizeof *ret->rules);
    ret->failed = adopt(&ret->arena, ret->failed, ret->failed_count * sizeof *ret->failed);
    if (!code)
        fold(&t.run, t.findings, t.finding_count, ret);
    free(t.findings);
    run_done(&t.run);
    if (code)
        result_done(ret);
    return code;
}

void result_done(struct result *result)
{
    arena_done(&result->arena);
    *result = (struct result){0};
}
