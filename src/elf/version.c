/* Records of symbol versions. Format: LSB core specification, "Symbol Versioning"; walked by their
 * links as glibc does (elf/dl-version.c), which only lead forward. DT_VERNEEDNUM and DT_VERDEFNUM
 * are not looked at, there or here. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/dynamic.h"

/* The records come one after the other, so that each read finds the block of the one before. */
struct walk {
    struct elf_reading *reading;
    size_t records; /* of all kinds so far */
};

static int get(struct walk *walk, void *record, size_t size, uint64_t offset)
{
    if (++walk->records > ELF_VERSIONS_MAX)
        return error_set(walk->reading->err, -EBADMSG, "has more than %d version records",
                         ELF_VERSIONS_MAX);
    if (!elf_file_get(walk->reading->file, record, size, offset))
        return error_set(walk->reading->err, -EBADMSG, "its version records lie outside the file");
    return 0;
}

static int unknown_format(struct walk *walk, unsigned version)
{
    return error_set(walk->reading->err, -EBADMSG, "its version records are of format %u", version);
}

struct need_list {
    struct elf_version_need *items;
    size_t count, capacity;
};

static int read_need(struct walk *walk, uint64_t offset, const Elf64_Verneed *need,
                     struct need_list *list)
{
    const char *file;
    int r = elf_dynamic_string(walk->reading, need->vn_file, &file);
    offset += need->vn_aux;
    while (r == 0 && need->vn_cnt) {
        Elf64_Vernaux part = {0};
        struct elf_version_need item = {.file = file};
        r = get(walk, &part, sizeof part, offset);
        if (r == 0)
            r = elf_dynamic_string(walk->reading, part.vna_name, &item.version);
        if (r < 0)
            break;
        item.index = part.vna_other & 0x7fff;
        item.is_weak = part.vna_flags & VER_FLG_WEAK;
        list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof item);
        list->items[list->count++] = item;
        if (!part.vna_next)
            break;
        offset += part.vna_next;
    }
    return r;
}

static void *keep(struct arena *arena, const void *items, size_t size)
{
    void *copy = size ? arena_alloc(arena, size) : NULL;
    if (size)
        memcpy(copy, items, size);
    return copy;
}

int elf_read_version_needs(struct elf_reading *reading, uint64_t offset)
{
    struct walk walk = {.reading = reading};
    struct need_list list = {0};
    int r = 0;
    while (r == 0) {
        Elf64_Verneed need = {0};
        r = get(&walk, &need, sizeof need, offset);
        if (r == 0 && need.vn_version != VER_NEED_CURRENT)
            r = unknown_format(&walk, need.vn_version);
        if (r == 0)
            r = read_need(&walk, offset, &need, &list);
        if (r < 0 || !need.vn_next)
            break;
        offset += need.vn_next;
    }
    reading->object->need_count = list.count;
    reading->object->needs = keep(reading->arena, list.items, list.count * sizeof *list.items);
    free(list.items);
    return r;
}

int elf_read_version_definitions(struct elf_reading *reading, uint64_t offset)
{
    struct walk walk = {.reading = reading};
    struct elf_version_definition *items = NULL;
    size_t count = 0, capacity = 0;
    int r = 0;
    while (r == 0) {
        Elf64_Verdef definition = {0};
        Elf64_Verdaux name = {0}; /* the first; more are those that it inherits from */
        struct elf_version_definition item = {0};
        r = get(&walk, &definition, sizeof definition, offset);
        if (r == 0 && definition.vd_version != VER_DEF_CURRENT)
            r = unknown_format(&walk, definition.vd_version);
        if (r == 0)
            r = get(&walk, &name, sizeof name, offset + definition.vd_aux);
        if (r == 0)
            r = elf_dynamic_string(reading, name.vda_name, &item.version);
        if (r < 0)
            break;
        item.index = definition.vd_ndx & 0x7fff;
        item.is_base = definition.vd_flags & VER_FLG_BASE;
        items = xgrow(items, &capacity, count + 1, sizeof item);
        items[count++] = item;
        if (!definition.vd_next)
            break;
        offset += definition.vd_next;
    }
    reading->object->definition_count = count;
    reading->object->definitions = keep(reading->arena, items, count * sizeof *items);
    free(items);
    return r;
}
