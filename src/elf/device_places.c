#include "elf/device_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "elf/fatbin.h"
#include "elf/fatbin_ahead.h"
#include "elf/fatbin_wrapper.h"

enum { WALKED_MAX = 256 }; /* sections made for device code; linkers leave one of each name */

enum how_to_read {
    WALK,  /* containers back to back */
    SEARCH /* containers between other data */
};

/* The first row that fits counts. Seen in: .cask_resource of cublasLt and of cuDNN's engines,
 * .ldata of cuFFT, .rodata of cuSPARSE and CUPTI. Those of compilers for large models begin with
 * ".l". */
static const struct place {
    const char *name;
    bool is_prefix, is_deep;
    enum how_to_read read;
    enum device_place place;
    bool may_be_stub;
} places[] = {
    {".nv_fatbin", false, false, WALK, DEVICE_LINKED, true},
    {"__nv_relfatbin", false, false, WALK, DEVICE_RELOCATABLE, false},
    {".cask_resource", false, false, SEARCH, DEVICE_LINKED, false},
    {".rodata", true, true, SEARCH, DEVICE_LINKED, false},
    {".lrodata", true, true, SEARCH, DEVICE_LINKED, false},
    {".data", true, true, SEARCH, DEVICE_LINKED, false},
    {".ldata", true, true, SEARCH, DEVICE_LINKED, false},
};

static const struct place *find_place(const char *name)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct place *place = &places[i];
        if (place->is_prefix ? text_starts(name, place->name) : strcmp(name, place->name) == 0)
            return place;
    }
    return NULL;
}

/* A section that holds device code, or may. */
struct spot {
    Elf64_Shdr section;
    const struct place *place;
};

struct scan {
    struct elf_file *file;
    struct fatbin_ahead ahead;
    struct fatbin_walk walk;
    struct fatbin_wrappers wrappers;
    bool has_wrappers; /* have been read */
    unsigned walked;   /* sections */
};

/* A device link leaves a container, which either a wrapper of its version or none points at. Where
 * a wrapper's address is not known it may be this container's. */
static bool is_stub(void *data, uint64_t offset)
{
    struct scan *scan = data;
    if (!scan->has_wrappers) {
        fatbin_wrappers_read(scan->file, &scan->walk.tally->wrapper_budget, &scan->wrappers);
        if (scan->wrappers.is_cut)
            device_tally_limit(scan->walk.tally,
                               "more wrappers of device code than are followed, or cut off");
    }
    scan->has_wrappers = true;
    const struct fatbin_wrapper *wrapper =
        fatbin_wrapper_of(&scan->wrappers, offset - scan->file->start);
    if (wrapper)
        return wrapper->version == FATBIN_WRAPPER_LINKED;
    return !scan->wrappers.unresolved && !scan->wrappers.is_cut;
}

/* Cuts the range to the piece; false when nothing of it is left. */
static bool cut(const struct elf_file *file, uint64_t offset, uint64_t size, uint64_t *ret_start,
                uint64_t *ret_end)
{
    if (offset >= file->size)
        return false;
    uint64_t left = file->size - offset;
    *ret_start = file->start + offset;
    *ret_end = *ret_start + (size < left ? size : left);
    return true;
}

/* The same, and a problem where something of it is not there. */
static bool clip(struct scan *scan, uint64_t offset, uint64_t size, const char *what,
                 uint64_t *ret_start, uint64_t *ret_end)
{
    const struct elf_file *file = scan->file;
    if (offset > file->size || size > file->size - offset)
        device_tally_problem(scan->walk.tally, "%s ends behind the end of the file", what);
    return cut(file, offset, size, ret_start, ret_end);
}

/* From the start of what is at this address to the first place that is aligned in memory. */
static uint64_t to_aligned(uint64_t address)
{
    return (FATBIN_ALIGN - address % FATBIN_ALIGN) % FATBIN_ALIGN;
}

static void scan_section(struct scan *scan, const Elf64_Shdr *section, const struct place *place)
{
    uint64_t start, end;
    if (!clip(scan, section->sh_offset, section->sh_size, place->name, &start, &end))
        return;
    scan->walk.place = place->place;
    scan->walk.is_stub = place->may_be_stub ? is_stub : NULL;
    if (place->read == WALK && scan->walked++ == WALKED_MAX) {
        device_tally_limit(scan->walk.tally, "more than %d sections of device code", WALKED_MAX);
    } else if (place->read == WALK && scan->walked <= WALKED_MAX) {
        fatbin_walk(&scan->walk, start, end);
    } else if (place->read == SEARCH) {
        fatbin_search(&scan->walk, start + to_aligned(section->sh_addr), end);
    }
}

