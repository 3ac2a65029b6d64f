/* From a failing row to a finding: message, evidence, fingerprint. Steps are in steps.c. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/run.h"

bool row_pair_lookup(const void *context, const char *name, const char **ret)
{
    const struct row_pair *pair = context;
    const struct row *rows[] = {pair->first, pair->second};
    for (size_t i = 0; i < 2; i++) {
        int column = rows[i] ? statement_column(rows[i]->statement, name) : -1;
        if (column >= 0) {
            *ret = row_text(rows[i], column);
            return true;
        }
    }
    return false;
}

/* --- message --- */

static void grade(struct finding *finding, struct arena *arena)
{
    if (text_equal(finding->confidence, "low")) {
        if (finding->severity > SEVERITY_WARNING)
            finding->severity = SEVERITY_WARNING;
        finding->message = arena_printf(arena, "%s (low confidence: the data behind this is weak)",
                                        finding->message);
    } else if (text_equal(finding->confidence, "medium")) {
        finding->message = arena_printf(
            arena, "%s (probably: the data behind this is not confirmed)", finding->message);
    }
}

/* --- evidence --- */

struct evidence_list {
    struct evidence *items;
    size_t count, capacity;
};

static void add_evidence(struct evidence_list *list, const struct evidence_spec *spec,
                         const struct row_pair *rows, struct arena *arena)
{
    size_t slots = template_slot_count(&spec->what), filled, seen;
    struct evidence e = {0};
    e.what = template_text(&spec->what, row_pair_lookup, rows, arena, &filled);
    if (spec->has_value) {
        e.value = template_text(&spec->value, row_pair_lookup, rows, arena, &seen);
        slots += template_slot_count(&spec->value);
        filled += seen;
    }
    if (spec->has_path) {
        e.path = template_text(&spec->path, row_pair_lookup, rows, arena, &seen);
        if (seen < template_slot_count(&spec->path))
            e.path = NULL; /* half a path leads nowhere */
        slots += template_slot_count(&spec->path);
        filled += seen;
    }
    if (slots && !filled)
        return;
    list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = e;
}

static void add_evidence_rows(struct run *run, struct rule *rule, struct evidence_spec *spec,
                              const struct row *row, struct words *words, struct arena *arena,
                              struct evidence_list *list)
{
    size_t count;
    const struct row *rows =
        words_ask(words, run->engine, rule, &spec->query, row, EVIDENCE_ROWS_MAX, &count);
    for (size_t i = 0; i < count; i++)
        add_evidence(list, spec, &(struct row_pair){&rows[i], row}, arena);
}

void evidence_make(struct run *run, struct rule *rule, const struct row *row, struct words *words,
                   struct arena *arena, struct finding *ret)
{
    struct evidence_list list = {0};
    for (size_t i = 0; i < rule->evidence_count; i++) {
        struct evidence_spec *spec = &rule->evidence[i];
        if (spec->query.sql)
            add_evidence_rows(run, rule, spec, row, words, arena, &list);
        else
            add_evidence(&list, spec, &(struct row_pair){NULL, row}, arena);
    }
    struct evidence *copy = arena_alloc(arena, list.count * sizeof *copy);
    if (list.count)
        memcpy(copy, list.items, list.count * sizeof *copy);
    ret->evidence = copy;
    ret->evidence_count = list.count;
    free(list.items);
}

/* --- fingerprint --- */

static char *fingerprint(struct arena *arena, const char *rule, const char *target,
                         const char *kind, const char *key)
{
    const char *parts[] = {rule, target ? target : "", kind, key};
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    /* the NUL of each part goes in, so that no two lists of parts read alike */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        CLEANUP_TEXT struct text part = {0};
        text_add_utf8(&part, parts[i], strlen(parts[i])); /* as a snapshot has it */
        crypto_hash_sha256_update(&state, (const unsigned char *)text_get(&part), part.length + 1);
    }
    crypto_hash_sha256_final(&state, hash);
    char *hex = arena_alloc(arena, 2 * sizeof hash + 1);
    return sodium_bin2hex(hex, 2 * sizeof hash + 1, hash, sizeof hash);
}

int finding_make(struct run *run, struct rule *rule, const struct subject *subject,
                 const struct judgement *judgement, struct words *words, struct arena *arena,
                 struct finding *ret, struct error *err)
{
    size_t filled;
    int code = rule_read_whole(run->engine, rule, err);
    if (code)
        return code;
    *ret = (struct finding){.rule = &rule->info,
                            .severity = judgement->severity,
                            .kind = rule->info.subject,
                            .key = arena_strdup(arena, subject->key),
                            .label = arena_strdup(arena, subject->label),
                            .subject = arena_strdup(arena, subject->name),
                            .confidence = judgement->confidence};
    ret->message = template_text(&rule->message, row_pair_lookup,
                                 &(struct row_pair){NULL, &judgement->row}, arena, &filled);
    ret->fingerprint = fingerprint(arena, rule->info.id, run->target, ret->kind, ret->key);
    grade(ret, arena);
    evidence_make(run, rule, &judgement->row, words, arena, ret);
    steps_make(run, rule, &judgement->row, words, arena, ret);
    return 0;
}
