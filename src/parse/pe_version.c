#include "parse/pe_version.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
    SECTIONS_MAX = 96, /* the format's own limit */
    SECTION_SIZE = 40,
    ENTRIES_MAX = 64, /* types of resources in one file; a shell library has about twenty */
    RESOURCE_DIRECTORY = 2,
    RT_VERSION = 16,
    INFO_OFFSET = 40, /* of VS_FIXEDFILEINFO, behind the lengths and "VS_VERSION_INFO" */
};
static const uint32_t info_signature = 0xfeef04bd, is_subfolder = 0x80000000u;

struct resources {
    const struct pe_file *file;
    uint64_t offset; /* in the file */
    uint32_t rva;    /* address of the same byte when it is loaded */
    uint32_t size;
};

static uint16_t u16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t u32(const unsigned char *at)
{
    return (uint32_t)u16(at) | (uint32_t)u16(at + 2) << 16;
}

static int read_all(const struct pe_file *file, void *buffer, size_t size, uint64_t offset)
{
    ssize_t n = file->read(file->context, buffer, size, offset);
    if (n < 0)
        return (int)n;
    return (size_t)n == size ? 0 : -EBADMSG;
}

/* Reads inside the resources. */
static int read_inside(const struct resources *resources, void *buffer, size_t size,
                       uint32_t offset)
{
    if (offset > resources->size || size > resources->size - offset)
        return -EBADMSG;
    return read_all(resources->file, buffer, size, resources->offset + offset);
}

/* Finds the section that holds the address, among `count` headers at `offset`. */
static int find_section(struct resources *resources, uint64_t offset, size_t count)
{
    unsigned char headers[SECTIONS_MAX * SECTION_SIZE] = {0};
    if (count > SECTIONS_MAX)
        return -EBADMSG;
    int code = read_all(resources->file, headers, count * SECTION_SIZE, offset);
    for (size_t i = 0; code == 0 && i < count; i++) {
        const unsigned char *section = headers + i * SECTION_SIZE;
        uint32_t rva = u32(section + 12), size = u32(section + 16), start = u32(section + 20);
        if (resources->rva < rva || resources->rva - rva >= size)
            continue;
        uint32_t into = resources->rva - rva;
        resources->offset = (uint64_t)start + into;
        if (resources->size > size - into)
            resources->size = size - into;
        return 0;
    }
    return code ? code : -EBADMSG;
}

static int find_resources(const struct pe_file *file, struct resources *ret)
{
    enum { COFF = 24, OPTIONAL = 112 + 8 * (RESOURCE_DIRECTORY + 1) };
    unsigned char dos[64], head[COFF + OPTIONAL];
    int code = read_all(file, dos, sizeof dos, 0);
    if (code < 0)
        return code;
    uint64_t at = u32(dos + 60);
    if (memcmp(dos, "MZ", 2) != 0)
        return -EBADMSG;
    if ((code = read_all(file, head, sizeof head, at)) < 0)
        return code;
    const unsigned char *optional = head + COFF;
    bool wide = u16(optional) == 0x20b;
    if (memcmp(head, "PE\0\0", 4) != 0 || (!wide && u16(optional) != 0x10b))
        return -EBADMSG;
    size_t directories = wide ? 112 : 96;
    if (u32(optional + directories - 4) <= RESOURCE_DIRECTORY)
        return -EBADMSG;
    const unsigned char *directory = optional + directories + 8 * RESOURCE_DIRECTORY;
    *ret = (struct resources){.file = file, .rva = u32(directory), .size = u32(directory + 4)};
    return find_section(ret, at + COFF + u16(head + 20), u16(head + 6));
}

/* The place that a folder at `offset` gives for `id`, or for its first entry when `id` is 0. */
static int find_entry(const struct resources *resources, uint32_t offset, uint32_t id,
                      uint32_t *ret)
{
    unsigned char folder[16], entries[ENTRIES_MAX * 8];
    int code = read_inside(resources, folder, sizeof folder, offset);
    if (code < 0)
        return code;
    size_t count = (size_t)u16(folder + 12) + u16(folder + 14);
    if (count > ENTRIES_MAX)
        count = ENTRIES_MAX;
    if ((code = read_inside(resources, entries, count * 8, offset + 16)) < 0)
        return code;
    for (size_t i = 0; i < count; i++)
        if (!id || u32(entries + i * 8) == id) {
            *ret = u32(entries + i * 8 + 4);
            return 0;
        }
    return -EBADMSG;
}

int pe_version_read(const struct pe_file *file, struct pe_version *ret)
{
    struct resources resources;
    unsigned char data[16], info[INFO_OFFSET + 16] = {0};
    uint32_t at = 0;
    int code = find_resources(file, &resources);
    /* three levels: type, name, language */
    for (int level = 0; code == 0 && level < 3; level++) {
        code = find_entry(&resources, at & ~is_subfolder, level ? 0 : RT_VERSION, &at);
        if (code == 0 && ((at & is_subfolder) != 0) != (level < 2))
            code = -EBADMSG;
    }
    if (code == 0)
        code = read_inside(&resources, data, sizeof data, at);
    if (code == 0)
        code = read_inside(&resources, info, sizeof info, u32(data) - resources.rva);
    if (code < 0)
        return code;
    if (u32(info + INFO_OFFSET) != info_signature)
        return -EBADMSG;
    const unsigned char *version = info + INFO_OFFSET + 8;
    *ret =
        (struct pe_version){{u16(version + 2), u16(version), u16(version + 6), u16(version + 4)}};
    return 0;
}
