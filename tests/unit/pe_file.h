/* The smallest Windows library that states a version: headers, one section, three levels of
 * resources. */
#ifndef TESTS_UNIT_PE_FILE_H
#define TESTS_UNIT_PE_FILE_H

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

enum {
    PE_HEAD = 64,
    PE_RESOURCES = 512,
    PE_INFO = PE_RESOURCES + 96,
    PE_INFO_END = PE_INFO + 40 + 16, /* as much of the version as is read */
    PE_SIZE = PE_INFO + 96,
};

static inline void pe_put(unsigned char *at, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static inline void pe_make(unsigned char *file, unsigned a, unsigned b, unsigned c, unsigned d)
{
    enum { RVA = 0x3000, SECTION = PE_HEAD + 24 + 240 };
    memset(file, 0, PE_SIZE);
    memcpy(file, "MZ", 2);
    pe_put(file + 60, PE_HEAD, 4);
    memcpy(file + PE_HEAD, "PE\0\0\x64\x86\1\0", 8);
    pe_put(file + PE_HEAD + 20, 240, 2);
    pe_put(file + PE_HEAD + 24, 0x20b, 2);
    pe_put(file + PE_HEAD + 24 + 108, 16, 4);
    pe_put(file + PE_HEAD + 24 + 112 + 16, RVA, 4);
    pe_put(file + PE_HEAD + 24 + 112 + 20, PE_SIZE - PE_RESOURCES, 4);
    memcpy(file + SECTION, ".rsrc", 5);
    pe_put(file + SECTION + 12, RVA, 4);
    pe_put(file + SECTION + 16, PE_SIZE - PE_RESOURCES, 4);
    pe_put(file + SECTION + 20, PE_RESOURCES, 4);
    for (uint32_t level = 0; level < 3; level++) {
        unsigned char *folder = file + PE_RESOURCES + 24 * level;
        uint32_t next = 24 * (level + 1);
        pe_put(folder + 14, 1, 2);
        pe_put(folder + 16, level == 0 ? 16 : level == 1 ? 1 : 1033, 4);
        pe_put(folder + 20, level < 2 ? next | 0x80000000u : next, 4);
    }
    pe_put(file + PE_RESOURCES + 72, RVA + 96, 4);
    pe_put(file + PE_RESOURCES + 76, 92, 4);
    unsigned char *info = file + PE_INFO;
    pe_put(info, 92, 2);
    pe_put(info + 2, 52, 2);
    for (size_t i = 0; i < 15; i++)
        info[6 + 2 * i] = (unsigned char)"VS_VERSION_INFO"[i];
    pe_put(info + 40, 0xfeef04bd, 4);
    pe_put(info + 44, 0x10000, 4);
    pe_put(info + 48, a << 16 | b, 4);
    pe_put(info + 52, c << 16 | d, 4);
}

struct pe_memory {
    const unsigned char *data;
    size_t size;
};

static inline ssize_t pe_memory_read(void *context, void *buffer, size_t size, uint64_t offset)
{
    const struct pe_memory *memory = context;
    size_t n = offset < memory->size ? memory->size - (size_t)offset : 0;
    n = n < size ? n : size;
    if (n)
        memcpy(buffer, memory->data + offset, n);
    return (ssize_t)n;
}

#endif
