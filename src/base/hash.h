/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The upper half mixed in, for tables that take the lower bits. */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = HASH_START;
    for (; *text; text++)
        hash = hash_bytes(hash, text, 1);
    return hash ^ hash >> 32;
}

#endif
