#include "loader/map.h"

#include <string.h>

enum { SMALLEST = 64 };

/* Keys are long paths: eight bytes at a time. */
static uint64_t hash_key(const char *key)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    size_t left = strlen(key);
    uint64_t hash = left * factor, word;
    for (; left >= sizeof word; left -= sizeof word, key += sizeof word) {
        memcpy(&word, key, sizeof word);
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, key, left);
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 32;
}

static struct loader_slot *place(struct loader_map *map, const struct loader_slot *slot)
{
    size_t at = slot->hash & (map->capacity - 1);
    while (map->slots[at].key)
        at = (at + 1) & (map->capacity - 1);
    map->slots[at] = *slot;
    return &map->slots[at];
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

static size_t *add(struct loader_map *map, const char *key, uint64_t hash, size_t value)
{
    if (map->count + 1 > map->capacity / 2)
        loader_map_reserve(map, map->count + 1);
    struct loader_slot slot = {.key = key, .hash = hash, .value = value};
    map->count++;
    return &place(map, &slot)->value;
}

void loader_map_add(struct loader_map *map, const char *key, size_t value)
{
    add(map, key, hash_key(key), value);
}

size_t *loader_map_only(struct loader_map *map, const char *key, size_t value)
{
    uint64_t hash = hash_key(key);
    for (size_t at = hash; map->capacity; at++) {
        struct loader_slot *slot = &map->slots[at & (map->capacity - 1)];
        if (!slot->key)
            break;
        if (slot->hash == hash && strcmp(slot->key, key) == 0)
            return &slot->value;
    }
    return add(map, key, hash, value);
}

bool loader_map_next(const struct loader_map *map, const char *key, size_t *cursor, size_t *ret)
{
    if (!map->capacity)
        return false;
    uint64_t hash = hash_key(key);
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
