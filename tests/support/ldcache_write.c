#include "ldcache_write.h"

#include <string.h>

#include "elf_write.h"

enum {
    HEADER_SIZE = 48,
    ENTRY_SIZE = 24,
    LITTLE_ENDIAN_CACHE = 2,
    EXTENSION_HEADER_SIZE = 8,
    EXTENSION_ENTRY_SIZE = 16,
    EXTENSION_GENERATOR = 0,
};
static const uint32_t extension_magic = 0xeaa42174;

static size_t strings_size(const struct ldcache_entry *entries, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(entries[i].soname) + strlen(entries[i].path) + 2;
    return size;
}

static void put_header(size_t count, size_t strings, size_t extension, struct text *out)
{
    text_add(out, "glibc-ld.so.cache1.1");
    put_little_endian(out, count, 4);
    put_little_endian(out, strings, 4);
    put_little_endian(out, LITTLE_ENDIAN_CACHE, 1);
    put_little_endian(out, 0, 3);
    put_little_endian(out, extension, 4);
    put_little_endian(out, 0, 8);
    put_little_endian(out, 0, 4);
}

static void put_generator(const char *generator, size_t base, struct text *out)
{
    size_t start = out->length - base;
    put_little_endian(out, extension_magic, 4);
    put_little_endian(out, 1, 4);
    put_little_endian(out, EXTENSION_GENERATOR, 4);
    put_little_endian(out, 0, 4);
    put_little_endian(out, start + EXTENSION_HEADER_SIZE + EXTENSION_ENTRY_SIZE, 4);
    put_little_endian(out, strlen(generator), 4);
    text_add(out, generator);
}

void ldcache_write(const struct ldcache_entry *entries, size_t count, const char *generator,
                   struct text *out)
{
    size_t base = out->length, string = HEADER_SIZE + count * ENTRY_SIZE;
    size_t strings = strings_size(entries, count);
    size_t extension = (string + strings + 3) / 4 * 4;
    put_header(count, strings, generator ? extension : 0, out);
    for (size_t i = 0; i < count; i++) {
        put_little_endian(out, (uint32_t)entries[i].flags, 4);
        put_little_endian(out, string, 4);
        string += strlen(entries[i].soname) + 1;
        put_little_endian(out, string, 4);
        string += strlen(entries[i].path) + 1;
        put_little_endian(out, 0, 4); /* lowest kernel version: not used any more */
        put_little_endian(out, 0, 8); /* no hardware capability is needed */
    }
    for (size_t i = 0; i < count; i++) {
        text_add_bytes(out, entries[i].soname, strlen(entries[i].soname) + 1);
        text_add_bytes(out, entries[i].path, strlen(entries[i].path) + 1);
    }
    if (generator) {
        while (out->length - base < extension)
            text_add_char(out, '\0');
        put_generator(generator, base, out);
    }
}
