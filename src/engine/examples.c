/* Every rule brings examples: given rows, expected verdicts. They run in a copy of the database. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "engine/run.h"

struct bench {
    struct engine *copy;
    unsigned char *image; /* it lies on */
    struct rule *rule;    /* whose examples these are, with its file */
    struct rule *twin;    /* the same rule in the copy */
    struct arena arena;
    bool seen[VERDICT_SKIP + 1];
};

static bool verdict_from_name(const char *name, enum verdict *ret)
{
    for (int v = VERDICT_OK; v <= VERDICT_SKIP; v++) {
        if (text_equal(verdict_name((enum verdict)v), name)) {
            *ret = (enum verdict)v;
            return true;
        }
    }
    return false;
}

static int give(struct bench *b, const char *key, const json_t *given, struct error *err)
{
    struct error reason;
    int code = 0;
    for (size_t i = 0; !code && i < TABLE_COUNT; i++)
        code = facts_clear(b->copy->facts, (enum table_id)i, err);
    if (code)
        return code;
    if (facts_rows_from_json(b->copy->facts, given, false, &reason) < 0)
        return source_error(&b->rule->source, err, arena_printf(&b->arena, "%s.given", key), "%s",
                            reason.text);
    return 0;
}

static int compare(struct bench *b, const char *key, const json_t *expect,
                   const struct subjects *subjects, const struct judgement *judgements,
                   struct error *err)
{
    const char *place = arena_printf(&b->arena, "%s.expect", key), *name;
    const struct source *source = &b->rule->source;
    json_t *value;
    json_object_foreach ((json_t *)expect, name, value) {
        enum verdict wanted, got;
        long at = subjects_find(subjects, name);
        if (!verdict_from_name(json_string_value(value), &wanted))
            return source_error(source, err, place, "\"%s\": must be ok, fail, unknown or skip",
                                name);
        if (at < 0)
            return source_error(source, err, place, "\"%s\" is not among the subjects of kind %s",
                                name, subjects->kind);
        got = judgements[at].verdict;
        if (got != wanted)
            return source_error(source, err, place, "\"%s\" should be %s, but is %s%s%s", name,
                                verdict_name(wanted), verdict_name(got),
                                got == VERDICT_UNKNOWN ? ": " : "",
                                got == VERDICT_UNKNOWN ? judgements[at].reason : "");
        b->seen[wanted] = true;
    }
    return 0;
}

/* The words are put together as well: a query of a step may go wrong like any other. */
static int render_all(struct bench *b, struct run *run, const struct subjects *subjects,
                      const struct judgement *judgements, struct error *err)
{
    struct words words;
    int code = 0;
    words_begin(&words);
    for (size_t i = 0; !code && i < subjects->count; i++) {
        struct finding finding;
        if (judgements[i].verdict == VERDICT_FAIL)
            code = finding_make(run, b->twin, &subjects->items[i], &judgements[i], &words,
                                &b->arena, &finding, err);
    }
    if (!code && words.code)
        code = error_set(err, words.code, "%s", words.error.text);
    words_end(&words);
    return code;
}

static int judge(struct bench *b, const char *key, const json_t *expect, struct error *err)
{
    struct run run;
    struct error reason;
    const struct subjects *subjects = NULL;
    struct judgement *judgements = NULL;
    int code = run_begin(&run, b->copy, NULL, &reason);
    if (!code)
        code = rule_judge(&run, b->twin, &subjects, &judgements, &reason);
    if (!code)
        code = render_all(b, &run, subjects, judgements, &reason);
    if (code)
        source_error(&b->rule->source, err, key, "%s", reason.text);
    else
        code = compare(b, key, expect, subjects, judgements, err);
    judgements_free(judgements, subjects ? subjects->count : 0);
    run_done(&run);
    return code;
}

static int run_example(struct bench *b, const json_t *example, size_t i, struct error *err)
{
    static const char *const keys[] = {"given", "expect", "note", NULL};
    const char *key = arena_printf(&b->arena, "examples[%zu]", i);
    const struct source *source = &b->rule->source;
    if (!json_is_object(example))
        return source_error(source, err, key, "must be an object");
    struct member at = {source, example, key};
    int code = check_keys(&at, &b->arena, keys, err);
    const json_t *given = json_object_get(example, "given");
    const json_t *expect = json_object_get(example, "expect");
    if (!code && (!json_is_object(given) || !json_is_object(expect) || !json_object_size(expect)))
        code = source_error(source, err, key, "\"given\" and \"expect\" must be objects");
    if (!code)
        code = give(b, key, given, err);
    return code ? code : judge(b, key, expect, err);
}

static int run_rule_examples(struct bench *b, size_t *ret_run, struct error *err)
{
    static const enum verdict needed[] = {VERDICT_OK, VERDICT_FAIL, VERDICT_UNKNOWN};
    const json_t *examples = json_object_get(b->rule->source.json, "examples");
    json_t *example;
    size_t i;
    int code = 0;
    memset(b->seen, 0, sizeof b->seen);
    json_array_foreach ((json_t *)examples, i, example) {
        code = run_example(b, example, i, err);
        if (code)
            return code;
        ++*ret_run;
    }
    for (i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!b->seen[needed[i]])
            return source_error(&b->rule->source, err, examples ? "examples" : "",
                                "no example is expected to be %s", verdict_name(needed[i]));
    return 0;
}

static int open_copy(struct bench *b, struct engine *engine, struct error *err)
{
    sqlite3_int64 size = 0;
    b->image = sqlite3_serialize(engine->db, "main", &size, 0);
    return b->image ? engine_open(b->image, (size_t)size, &b->copy, err)
                    : error_set(err, -ENOMEM, "cannot copy the database");
}

static bool lies_below(const char *file, const char *dir)
{
    size_t length = dir ? strlen(dir) : 0;
    return !dir || (strncmp(file, dir, length) == 0 && file[length] == '/');
}

int engine_run_examples(struct engine *engine, const char *dir, size_t *ret_run, struct error *err)
{
    struct bench b = {0};
    size_t run = 0;
    int code = open_copy(&b, engine, err);
    for (size_t i = 0; !code && i < engine->rule_count; i++) {
        b.rule = engine->rules[i];
        b.twin = engine_find_rule(b.copy, b.rule->info.id);
        if (!lies_below(b.rule->info.file, dir))
            continue;
        code = rule_read_whole(engine, b.rule, err);
        if (!code)
            code = run_rule_examples(&b, &run, err);
        arena_done(&b.arena);
    }
    engine_free(b.copy);
    sqlite3_free(b.image);
    *ret_run = run;
    return code;
}
