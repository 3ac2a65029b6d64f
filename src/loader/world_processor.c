/* What the loader makes of the processor: glibc, sysdeps/x86/dl-hwcap.h, cpu_features.c and
 * x86_64/dl-hwcaps_subdirs.c. Only the first processor's entry in /proc/cpuinfo is read: they are
 * alike. */
#include <elf.h>

#include "base/span.h"
#include "base/text.h"
#include "loader/world_parts.h"

enum {
    CPUINFO_CAP = 8 * 1024,
    LEVELS_MAX = 3,
    GLIBC_WITH_LEVELS = 233,
    GLIBC_WITHOUT_LEGACY = 237,
    LEGACY_PARTS_MAX = 4
};

/* The kernel's names; glibc asks the processor itself, and the kernel leaves out what it switched
 * off. */
static const char *const level_2[] = {"cx16",   "lahf_lm", "popcnt", "pni",
                                      "sse4_1", "sse4_2",  "ssse3",  NULL};
static const char *const level_3[] = {"avx", "avx2", "bmi1",  "bmi2", "f16c",
                                      "fma", "abm",  "movbe", NULL};
static const char *const level_4[] = {"avx512f",  "avx512bw", "avx512cd",
                                      "avx512dq", "avx512vl", NULL};
static const char *const haswell[] = {"avx2", "fma",   "bmi1",   "bmi2",
                                      "abm",  "movbe", "popcnt", NULL};
static const char *const avx512_1[] = {"avx512cd", "avx512bw", "avx512dq", "avx512vl", NULL};
static const char *const xeon_phi[] = {"avx512cd", "avx512er", "avx512pf", NULL};

struct processor {
    struct span flags; /* empty: not known */
    bool is_intel;
};

static bool has_flag(struct span flags, const char *name)
{
    struct span flag;
    while (span_word(&flags, &flag))
        if (span_equal(flag, name))
            return true;
    return false;
}

static bool has_all(struct span flags, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (!has_flag(flags, names[i]))
            return false;
    return flags.length > 0;
}

static void read_processor(const struct bytes *bytes, struct processor *ret)
{
    size_t cursor = 0;
    struct span line, key;
    while (span_line(bytes->data, bytes->length, &cursor, &line) && !ret->flags.length) {
        if (!span_split(&line, ':', &key))
            continue;
        key = span_trim(key);
        if (span_equal(key, "vendor_id"))
            ret->is_intel = span_equal(span_trim(line), "GenuineIntel");
        else if (span_equal(key, "flags"))
            ret->flags = line;
    }
}

static void take_levels(struct loader_world *world, struct span flags)
{
    static const char *const names[LEVELS_MAX] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
    size_t count = !has_all(flags, level_2) ? 0 : !has_all(flags, level_3) ? 1 : 2;
    if (count == 2 && has_all(flags, level_4))
        count = 3;
    world->level_count = count;
    world->levels = names + LEVELS_MAX - count;
}

/* All subsets of the parts, the first part weighing most, without the empty one. */
static void take_legacy(struct loader_world *world, const char *const *parts, size_t count)
{
    size_t all = ((size_t)1 << count) - 1;
    const char **items = arena_alloc(world->arena, all * sizeof *items);
    for (size_t set = all; set > 0; set--) {
        const char *path = NULL;
        for (size_t i = 0; i < count; i++)
            if (set >> (count - 1 - i) & 1)
                path = path ? arena_printf(world->arena, "%s/%s", path, parts[i]) : parts[i];
        items[world->legacy_count++] = path;
    }
    world->legacy = items;
}

void world_read_processor(struct loader_world *world)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    struct processor processor = {0};
    world->platform = world->arch;
    if (world->elf_machine != EM_X86_64 ||
        machine_read_head(world->machine, "/proc/cpuinfo", CPUINFO_CAP, &bytes) < 0)
        return;
    read_processor(&bytes, &processor);
    if (!processor.flags.length)
        return;
    bool is_phi = processor.is_intel && has_all(processor.flags, xeon_phi);
    if (is_phi)
        world->platform = "xeon_phi";
    else if (processor.is_intel && has_all(processor.flags, haswell))
        world->platform = "haswell";
    int glibc = world_glibc(world->machine);
    if (!glibc || glibc >= GLIBC_WITH_LEVELS)
        take_levels(world, processor.flags);
    if (!glibc || glibc >= GLIBC_WITHOUT_LEGACY)
        return;
    const char *parts[LEGACY_PARTS_MAX] = {"tls", world->platform};
    size_t count = 2;
    if (processor.is_intel && !is_phi && has_all(processor.flags, avx512_1))
        parts[count++] = "avx512_1";
    parts[count++] = "x86_64";
    take_legacy(world, parts, count);
}
