#include "python/slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static struct slice *find(const struct slices *slices, const char *environment_id)
{
    for (size_t i = slices->count; i-- > 0;)
        if (strcmp(slices->items[i].environment_id, environment_id) == 0)
            return &slices->items[i];
    return NULL;
}

void slices_load(struct probe_context *context, const char *table, struct slices *ret)
{
    *ret = (struct slices){0};
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts,
        arena_printf(context->arena,
                     "SELECT environment_id, rowid FROM \"%s\" WHERE environment_id IS NOT NULL "
                     "ORDER BY rowid",
                     table));
    struct slice *slice = NULL;
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(query, 0);
        int64_t rowid = sqlite3_column_int64(query, 1);
        if (!slice || strcmp(slice->environment_id, id) != 0)
            slice = find(ret, id);
        if (!slice) {
            ret->items = xgrow(ret->items, &ret->capacity, ret->count + 1, sizeof *ret->items);
            slice = &ret->items[ret->count++];
            *slice = (struct slice){arena_strdup(context->arena, id), rowid, rowid};
        }
        slice->last = rowid;
    }
}

void slices_done(struct slices *slices)
{
    free(slices->items);
    *slices = (struct slices){0};
}

struct slice slices_find(const struct slices *slices, const char *environment_id)
{
    const struct slice *slice = find(slices, environment_id);
    return slice ? *slice : (struct slice){environment_id, 1, 0};
}
