#include "python/shared_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { PROBES_MAX = 128 };

uint64_t shared_hash(uint64_t hash, const char *data, size_t length)
{
    static const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word;
    size_t i = 0;
    for (; length - i >= sizeof word; i += sizeof word) {
        memcpy(&word, data + i, sizeof word);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32;
    }
    for (; i < length; i++)
        hash = (hash ^ (unsigned char)data[i]) * prime;
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

/* Where the key is or would stand; NULL where too many others stand in its way: such names are
 * made to harm. */
static struct shared_slot *slot_of(const struct shared_set *set, uint64_t key)
{
    size_t mask = set->capacity - 1, at = (size_t)(key ^ (key >> 32)) & mask;
    for (int i = 0; i < PROBES_MAX; i++, at = (at + 1) & mask)
        if (!set->slots[at].key || set->slots[at].key == key)
            return &set->slots[at];
    return NULL;
}

/* At most half of the slots are in use. */
static void grow(struct shared_set *set)
{
    struct shared_set bigger = *set;
    bigger.capacity = set->capacity ? 2 * set->capacity : 1024;
    bigger.slots = xcalloc(bigger.capacity, sizeof *bigger.slots);
    for (size_t i = 0; i < set->capacity; i++) {
        struct shared_slot *slot = set->slots[i].key ? slot_of(&bigger, set->slots[i].key) : NULL;
        if (slot)
            *slot = set->slots[i];
        else if (set->slots[i].key)
            bigger.is_full = true;
    }
    free(set->slots);
    *set = bigger;
}

static void share(struct shared_set *set, struct shared_slot *slot, uint32_t owner)
{
    if (slot->is_shared || slot->owner == owner)
        return;
    if (set->shared_max && set->shared_count == set->shared_max) {
        set->is_full = true;
        return;
    }
    slot->is_shared = true;
    set->shared_count++;
}

const struct shared_slot *shared_set_add(struct shared_set *set, uint64_t key, uint32_t owner)
{
    if (2 * (set->count + 1) > set->capacity)
        grow(set);
    struct shared_slot *slot = slot_of(set, key);
    if (slot && slot->key) {
        share(set, slot, owner);
        return slot;
    }
    if (!slot || set->count == SHARED_SET_MAX) {
        set->is_full = true;
        return NULL;
    }
    *slot = (struct shared_slot){.key = key, .owner = owner};
    set->count++;
    return slot;
}

bool shared_set_has_shared(const struct shared_set *set, uint64_t key)
{
    const struct shared_slot *slot = set->capacity ? slot_of(set, key) : NULL;
    return slot && slot->is_shared;
}

void shared_set_done(struct shared_set *set)
{
    free(set->slots);
    *set = (struct shared_set){0};
}
