/* A set of folders or files by their hash, with one owner each, to learn which of them a second
 * owner claims. Two different names with one hash pass for shared: whoever asks compares names. */
#ifndef PYTHON_SHARED_SET_H
#define PYTHON_SHARED_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared_slot {
    uint64_t key;   /* 0: empty */
    uint32_t owner; /* the first one */
    bool is_shared;
};

struct shared_set {
    struct shared_slot *slots;
    size_t count, capacity;
    size_t shared_count, shared_max; /* how many are shared, and may be; 0: any number */
    bool is_full;                    /* a limit was met, and something left out */
};

enum { SHARED_SET_MAX = 1 << 18 };

/* Started with SHARED_HASH_START and gone on with further text; never 0 at the end. */
#define SHARED_HASH_START UINT64_C(14695981039346656037)
uint64_t shared_hash(uint64_t hash, const char *data, size_t length);

/* The slot of the key, good until the next addition; NULL where the set is full. */
const struct shared_slot *shared_set_add(struct shared_set *set, uint64_t key, uint32_t owner);
bool shared_set_has_shared(const struct shared_set *set, uint64_t key);
void shared_set_done(struct shared_set *set);

#endif
