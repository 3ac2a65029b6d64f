/* What the table library tells of an object: a snapshot may tell it twice. */
#include <stdlib.h>
#include <string.h>

#include "render/deps.h"

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a ? 1 : 0) - (b ? 1 : 0);
}

static int compare_keys(const struct row_library *row, const char *environment, const char *path)
{
    int order = compare_texts(row->environment_id, environment);
    return order ? order : compare_texts(row->path, path);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row_library *x = *(const struct row_library *const *)a;
    const struct row_library *y = *(const struct row_library *const *)b;
    return compare_keys(x, y->environment_id, y->path);
}

int deps_libraries_read(struct facts *facts, struct arena *arena, struct deps_libraries *ret,
                        struct error *err)
{
    const void *rows;
    int code = facts_rows(facts, TABLE_library, NULL, NULL, arena, &rows, &ret->count, err);
    if (code < 0)
        return code;
    ret->rows = arena_alloc(arena, (ret->count + 1) * sizeof(const struct row_library *));
    for (size_t i = 0; i < ret->count; i++)
        ret->rows[i] = (const struct row_library *)rows + i;
    qsort(ret->rows, ret->count, sizeof(const struct row_library *), compare_rows);
    return 0;
}

/* Of what is told twice, the least counts. */
static const char *least(const char *a, const char *b)
{
    return !a || (b && strcmp(b, a) < 0) ? b : a;
}

void deps_libraries_describe(const struct deps_libraries *libraries, const char *environment,
                             struct deps_object *object)
{
    size_t low = 0, high = object->path ? libraries->count : 0;
    const char *literal = NULL, *file = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(libraries->rows[middle], environment, object->path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (!object->path)
        return;
    for (; low < libraries->count; low++) {
        const struct row_library *row = libraries->rows[low];
        if (compare_keys(row, environment, object->path) != 0)
            break;
        object->real_path = least(object->real_path, row->real_path);
        object->site = least(object->site, row->site);
        literal = least(literal, row->literal_version);
        file = least(file, row->file_version);
        if (row->inside.known && object->inside < 1)
            object->inside = row->inside.value != 0;
    }
    object->version = literal ? literal : file;
}
