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
    EXTENSION_OFFSET = 32, /* field of the new header */
    EXTENSION_HEADER = 8,
    EXTENSION_SECTION = 16,
    EXTENSION_SECTIONS_MAX = 64,
    EXTENSION_LEVELS = 1,   /* tag of the section with the names of glibc-hwcaps subfolders */
    STRING_SIZE_MAX = 4096, /* PATH_MAX of Linux */
    /* low byte of the flags; the byte above it is the ABI */
    TYPE_MASK = 0xff,
    TYPE_LIBC6 = 0x03,
    TYPE_ELF = 0x01, /* needs no libc; ldconfig knows no ABI then, and the loader takes it */
};

static const uint32_t extension_magic = 0xeaa42174;
/* In the field hwcap: the low half is a number among the names, the bits above it an ISA level. */
static const uint64_t hwcap_is_named = 1ULL << 62;

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

/* Names of glibc-hwcaps subfolders stand in a section of the extension (glibc 2.33 and newer). A
 * broken one is left out: the loader does likewise. */
static void find_levels(struct ld_cache *cache)
{
    size_t at = get32(cache->base + EXTENSION_OFFSET);
    if (at == 0 || at % 4 || at > cache->size || cache->size - at < EXTENSION_HEADER ||
        get32(cache->base + at) != extension_magic)
        return;
    size_t count = get32(cache->base + at + 4), room = cache->size - at - EXTENSION_HEADER;
    if (count > EXTENSION_SECTIONS_MAX || count > room / EXTENSION_SECTION)
        return;
    for (size_t i = 0; i < count; i++) {
        const char *section = cache->base + at + EXTENSION_HEADER + i * EXTENSION_SECTION;
        size_t offset = get32(section + 8), size = get32(section + 12);
        if (get32(section) != EXTENSION_LEVELS || offset > cache->size ||
            size > cache->size - offset || offset % 4 || size % 4)
            continue;
        cache->levels = cache->base + offset;
        cache->level_count = size / 4;
    }
}

/* The old format alone, as glibc before 2.2 wrote it: strings follow the table. */
static int open_old(const char *data, size_t size, size_t count, struct ld_cache *ret)
{
    size_t strings = OLD_HEADER + count * OLD_ENTRY;
    *ret = (struct ld_cache){
        .base = data + strings,
        .size = size - strings,
        .count = count,
        .entries = data + OLD_HEADER,
        .entry_size = OLD_ENTRY,
    };
    return 0;
}

int ld_cache_open(const char *data, size_t size, struct ld_cache *ret, const char **ret_why)
{
    size_t start = 0;
    if (size >= OLD_HEADER && memcmp(data, old_magic, sizeof old_magic - 1) == 0) {
        /* caches of glibc before 2.32 begin with a table in the old format; the new one follows,
         * aligned to 8 bytes */
        size_t count = get32(data + 12);
        uint64_t end = OLD_HEADER + (uint64_t)count * OLD_ENTRY;
        if (end > size)
            return bad(ret_why, "the table of the old format is longer than the file");
        start = (size_t)((end + 7) & ~(uint64_t)7);
        if (start > size || size - start < NEW_HEADER ||
            memcmp(data + start, new_magic, sizeof new_magic - 1) != 0)
            return open_old(data, size, count, ret);
    }
    if (size - start < NEW_HEADER || memcmp(data + start, new_magic, sizeof new_magic - 1) != 0)
        return bad(ret_why, "it is no loader cache of glibc");
    /* 0 unset (older glibc), 2 little endian; anything else was written by another kind of
     * machine, and the loader here ignores it too */
    unsigned char endian = (unsigned char)data[start + 28] & 3;
    if (endian != 0 && endian != 2)
        return bad(ret_why, "it was written for a big-endian machine");
    *ret = (struct ld_cache){
        .base = data + start,
        .size = size - start,
        .count = get32(data + start + 20),
        .entries = data + start + NEW_HEADER,
        .entry_size = NEW_ENTRY,
    };
    if (ret->count > (ret->size - NEW_HEADER) / NEW_ENTRY)
        return bad(ret_why, "it has fewer entries than its header says");
    find_levels(ret);
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

static void take_hwcap(const struct ld_cache *cache, const char *entry, struct ld_cache_row *ret)
{
    ret->hwcap = get32(entry + 16) | (uint64_t)get32(entry + 20) << 32;
    if (!(ret->hwcap & hwcap_is_named))
        return;
    uint32_t number = (uint32_t)ret->hwcap;
    ret->isa_level = (unsigned)(ret->hwcap >> 32) & 0x3ff;
    if (number < cache->level_count)
        ret->level = string_at(cache, get32(cache->levels + (size_t)number * 4));
}

bool ld_cache_entry(const struct ld_cache *cache, size_t number, struct ld_cache_row *ret)
{
    if (number >= cache->count)
        return false;
    const char *entry = cache->entries + number * cache->entry_size;
    uint32_t flags = get32(entry);
    if ((flags & TYPE_MASK) != TYPE_LIBC6 && flags != TYPE_ELF)
        return false;
    *ret = (struct ld_cache_row){.flags = flags};
    ret->soname = string_at(cache, get32(entry + 4));
    ret->path = string_at(cache, get32(entry + 8));
    ret->arch = flags == TYPE_ELF ? NULL : arch_of(flags);
    if (cache->entry_size == NEW_ENTRY)
        take_hwcap(cache, entry, ret);
    return ret->soname && *ret->soname && ret->path && *ret->path;
}
