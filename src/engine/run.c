/* One run of the rules over the facts. */
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
    int code = once_fill(engine, err);
    return code ? code : blinds_load(engine, &run->arena, &run->blinds, err);
}

int run_subjects(struct run *run, const char *kind, const struct subjects **ret, struct error *err)
{
    for (size_t i = 0; i < run->kind_count; i++) {
        if (strcmp(run->kinds[i]->kind, kind) == 0) {
            *ret = run->kinds[i];
            return 0;
        }
    }
    struct subjects *subjects = arena_alloc(&run->arena, sizeof *subjects);
    int code = subjects_load(run->engine, &run->arena, kind, subjects, err);
    if (code)
        return code;
    run->kinds = xgrow(run->kinds, &run->kind_capacity, run->kind_count + 1, sizeof *run->kinds);
    run->kinds[run->kind_count++] = subjects;
    *ret = subjects;
    return 0;
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
    size_t finding_count, finding_capacity, unknown_capacity, rule_capacity;
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

static int add_finding(struct tally *t, struct rule *rule, const struct subject *subject,
                       const struct judgement *judgement, struct error *err)
{
    t->findings =
        xgrow(t->findings, &t->finding_capacity, t->finding_count + 1, sizeof *t->findings);
    int code = finding_make(&t->run, rule, subject, judgement, &t->result->arena,
                            &t->findings[t->finding_count], err);
    if (!code)
        t->finding_count++;
    return code;
}

static int take(struct tally *t, struct rule *rule, const struct subject *subject,
                const struct judgement *judgement, struct rule_count *count, struct error *err)
{
    switch (judgement->verdict) {
    case VERDICT_OK:
        count->ok++;
        return 0;
    case VERDICT_SKIP:
        count->skip++;
        return 0;
    case VERDICT_UNKNOWN:
        count->unknown++;
        add_unknown(t, rule, subject, judgement->reason);
        return 0;
    case VERDICT_FAIL:
        break;
    }
    count->fail++;
    return add_finding(t, rule, subject, judgement, err);
}

static int run_rule(struct tally *t, struct rule *rule, struct error *err)
{
    struct result *result = t->result;
    struct rule_count count = {.rule = &rule->info};
    const struct subjects *subjects = NULL;
    struct judgement *judgements = NULL;
    double start = now_ms();
    int code = rule_judge(&t->run, rule, &subjects, &judgements, err);
    if (code)
        return code;
    for (size_t i = 0; !code && i < subjects->count; i++)
        code = take(t, rule, &subjects->items[i], &judgements[i], &count, err);
    judgements_free(judgements, subjects->count);
    count.ms = now_ms() - start;
    result->ok += count.ok;
    result->unknown += count.unknown;
    result->skip += count.skip;
    result->rules =
        xgrow(result->rules, &t->rule_capacity, result->rule_count + 1, sizeof *result->rules);
    result->rules[result->rule_count++] = count;
    return code;
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

static int run_rules(struct tally *t, const struct engine_options *options, struct error *err)
{
    struct engine *engine = t->run.engine;
    int code = 0;
    for (size_t i = 0; !code && i < engine->rule_count; i++) {
        const char *id = engine->rules[i]->info.id;
        bool wanted = !options->only_count || is_among(id, options->only, options->only_count);
        /* an ignored rule does not run: nothing folds under it */
        if (wanted && !is_among(id, options->ignore, options->ignore_count))
            code = run_rule(t, engine->rules[i], err);
    }
    return code;
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
        code = run_rules(&t, options, err);
    if (!code && t.finding_count > 1) /* one finding alone has nothing to fold under */
        code = parents_load(engine, &t.run.arena, &t.run.parents, err);
    ret->unknowns = adopt(&ret->arena, ret->unknowns, ret->unknown_count * sizeof *ret->unknowns);
    ret->rules = adopt(&ret->arena, ret->rules, ret->rule_count * sizeof *ret->rules);
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
