#include "library/string_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static size_t slot_of(const struct string_set *set, const char *text)
{
    size_t at = (size_t)hash_text(text) & (set->capacity - 1);
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