/* Sections that are searched, while those that are walked are. */
static void look_ahead(struct scan *scan, const struct spot *spots, size_t count)
{
    uint64_t start, end;
    for (size_t i = 0; i < count; i++) {
        const Elf64_Shdr *section = &spots[i].section;
        if (spots[i].place->read == SEARCH &&
            cut(scan->file, section->sh_offset, section->sh_size, &start, &end))
            fatbin_ahead_add(&scan->ahead, scan->walk.window, start + to_aligned(section->sh_addr),
                             end);
    }
    fatbin_ahead_start(&scan->ahead, scan->walk.window);
}

static void scan_sections(struct scan *scan, enum device_scan how)
{
    struct elf_file *file = scan->file;
    struct spot *spots = NULL;
    size_t count = 0, capacity = 0;
    Elf64_Shdr section;
    char name[32];
    if (file->sections_cut)
        device_tally_limit(scan->walk.tally, "more than %d sections", ELF_SECTIONS_MAX);
    for (size_t i = 1; i < file->section_count; i++) {
        if (!elf_file_section(file, i, &section) || section.sh_type == SHT_NOBITS ||
            section.sh_type == SHT_NULL || section.sh_size == 0 ||
            !elf_file_section_name(file, &section, name, sizeof name))
            continue;
        const struct place *place = find_place(name);
        if (!place || (place->is_deep && how != DEVICE_SCAN_DEEP))
            continue;
        spots = xgrow(spots, &capacity, count + 1, sizeof *spots);
        spots[count++] = (struct spot){section, place};
    }
    look_ahead(scan, spots, count);
    for (size_t i = 0; i < count; i++)
        scan_section(scan, &spots[i].section, spots[i].place);
    free(spots);
}

/* Without section headers: what wrappers point at. Code that was linked and code that is input of a
 * link cannot be told apart then. */
static void scan_wrapped(struct scan *scan)
{
    const struct elf_file *file = scan->file;
    for (size_t i = 0; i < scan->wrappers.count; i++) {
        uint64_t offset = scan->wrappers.items[i].container, start, end;
        if (!clip(scan, offset, 0, "a container of device code", &start, &end))
            continue;
        end = file->start + file->size;
        if (fatbin_is_here(scan->walk.window, start, end))
            (void)fatbin_container(&scan->walk, start, end);
    }
}

static void scan_segments(struct scan *scan)
{
    Elf64_Phdr segment;
    uint64_t start, end;
    for (size_t i = 0; elf_file_segment(scan->file, i, &segment); i++)
        if (segment.p_type == PT_LOAD &&
            cut(scan->file, segment.p_offset, segment.p_filesz, &start, &end))
            fatbin_ahead_add(&scan->ahead, scan->walk.window, start + to_aligned(segment.p_vaddr),
                             end);
    fatbin_ahead_start(&scan->ahead, scan->walk.window);
    for (size_t i = 0; elf_file_segment(scan->file, i, &segment); i++) {
        if (segment.p_type != PT_LOAD || segment.p_filesz == 0 ||
            !clip(scan, segment.p_offset, segment.p_filesz, "a segment", &start, &end))
            continue;
        fatbin_search(&scan->walk, start + to_aligned(segment.p_vaddr), end);
    }
}

static void scan_without_sections(struct scan *scan, enum device_scan how)
{
    fatbin_wrappers_find(scan->file, &scan->walk.tally->wrapper_budget, &scan->wrappers);
    scan->has_wrappers = true;
    scan->walk.place = DEVICE_LINKED;
    scan->walk.is_stub = is_stub;
    if (how == DEVICE_SCAN_DEEP) {
        scan_segments(scan);
        return;
    }
    if (scan->wrappers.is_cut)
        device_tally_limit(scan->walk.tally,
                           "it has no section headers, and more data than is searched without");
    if (scan->wrappers.unresolved)
        device_tally_problem(scan->walk.tally,
                             "it has no section headers, and %zu containers of device code could "
                             "not be found without",
                             scan->wrappers.unresolved);
    scan_wrapped(scan);
}

void device_places_scan(struct elf_file *file, enum device_scan how, struct elf_window *window,
                        struct device_tally *tally)
{
    struct scan scan = {.file = file, .walk = {.window = window, .tally = tally}};
    scan.walk.data = &scan;
    scan.walk.ahead = &scan.ahead;
    bool is_unwritten = elf_file_sections_are_zeros(file);
    if (is_unwritten)
        device_tally_problem(tally,
                             "its section headers are zeros: the file was not written whole");
    if (file->section_count && !is_unwritten)
        scan_sections(&scan, how);
    else
        scan_without_sections(&scan, how);
    fatbin_ahead_done(&scan.ahead);
    fatbin_wrappers_done(&scan.wrappers);
}
