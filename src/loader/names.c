#include <string.h>

#include "base/text.h"
#include "loader/process_parts.h"

void *loader_grow(struct arena *arena, void *items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity ? *capacity * 2 : 8;
    void *more = arena_alloc(arena, *capacity * size);
    if (count)
        memcpy(more, items, count * size);
    return more;
}

static size_t first_of(const struct loader_process *process, const struct loader_map *map,
                       const char *name)
{
    size_t cursor = 0, object, best = SIZE_MAX;
    while (loader_map_next(map, name, &cursor, &object))
        if (object < best && !process->objects[object].is_removed)
            best = object;
    return best;
}

size_t loader_known(const struct loader_process *process, const char *name)
{
    return first_of(process, &process->names->by_name, name);
}

size_t loader_known_file(const struct loader_process *process, const struct loader_file *file)
{
    for (size_t i = 0; i < process->object_count; i++) {
        const struct loader_object *object = &process->objects[i];
        bool is_kernels = object->via == VIA_PROGRAM || object->is_interpreter;
        if (object->file == file && !object->is_removed && !is_kernels)
            return i;
    }
    return SIZE_MAX;
}

void loader_know(struct loader_process *process, size_t object, const char *name)
{
    size_t cursor = 0, known;
    struct loader_map *map = &process->names->by_name;
    while (loader_map_next(map, name, &cursor, &known))
        if (known == object)
            return;
    loader_map_add(map, name, object);
}

size_t loader_process_find(const struct loader_process *process, const char *name)
{
    if (!process->names)
        return SIZE_MAX;
    size_t known = loader_known(process, name);
    return known != SIZE_MAX ? known : first_of(process, &process->names->by_base, name);
}
