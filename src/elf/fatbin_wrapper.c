/* Names, magic and versions are in the toolkit's fatbinary_section.h. */
#include "elf/fatbin_wrapper.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/fatbin_field.h"
#include "elf/fatbin_relocation.h"

enum {
    MAGIC = 0x466243B1,
    WRAPPER = 24,  /* bytes: magic, version, address of the container, address of others or 0 */
    SEARCH = 2048, /* bytes that are about as much work as a search in a table of relocations */
    ADDRESS_AT = 8 /* of these bytes */
};

struct reader {
    struct elf_file *file;
    struct fatbin_wrappers *wrappers;
    struct fatbin_relocations relocations;
    bool has_relocations;
    uint64_t *budget;
};

/* False, and the rest is left, where that much is not left of the budget. */
static bool spend(struct reader *reader, uint64_t cost)
{
    if (*reader->budget < cost) {
        *reader->budget = 0;
        reader->wrappers->is_cut = true;
        return false;
    }
    *reader->budget -= cost;
    return true;
}

static bool is_wrapper(const unsigned char *at)
{
    uint32_t version = fatbin_u32(at + 4);
    return fatbin_u32(at) == MAGIC &&
           (version == FATBIN_WRAPPER_NORMAL || version == FATBIN_WRAPPER_LINKED);
}

static void add(struct fatbin_wrappers *wrappers, uint64_t container, uint32_t version)
{
    if (wrappers->count == FATBIN_WRAPPERS_MAX) {
        wrappers->is_cut = true;
        return;
    }
    wrappers->items =
        xgrow(wrappers->items, &wrappers->capacity, wrappers->count + 1, sizeof *wrappers->items);
    wrappers->items[wrappers->count++] =
        (struct fatbin_wrapper){.container = container, .version = version};
}

/* A wrapper of a linked file, at this virtual address. */
static void take_linked(struct reader *reader, const unsigned char *at, uint64_t address)
{
    uint32_t version = fatbin_u32(at + 4);
    uint64_t container = fatbin_u64(at + ADDRESS_AT), offset;
    bool is_relocated = !container && reader->has_relocations;
    if (!spend(reader, reader->file->segment_count + (is_relocated ? SEARCH : 0)))
        return;
    if (is_relocated)
        (void)fatbin_relocation_at(reader->file, &reader->relocations, address + ADDRESS_AT,
                                   &container);
    if (container && elf_file_offset(reader->file, container, &offset))
        add(reader->wrappers, offset, version);
    else if (version == FATBIN_WRAPPER_NORMAL)
        reader->wrappers->unresolved++;
}

static int compare(const void *a, const void *b)
{
    const struct fatbin_wrapper *x = a, *y = b;
    if (x->container != y->container)
        return x->container < y->container ? -1 : 1;
    return x->version < y->version ? -1 : x->version > y->version;
}

static void sort(struct fatbin_wrappers *wrappers)
{
    size_t kept = 0;
    if (wrappers->count)
        qsort(wrappers->items, wrappers->count, sizeof *wrappers->items, compare);
    for (size_t i = 0; i < wrappers->count; i++)
        if (!kept || wrappers->items[kept - 1].container != wrappers->items[i].container)
            wrappers->items[kept++] = wrappers->items[i];
    wrappers->count = kept;
}

/* --- by section --- */

/* The wrappers of an object file, whose addresses only its relocations tell. */
struct object_wrappers {
    struct fatbin_wrappers *wrappers;
    const unsigned char *data;
    size_t count;
    bool *is_resolved; /* each */
};

static void take_relocation(void *data, uint64_t place, uint64_t target)
{
    struct object_wrappers *object = data;
    uint64_t number = place / WRAPPER;
    if (place % WRAPPER != ADDRESS_AT || number >= object->count || object->is_resolved[number])
        return;
    const unsigned char *at = object->data + number * WRAPPER;
    if (!is_wrapper(at))
        return;
    object->is_resolved[number] = true;
    add(object->wrappers, target, fatbin_u32(at + 4));
}

static void take_object(struct reader *reader, const unsigned char *data, size_t count,
                        size_t section)
{
    CLEANUP_FREE bool *is_resolved = xcalloc(count + 1, sizeof *is_resolved);
    struct object_wrappers object = {
        .wrappers = reader->wrappers, .data = data, .count = count, .is_resolved = is_resolved};
    fatbin_each_object_relocation(reader->file, section, take_relocation, &object);
    for (size_t i = 0; i < count; i++)
        if (!is_resolved[i] && is_wrapper(data + i * WRAPPER) &&
            fatbin_u32(data + i * WRAPPER + 4) == FATBIN_WRAPPER_NORMAL)
            reader->wrappers->unresolved++;
}

