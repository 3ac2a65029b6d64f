/* caused_by between rules: names must exist, and no rule may explain itself. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/internal.h"

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

/* One rule on the way down, and which of its causes is looked at next. */
struct visit {
    size_t rule, next;
};

static size_t index_of(const struct engine *engine, const char *id)
{
    size_t i = 0;
    while (strcmp(engine->rules[i]->info.id, id) != 0)
        i++;
    return i;
}

static int check_names(const struct engine *engine, struct error *err)
{
    for (size_t i = 0; i < engine->rule_count; i++) {
        struct rule *rule = engine->rules[i];
        for (size_t k = 0; k < rule->info.caused_by_count; k++) {
            if (!engine_find_rule(engine, rule->info.caused_by[k]))
                return source_error(&rule->source, err,
                                    arena_printf(&rule->arena, "caused_by[%zu]", k),
                                    "there is no rule \"%s\"", rule->info.caused_by[k]);
        }
    }
    return 0;
}

static int report_cycle(const struct engine *engine, const struct visit *way, size_t depth,
                        size_t again, struct error *err)
{
    CLEANUP_TEXT struct text names = {0};
    size_t from = 0;
    while (way[from].rule != again)
        from++;
    for (size_t i = from; i < depth; i++)
        text_printf(&names, "%s -> ", engine->rules[way[i].rule]->info.id);
    text_add(&names, engine->rules[again]->info.id);
    const struct rule *first = engine->rules[again];
    return source_error(&first->source, err, "caused_by", "a cycle: %s", text_get(&names));
}

/* Depth first with a stack of our own: a chain may be as long as there are rules. */
static int walk(const struct engine *engine, size_t start, enum mark *marks, struct visit *way,
                struct error *err)
{
    size_t depth = 1;
    way[0] = (struct visit){start, 0};
    marks[start] = MARK_OPEN;
    while (depth) {
        struct visit *top = &way[depth - 1];
        const struct rule_info *info = &engine->rules[top->rule]->info;
        if (top->next == info->caused_by_count) {
            marks[top->rule] = MARK_DONE;
            depth--;
            continue;
        }
        size_t cause = index_of(engine, info->caused_by[top->next++]);
        if (marks[cause] == MARK_OPEN)
            return report_cycle(engine, way, depth, cause, err);
        if (marks[cause] == MARK_NEW) {
            marks[cause] = MARK_OPEN;
            way[depth++] = (struct visit){cause, 0};
        }
    }
    return 0;
}

int check_causes(const struct engine *engine, struct error *err)
{
    int code = check_names(engine, err);
    CLEANUP_FREE enum mark *marks = xcalloc(engine->rule_count + 1, sizeof *marks);
    CLEANUP_FREE struct visit *way = xcalloc(engine->rule_count + 1, sizeof *way);
    for (size_t i = 0; !code && i < engine->rule_count; i++)
        if (marks[i] == MARK_NEW)
            code = walk(engine, i, marks, way, err);
    return code;
}
