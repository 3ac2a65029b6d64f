#include "facts/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

void kept_rows_add(struct kept_rows *kept, const struct table_spec *table, struct arena *arena,
                   const void *row)
{
    size_t size = table->row_size;
    kept->rows = xgrow(kept->rows, &kept->capacity, kept->count + 1, size);
    char *copy = kept->rows + kept->count * size;
    memcpy(copy, row, size);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        const char *value, *before = NULL;
        if (c->type == COLUMN_INT)
            continue;
        memcpy(&value, copy + c->offset, sizeof value);
        if (!value)
            continue;
        /* rows of one process stand together, and say so in several columns */
        if (kept->count)
            memcpy(&before, copy - size + c->offset, sizeof before);
        value = before && strcmp(before, value) == 0 ? before : arena_strdup(arena, value);
        memcpy(copy + c->offset, &value, sizeof value);
    }
    kept->count++;
}

void kept_rows_done(struct kept_rows *kept)
{
    free(kept->rows);
    *kept = (struct kept_rows){0};
}
