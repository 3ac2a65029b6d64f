/* Numbers by name: a hash table that lives in an arena. A name may have several numbers. */
#ifndef LOADER_MAP_H
#define LOADER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct loader_slot {
    const char *key; /* NULL: free */
    uint64_t hash;
    size_t value;
};

/* Zero-initialise but for `arena`. */
struct loader_map {
    struct arena *arena; /* borrowed */
    struct loader_slot *slots;
    size_t capacity, count;
};

/* Makes room for so many at once. */
void loader_map_reserve(struct loader_map *map, size_t count);
/* `key` is borrowed and must outlive the map. */
void loader_map_add(struct loader_map *map, const char *key, size_t value);
/* The same for a name that has one number at most: where it has one, nothing is added. Returns the
 * number that it has now, which may be changed until the next is added. */
size_t *loader_map_only(struct loader_map *map, const char *key, size_t value);
/* One number of the name; false where it has none. */
bool loader_map_get(const struct loader_map *map, const char *key, size_t *ret);
/* All numbers of the name, in no order: false when there are no more. *cursor starts as 0. */
bool loader_map_next(const struct loader_map *map, const char *key, size_t *cursor, size_t *ret);

#endif
