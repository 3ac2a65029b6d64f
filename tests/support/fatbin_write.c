#include "fatbin_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf_write.h"

static uint32_t usual_header_size(const struct fatbin_entry *entry)
{
    if (entry->header_size)
        return entry->header_size;
    if (entry->kind != FATBIN_CUBIN)
        return 72;
    return entry->sm < 100 ? 64 : 112;
}

static uint64_t usual_size(const struct fatbin_entry *entry)
{
    return entry->size ? entry->size : 4096;
}

static uint64_t flags_of(const struct fatbin_entry *entry)
{
    uint64_t flags = 0x11; /* 64 bits, Linux */
    flags |= entry->unpacked ? 0x8000 : 0;
    flags |= entry->kind == FATBIN_LTO ? 0x10000 : 0;
    flags |= entry->suffix == 'a' ? 0x100000 : entry->suffix == 'f' ? 0x200000 : 0;
    return flags | (entry->kind == FATBIN_CUBIN && entry->sm >= 100 ? 0x1000000 : 0);
}

static void put_zeros(struct text *out, uint64_t count)
{
    while (count--)
        text_add_char(out, '\0');
}

void fatbin_write_header(unsigned version, unsigned header_size, uint64_t size, struct text *out)
{
    put_little_endian(out, 0xBA55ED50, 4);
    put_little_endian(out, version, 2);
    put_little_endian(out, header_size, 2);
    put_little_endian(out, size, 8);
}

void fatbin_write_entry(const struct fatbin_entry *entry, struct text *out)
{
    bool is_ptx = entry->kind == FATBIN_PTX;
    uint64_t size = usual_size(entry);
    put_little_endian(out, entry->kind, 2);
    put_little_endian(out, entry->version ? entry->version : 0x0101, 2);
    put_little_endian(out, usual_header_size(entry), 4);
    put_little_endian(out, size, 8);
    put_little_endian(out, entry->unpacked ? size : 0, 4);
    put_little_endian(out, 0, 4); /* no options */
    put_little_endian(out, is_ptx ? entry->isa_minor : 8, 2);
    put_little_endian(out, is_ptx ? entry->isa_major : 1, 2);
    put_little_endian(out, entry->sm, 4);
    put_little_endian(out, 0, 8); /* no name */
    put_little_endian(out, flags_of(entry), 8);
    put_little_endian(out, 0, 8);
    put_little_endian(out, entry->unpacked, 8);
    if (usual_header_size(entry) > 64)
        put_zeros(out, usual_header_size(entry) - 64);
    put_zeros(out, size);
}

void fatbin_write(const struct fatbin_entry *entries, size_t count, struct text *out)
{
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += usual_header_size(&entries[i]) + usual_size(&entries[i]);
    fatbin_write_header(1, 16, size, out);
    for (size_t i = 0; i < count; i++)
        fatbin_write_entry(&entries[i], out);
}

void fatbin_write_wrapper(unsigned version, uint64_t address, struct text *out)
{
    put_little_endian(out, 0x466243B1, 4);
    put_little_endian(out, version, 4);
    put_little_endian(out, address, 8);
    put_little_endian(out, 0, 8);
}

int fatbin_entry_read(const char *text, struct fatbin_entry *ret)
{
    static const struct {
        const char *name;
        enum fatbin_kind kind;
    } kinds[] = {{"sm", FATBIN_CUBIN}, {"compute", FATBIN_PTX}, {"lto", FATBIN_LTO}};
    char name[8], suffix[2] = "";
    int used = 0;
    *ret = (struct fatbin_entry){0};
    if (sscanf(text, "%7[a-z]_%3u%n%1[af]%n", name, &ret->sm, &used, suffix, &used) < 2)
        return -EINVAL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            ret->kind = kinds[i].kind;
    ret->suffix = suffix[0];
    if (ret->kind == FATBIN_PTX) {
        ret->isa_major = 8;
        int more = 0;
        if (text[used] == ':' &&
            sscanf(text + used, ":%2u.%2u%n", &ret->isa_major, &ret->isa_minor, &more) == 2)
            used += more;
    }
    return ret->kind && !text[used] ? 0 : -EINVAL;
}
