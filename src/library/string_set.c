#include "library/string_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* FNV-1a */
static size_t hash(const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(value ^ value >> 32);
}

static size_t slot_of(const struct string_set *set, const char *text)
{
    size_t at = hash(text) & (set->capacity - 1);
    while (set->slots[at] && strcmp(set->slots[at], text) != 0)
        at = (at + 1) & (set->capacity - 1);
    return at;
}

static void grow(struct string_set *set)
{
    struct string_set larger = {.count = set->count, .capacity = set->capacity * 2};
    if (!larger.capacity)
        larger.capacity = 256;
    larger.slots = xcalloc(larger.capacity, sizeof *larger.slots);
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i])
            larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
    free(set->slots);
    *set = larger;
}

bool string_set_add(struct string_set *set, const char *text)
{
    if (2 * (set->count + 1) > set->capacity)
        grow(set);
    size_t at = slot_of(set, text);
    if (set->slots[at])
        return false;
    set->slots[at] = text;
    set->count++;
    return true;
}

void string_set_done(struct string_set *set)
{
    free(set->slots);
    *set = (struct string_set){0};
}
