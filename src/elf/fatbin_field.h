/* Numbers in a file of NVIDIA's tools: little-endian, and not aligned where an archive's member
 * stands at an odd place. */
#ifndef ELF_FATBIN_FIELD_H
#define ELF_FATBIN_FIELD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t fatbin_u16(const unsigned char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return le16toh(value);
}

static inline uint32_t fatbin_u32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static inline uint64_t fatbin_u64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

#endif