static bool find_section(struct elf_file *file, size_t *ret_number, Elf64_Shdr *ret)
{
    static const char name[] = ".nvFatBinSegment";
    char found[sizeof name + 1];
    for (size_t i = 1; i < file->section_count; i++)
        if (elf_file_section(file, i, ret) &&
            elf_file_section_name(file, ret, found, sizeof found) && strcmp(found, name) == 0 &&
            ret->sh_type != SHT_NOBITS) {
            *ret_number = i;
            return true;
        }
    return false;
}

void fatbin_wrappers_read(struct elf_file *file, uint64_t *budget, struct fatbin_wrappers *ret)
{
    struct reader reader = {.file = file, .wrappers = ret, .budget = budget};
    Elf64_Shdr section;
    size_t number;
    if (!find_section(file, &number, &section))
        return;
    size_t count = FATBIN_WRAPPERS_MAX;
    if (section.sh_size / WRAPPER < count)
        count = (size_t)(section.sh_size / WRAPPER);
    CLEANUP_FREE unsigned char *data = xmalloc(count * WRAPPER + 1);
    ssize_t n = elf_file_read(file, data, count * WRAPPER, section.sh_offset);
    ret->is_cut = n < 0 || (uint64_t)n / WRAPPER < section.sh_size / WRAPPER;
    count = n < 0 ? 0 : (size_t)n / WRAPPER;
    if (file->header.e_type == ET_REL) {
        take_object(&reader, data, count, number);
    } else {
        reader.has_relocations = fatbin_relocations_of(file, &reader.relocations);
        for (size_t i = 0; i < count; i++)
            if (is_wrapper(data + i * WRAPPER))
                take_linked(&reader, data + i * WRAPPER, section.sh_addr + i * WRAPPER);
    }
    sort(ret);
}

/* --- by segment --- */

enum { BLOCK = 256 * 1024 };

static void search_block(struct reader *reader, const unsigned char *data, size_t size,
                         uint64_t address)
{
    for (size_t i = 0; i < size && size - i >= WRAPPER; i += sizeof(uint64_t))
        if (is_wrapper(data + i))
            take_linked(reader, data + i, address + i);
}

/* Wrappers are aligned to 8 bytes. */
static void search_segment(struct reader *reader, const Elf64_Phdr *segment, unsigned char *block)
{
    uint64_t done = (sizeof(uint64_t) - segment->p_vaddr % sizeof(uint64_t)) % sizeof(uint64_t);
    while (done < segment->p_filesz && segment->p_filesz - done >= WRAPPER) {
        uint64_t rest = segment->p_filesz - done;
        size_t want = rest < BLOCK ? (size_t)rest : BLOCK;
        if (!spend(reader, want))
            return;
        ssize_t n = elf_file_read(reader->file, block, want, segment->p_offset + done);
        reader->wrappers->is_cut |= n < 0;
        if (n < WRAPPER)
            return;
        search_block(reader, block, (size_t)n, segment->p_vaddr + done);
        if ((size_t)n < BLOCK)
            return;
        /* on behind the last that was whole: one that is cut by the block's end begins the next */
        done += BLOCK - WRAPPER + sizeof(uint64_t);
    }
}

void fatbin_wrappers_find(struct elf_file *file, uint64_t *budget, struct fatbin_wrappers *ret)
{
    CLEANUP_FREE unsigned char *block = NULL;
    struct reader reader = {.file = file, .wrappers = ret, .budget = budget};
    reader.has_relocations = fatbin_relocations_of(file, &reader.relocations);
    Elf64_Phdr segment;
    for (size_t i = 0; elf_file_segment(file, i, &segment); i++)
        if (segment.p_type == PT_LOAD && segment.p_flags & PF_W && segment.p_filesz) {
            block = block ? block : xmalloc(BLOCK);
            search_segment(&reader, &segment, block);
        }
    sort(ret);
}

const struct fatbin_wrapper *fatbin_wrapper_of(const struct fatbin_wrappers *wrappers,
                                               uint64_t container)
{
    size_t low = 0, high = wrappers->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (wrappers->items[middle].container < container)
            low = middle + 1;
        else
            high = middle;
    }
    return low < wrappers->count && wrappers->items[low].container == container
               ? &wrappers->items[low]
               : NULL;
}

void fatbin_wrappers_done(struct fatbin_wrappers *wrappers)
{
    free(wrappers->items);
    *wrappers = (struct fatbin_wrappers){0};
}
