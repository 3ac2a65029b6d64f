#include "loader/map.h"

#include <string.h>

enum { SMALLEST = 64 };

/* FNV-1a */
static uint64_t hash_of(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static void place(struct loader_map *map, const struct loader_slot *slot)
{
    size_t at = slot->hash & (map->capacity - 1);
    while (map->slots[at].key)
        at = (at + 1) & (map->capacity - 1);
    map->slots[at] = *slot;
}

/* What the table took before stays in the arena: at most as much again. */
static void grow(struct loader_map *map)
{
    struct loader_map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : SMALLEST;
    map->slots = arena_alloc(map->arena, map->capacity * sizeof *map->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            place(map, &old.slots[i]);
}

void loader_map_add(struct loader_map *map, const char *key, size_t value)
{
    if (map->count + 1 > map->capacity / 2)
        grow(map);
    struct loader_slot slot = {.key = key, .hash = hash_of(key), .value = value};
    place(map, &slot);
    map->count++;
}

bool loader_map_next(const struct loader_map *map, const char *key, size_t *cursor, size_t *ret)
{
    if (!map->capacity)
        return false;
    uint64_t hash = hash_of(key);
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
