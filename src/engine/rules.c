/* The list of rules of an engine. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/internal.h"

/* Where the id is, or where it belongs. */
static size_t place_of(const struct engine *engine, const char *id, bool *ret_found)
{
    size_t low = 0, high = engine->rule_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(engine->rules[middle]->info.id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = low < engine->rule_count && strcmp(engine->rules[low]->info.id, id) == 0;
    return low;
}

void engine_add_rule(struct engine *engine, struct rule *rule)
{
    bool found;
    size_t at = place_of(engine, rule->info.id, &found);
    if (found) {
        rule_free(engine->rules[at]);
        engine->rules[at] = rule;
        return;
    }
    engine->rules =
        xgrow(engine->rules, &engine->rule_capacity, engine->rule_count + 1, sizeof(struct rule *));
    memmove(engine->rules + at + 1, engine->rules + at,
            (engine->rule_count - at) * sizeof(struct rule *));
    engine->rules[at] = rule;
    engine->rule_count++;
}

struct rule *engine_find_rule(const struct engine *engine, const char *id)
{
    bool found;
    size_t at = place_of(engine, id, &found);
    return found ? engine->rules[at] : NULL;
}

size_t engine_rule_count(const struct engine *engine)
{
    return engine->rule_count;
}

const struct rule_info *engine_rule(const struct engine *engine, size_t i)
{
    return i < engine->rule_count ? &engine->rules[i]->info : NULL;
}

const struct rule_info *engine_rule_named(const struct engine *engine, const char *id)
{
    const struct rule *rule = engine_find_rule(engine, id);
    return rule ? &rule->info : NULL;
}

const char *engine_rule_text(struct engine *engine, const char *id)
{
    struct rule *rule = engine_find_rule(engine, id);
    return rule && rule_read_text(engine, rule, NULL) == 0 ? rule->info.json : NULL;
}
