#include "loader/map.h"

#include <string.h>

#include "base/hash.h"

enum { SMALLEST = 64 };

static void place(struct loader_map *map, const struct loader_slot *slot)
{
    size_t at = slot->hash & (map->capacity - 1);
    while (map->slots[at].key)
        at = (at + 1) & (map->capacity - 1);
    map->slots[at] = *slot;
}

/* What the table took before stays in the arena: at most as much again. */
void loader_map_reserve(struct loader_map *map, size_t count)
{
    struct loader_map old = *map;
    size_t capacity = old.capacity ? old.capacity : SMALLEST;
    while (count > capacity / 2)
        capacity *= 2;
    if (capacity == old.capacity)
        return;
    map->capacity = capacity;
    map->slots = arena_alloc(map->arena, map->capacity * sizeof *map->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            place(map, &old.slots[i]);
}

void loader_map_add(struct loader_map *map, const char *key, size_t value)
{
    if (map->count + 1 > map->capacity / 2)
        loader_map_reserve(map, map->count + 1);
    struct loader_slot slot = {.key = key, .hash = hash_text(key), .value = value};
    place(map, &slot);
    map->count++;
}

void loader_map_set(struct loader_map *map, const char *key, size_t value)
{
    uint64_t hash = hash_text(key);
    for (size_t at = hash; map->capacity; at++) {
        struct loader_slot *slot = &map->slots[at & (map->capacity - 1)];
        if (!slot->key)
            break;
        if (slot->hash != hash || strcmp(slot->key, key) != 0)
            continue;
        slot->value = value;
        return;
    }
    loader_map_add(map, key, value);
}

bool loader_map_next(const struct loader_map *map, const char *key, size_t *cursor, size_t *ret)
{
    if (!map->capacity)
        return false;
    uint64_t hash = hash_text(key);
    /* the table is never full, so the walk ends */
    for (;; (*cursor)++) {
        const struct loader_slot *slot = &map->slots[(hash + *cursor) & (map->capacity - 1)];
        if (!slot->key)
            return false;
        if (slot->hash != hash || strcmp(slot->key, key) != 0)
            continue;
        *ret = slot->value;
        (*cursor)++;
        return true;
    }
}

bool loader_map_get(const struct loader_map *map, const char *key, size_t *ret)
{
    size_t cursor = 0;
    return loader_map_next(map, key, &cursor, ret);
}
