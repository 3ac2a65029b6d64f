/* Subjects are enumerated from views; a rule only judges them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/run.h"

enum { SUBJECTS_MAX = 200000 };

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct subject *const *)a)->name, (*(struct subject *const *)b)->name);
}

static char *column(struct arena *arena, sqlite3_stmt *select, int at)
{
    return arena_strdup(arena, (const char *)sqlite3_column_text(select, at));
}

static int read_subjects(struct engine *engine, struct arena *arena, sqlite3_stmt *select,
                         struct subjects *ret, struct error *err)
{
    struct subject *items = NULL;
    size_t capacity = 0, count = 0;
    int rc;
    guard_limit(&engine->guard, RULE_STEPS_MAX, RULE_MS_MAX);
    while ((rc = sqlite3_step(select)) == SQLITE_ROW && count < SUBJECTS_MAX) {
        struct subject s = {column(arena, select, 0), column(arena, select, 1),
                            column(arena, select, 2), column(arena, select, 3)};
        if (!s.name)
            continue; /* what has no name cannot be judged */
        s.key = s.key ? s.key : s.name;
        s.label = s.label ? s.label : s.key;
        s.scope = s.scope ? s.scope : "machine";
        items = xgrow(items, &capacity, count + 1, sizeof *items);
        items[count++] = s;
    }
    guard_unlimit(&engine->guard);
    ret->items = arena_alloc(arena, count * sizeof *items);
    ret->sorted = arena_alloc(arena, count * sizeof *ret->sorted);
    ret->count = count;
    for (size_t i = 0; i < count; i++) {
        ret->items[i] = items[i];
        ret->sorted[i] = &ret->items[i];
    }
    free(items);
    if (rc != SQLITE_DONE)
        return error_set(err, -EIO, "view subject_%s: %s", ret->kind,
                         rc == SQLITE_ROW ? "too many subjects"
                                          : guard_reason(&engine->guard, engine->db));
    return 0;
}

int subjects_load(struct engine *engine, struct arena *arena, const char *kind,
                  struct subjects *ret, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    CLEANUP_TEXT struct text sql = {0};
    *ret = (struct subjects){.kind = kind};
    text_printf(&sql, "SELECT subject, key, label, scope FROM \"subject_%s\"", kind);
    int code = engine_prepare_read(engine, text_get(&sql), &select, err);
    if (code)
        return error_prefix(err, code, "view subject_%s", kind);
    code = read_subjects(engine, arena, select, ret, err);
    if (code)
        return code;
    qsort(ret->sorted, ret->count, sizeof(struct subject *), by_name);
    for (size_t i = 1; i < ret->count; i++)
        if (strcmp(ret->sorted[i - 1]->name, ret->sorted[i]->name) == 0)
            return error_set(err, -EINVAL, "view subject_%s: it lists %s twice", kind,
                             ret->sorted[i]->name);
    return 0;
}

long subjects_find(const struct subjects *subjects, const char *name)
{
    struct subject wanted = {.name = name}, *key = &wanted;
    struct subject **found = subjects->count ? bsearch(&key, subjects->sorted, subjects->count,
                                                       sizeof(struct subject *), by_name)
                                             : NULL;
    return found ? (long)(*found - subjects->items) : -1;
}

/* --- parents --- */

static int compare_parents(const void *a, const void *b)
{
    const struct parent *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    return order ? order : strcmp(x->name, y->name);
}

int parents_load(struct engine *engine, struct arena *arena, struct parents *ret, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    CLEANUP_FREE struct parent *items = NULL;
    size_t capacity = 0;
    *ret = (struct parents){0};
    if (!engine_has_table(engine, "subject_parent", "view"))
        return 0;
    int code = engine_prepare_read(
        engine, "SELECT kind, subject, parent_kind, parent FROM subject_parent", &select, err);
    if (code)
        return error_prefix(err, code, "view subject_parent");
    guard_limit(&engine->guard, RULE_STEPS_MAX, RULE_MS_MAX);
    int rc;
    while ((rc = sqlite3_step(select)) == SQLITE_ROW) {
        struct parent p = {column(arena, select, 0), column(arena, select, 1),
                           column(arena, select, 2), column(arena, select, 3)};
        if (!p.kind || !p.name || !p.parent_kind || !p.parent)
            continue;
        items = xgrow(items, &capacity, ret->count + 1, sizeof *items);
        items[ret->count++] = p;
    }
    guard_unlimit(&engine->guard);
    if (rc != SQLITE_DONE)
        return error_set(err, -EIO, "view subject_parent: %s",
                         guard_reason(&engine->guard, engine->db));
    ret->items = arena_alloc(arena, ret->count * sizeof *items);
    if (ret->count) {
        memcpy(ret->items, items, ret->count * sizeof *items);
        qsort(ret->items, ret->count, sizeof *items, compare_parents);
    }
    return 0;
}

static size_t first_parent(const struct parents *parents, const struct parent *wanted)
{
    size_t low = 0, high = parents->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_parents(&parents->items[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_listed(const struct ancestor *list, size_t count, const char *kind, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].kind, kind) == 0 && strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

size_t parents_walk(const struct parents *parents, const char *kind, const char *name,
                    struct ancestor *ret)
{
    size_t count = 1;
    ret[0] = (struct ancestor){kind, name};
    for (size_t at = 0; at < count; at++) {
        struct parent wanted = {.kind = ret[at].kind, .name = ret[at].name};
        for (size_t i = first_parent(parents, &wanted);
             i < parents->count && compare_parents(&parents->items[i], &wanted) == 0; i++) {
            const struct parent *p = &parents->items[i];
            if (count < ANCESTORS_MAX && !is_listed(ret, count, p->parent_kind, p->parent))
                ret[count++] = (struct ancestor){p->parent_kind, p->parent};
        }
    }
    return count;
}
