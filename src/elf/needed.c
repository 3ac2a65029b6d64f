/* Through libelf's headers and raw chunks (pread): a file may be gigabytes, and may shrink while it
 * is read, which a mapping would answer with SIGBUS. Sections are not needed: the loader itself
 * goes by segments, and stripped objects may have no section headers. */
#include "elf/needed.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/read.h"

enum { SEGMENTS_MAX = 1024, DYNAMIC_MAX = 64 * 1024 };

struct object {
    int fd;
    Elf *elf;
    size_t segments;
    struct error *err;
};

static void cleanup_elf(Elf **elf)
{
    elf_end(*elf);
}

/* Where in the file the byte of this address lies; false when no segment holds it. */
static bool offset_of(const struct object *object, GElf_Addr address, GElf_Off *ret)
{
    for (size_t i = 0; i < object->segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
            continue;
        GElf_Off within = address - segment.p_vaddr;
        if (segment.p_offset > (GElf_Off)INT64_MAX - within)
            return false;
        *ret = segment.p_offset + within;
        return true;
    }
    return false;
}

static char *name_at(const struct object *object, GElf_Off offset, struct arena *arena)
{
    char name[ELF_NAME_MAX + 1];
    ssize_t n = read_at(object->fd, name, ELF_NAME_MAX, offset);
    const char *end = n > 0 ? memchr(name, '\0', (size_t)n) : NULL;
    return end ? arena_strndup(arena, name, (size_t)(end - name)) : NULL;
}

static const GElf_Dyn *entry(Elf_Data *data, size_t i, GElf_Dyn *room)
{
    return gelf_getdyn(data, (int)i, room);
}

static int take_names(const struct object *object, Elf_Data *data, size_t entries,
                      struct arena *arena, struct elf_names *ret)
{
    GElf_Dyn room;
    GElf_Addr strings = 0;
    GElf_Xword size = 0;
    GElf_Off base = 0;
    size_t count = 0;
    for (size_t i = 0; i < entries && entry(data, i, &room) && room.d_tag != DT_NULL; i++) {
        strings = room.d_tag == DT_STRTAB ? room.d_un.d_ptr : strings;
        size = room.d_tag == DT_STRSZ ? room.d_un.d_val : size;
        count += room.d_tag == DT_NEEDED;
    }
    if (!count)
        return 0;
    if (count > ELF_NEEDED_MAX)
        return error_set(object->err, -EBADMSG, "asks for more than %d libraries", ELF_NEEDED_MAX);
    if (!offset_of(object, strings, &base))
        return error_set(object->err, -EBADMSG, "its string table lies outside the file");
    ret->items = arena_alloc(arena, count * sizeof *ret->items);
    for (size_t i = 0; i < entries && entry(data, i, &room) && room.d_tag != DT_NULL; i++) {
        if (room.d_tag != DT_NEEDED)
            continue;
        char *name = room.d_un.d_val < size && base <= (GElf_Off)INT64_MAX - room.d_un.d_val
                         ? name_at(object, base + room.d_un.d_val, arena)
                         : NULL;
        if (!name)
            return error_set(object->err, -EBADMSG, "a library name lies outside the file");
        ret->items[ret->count++] = name;
    }
    return 0;
}

static int read_dynamic(const struct object *object, struct arena *arena, struct elf_names *ret)
{
    for (size_t i = 0; i < object->segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(object->elf, (int)i, &segment) || segment.p_type != PT_DYNAMIC)
            continue;
        size_t size = segment.p_filesz < DYNAMIC_MAX ? segment.p_filesz : DYNAMIC_MAX;
        Elf_Data *data =
            segment.p_offset <= INT64_MAX
                ? elf_getdata_rawchunk(object->elf, (int64_t)segment.p_offset, size, ELF_T_DYN)
                : NULL;
        if (!data)
            return error_set(object->err, -EBADMSG, "its dynamic segment lies outside the file");
        size_t entry_size = gelf_fsize(object->elf, ELF_T_DYN, 1, EV_CURRENT);
        return take_names(object, data, entry_size ? size / entry_size : 0, arena, ret);
    }
    return 0;
}

int elf_needed(int fd, struct arena *arena, struct elf_names *ret, struct error *err)
{
    *ret = (struct elf_names){0};
    elf_version(EV_CURRENT);
    CLEANUP(cleanup_elf) Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    struct object object = {.fd = fd, .elf = elf, .err = err};
    if (!elf || elf_kind(elf) != ELF_K_ELF)
        return error_set(err, -ENOEXEC, "is no ELF file");
    if (elf_getphdrnum(elf, &object.segments) != 0 || object.segments > SEGMENTS_MAX)
        return error_set(err, -EBADMSG, "its program headers are broken");
    return read_dynamic(&object, arena, ret);
}
