#include "parse/ldcache.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static const char new_magic[] = "glibc-ld.so.cache1.1"; /* 17 and 3 bytes, no NUL in the file */
static const char old_magic[] = "ld.so-1.7.0";

enum {
    NEW_HEADER = 48,
    NEW_ENTRY = 24,
    OLD_HEADER = 16, /* magic padded to 12, then the count */
    OLD_ENTRY = 12,
    STRING_SIZE_MAX = 4096, /* PATH_MAX of Linux */
    /* low byte of the flags; the byte above it is the ABI */
    TYPE_MASK = 0xff,
    TYPE_LIBC6 = 0x03,
    TYPE_ELF = 0x01, /* needs no libc; ldconfig knows no ABI then, and the loader takes it */
};

static uint32_t get32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int bad(const char **ret_why, const char *why)
{
    *ret_why = why;
    return -EBADMSG;
}

int ld_cache_open(const char *data, size_t size, struct ld_cache *ret, const char **ret_why)
{
    size_t start = 0;
    if (size >= OLD_HEADER && memcmp(data, old_magic, sizeof old_magic - 1) == 0) {
        /* caches of glibc before 2.32 begin with a table in the old format; the new one follows,
         * aligned to 8 bytes */
        uint64_t end = OLD_HEADER + (uint64_t)get32(data + 12) * OLD_ENTRY;
        start = (size_t)((end + 7) & ~(uint64_t)7);
        if (end >= size || start >= size)
            return bad(ret_why, "the table of the old format is longer than the file");
    }
    if (size - start < NEW_HEADER || memcmp(data + start, new_magic, sizeof new_magic - 1) != 0)
        return bad(ret_why, "it is no loader cache of glibc");
    /* 0 unset (older glibc), 2 little endian; anything else was written by another kind of
     * machine, and the loader here ignores it too */
    unsigned char endian = (unsigned char)data[start + 28] & 3;
    if (endian != 0 && endian != 2)
        return bad(ret_why, "it was written for a big-endian machine");
    ret->base = data + start;
    ret->size = size - start;
    ret->count = get32(ret->base + 20);
    if (ret->count > (ret->size - NEW_HEADER) / NEW_ENTRY)
        return bad(ret_why, "it has fewer entries than its header says");
    return 0;
}

/* Longer than any path is no string of a cache; without the bound a file with many entries and no
 * NUL would be searched from each of them to its end. */
static const char *string_at(const struct ld_cache *cache, uint32_t offset)
{
    if (offset >= cache->size)
        return NULL;
    const char *start = cache->base + offset;
    size_t left = cache->size - offset;
    return memchr(start, 0, left < STRING_SIZE_MAX ? left : STRING_SIZE_MAX) ? start : NULL;
}

static const char *arch_of(uint32_t flags)
{
    switch (flags & 0xff00) {
    case 0x0000:
        return "i386";
    case 0x0300:
        return "x86_64";
    case 0x0800:
        return "x32";
    case 0x0400:
        return "s390x";
    case 0x0500:
        return "ppc64";
    case 0x0900:
    case 0x0b00:
        return "arm";
    case 0x0a00:
        return "aarch64";
    case 0x0f00:
    case 0x1000:
        return "riscv64";
    default:
        return NULL;
    }
}

bool ld_cache_entry(const struct ld_cache *cache, size_t number, struct ld_cache_row *ret)
{
    if (number >= cache->count)
        return false;
    const char *entry = cache->base + NEW_HEADER + number * NEW_ENTRY;
    uint32_t flags = get32(entry);
    if ((flags & TYPE_MASK) != TYPE_LIBC6 && flags != TYPE_ELF)
        return false;
    ret->soname = string_at(cache, get32(entry + 4));
    ret->path = string_at(cache, get32(entry + 8));
    ret->arch = flags == TYPE_ELF ? NULL : arch_of(flags);
    return ret->soname && *ret->soname && ret->path && *ret->path;
}
