/* What the loader makes of the processor: glibc, sysdeps/x86/dl-hwcap.h, cpu_features.c and
 * x86_64/dl-hwcaps_subdirs.c. The kernel tells its features, without those that it switched off;
 * glibc asks the processor itself. */
#include <elf.h>
#include <string.h>

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

/* In the order of `features`. */
enum {
    PNI = 1 << 0,
    SSSE3 = 1 << 1,
    FMA = 1 << 2,
    CX16 = 1 << 3,
    SSE4_1 = 1 << 4,
    SSE4_2 = 1 << 5,
    MOVBE = 1 << 6,
    POPCNT = 1 << 7,
    AVX = 1 << 8,
    F16C = 1 << 9,
    LAHF_LM = 1 << 10,
    ABM = 1 << 11,
    BMI1 = 1 << 12,
    AVX2 = 1 << 13,
    BMI2 = 1 << 14,
    AVX512F = 1 << 15,
    AVX512DQ = 1 << 16,
    AVX512PF = 1 << 17,
    AVX512ER = 1 << 18,
    AVX512CD = 1 << 19,
    AVX512BW = 1 << 20,
    AVX512VL = 1 << 21,

    LEVEL_2 = CX16 | LAHF_LM | POPCNT | PNI | SSE4_1 | SSE4_2 | SSSE3,
    LEVEL_3 = AVX | AVX2 | BMI1 | BMI2 | F16C | FMA | ABM | MOVBE,
    LEVEL_4 = AVX512F | AVX512BW | AVX512CD | AVX512DQ | AVX512VL,
    HASWELL = AVX2 | FMA | BMI1 | BMI2 | ABM | MOVBE | POPCNT,
    AVX512_1 = AVX512CD | AVX512BW | AVX512DQ | AVX512VL,
    XEON_PHI = AVX512CD | AVX512ER | AVX512PF,
};

/* Their names in /proc/cpuinfo, and their numbers in the kernel's cpufeatures.h (32 for each word),
 * as a modalias has them. */
static const struct feature {
    const char *name;
    char number[5];
} features[] = {
    {"pni", "0080"},      {"ssse3", "0089"},    {"fma", "008C"},      {"cx16", "008D"},
    {"sse4_1", "0093"},   {"sse4_2", "0094"},   {"movbe", "0096"},    {"popcnt", "0097"},
    {"avx", "009C"},      {"f16c", "009D"},     {"lahf_lm", "00C0"},  {"abm", "00C5"},
    {"bmi1", "0123"},     {"avx2", "0125"},     {"bmi2", "0128"},     {"avx512f", "0130"},
    {"avx512dq", "0131"}, {"avx512pf", "013A"}, {"avx512er", "013B"}, {"avx512cd", "013C"},
    {"avx512bw", "013E"}, {"avx512vl", "013F"},
};

struct processor {
    unsigned features;
    bool is_known, is_intel;
};

static bool has_all(const struct processor *processor, unsigned wanted)
{
    return (processor->features & wanted) == wanted;
}

static bool is_feature(const struct feature *feature, struct span text, bool is_number)
{
    const size_t digits = sizeof feature->number - 1;
    return is_number ? text.length == digits && memcmp(text.data, feature->number, digits) == 0
                     : span_equal(text, feature->name);
}

static void add_feature(struct processor *processor, struct span text, bool is_number)
{
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (is_feature(&features[i], text, is_number))
            processor->features |= 1U << i;
}

/* "cpu:type:x86,ven0000fam0006mod00CF:feature:,0000,0001,...". Opening /proc/cpuinfo takes kernels
 * before 5.18 10 ms and more, as they measure every processor's frequency. */
static void read_modalias(const struct machine *machine, struct processor *ret)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    struct span text, number;
    size_t cursor = 0;
    if (machine_read_head(machine, "/sys/devices/system/cpu/modalias", CPUINFO_CAP, &bytes) < 0 ||
        !span_line(bytes.data, bytes.length, &cursor, &text) ||
        !span_cut_prefix(&text, "cpu:type:x86,ven"))
        return;
    ret->is_intel = span_cut_prefix(&text, "0000");
    ret->is_known = span_cut_after(&text, ":feature:");
    while (ret->is_known && span_split(&text, ',', &number))
        add_feature(ret, number, true);
}

/* The first processor's entry: they are alike. */
static void read_cpuinfo(const struct machine *machine, struct processor *ret)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    size_t cursor = 0;
    struct span line, key, flag;
    if (machine_read_head(machine, "/proc/cpuinfo", CPUINFO_CAP, &bytes) < 0)
        return;
    while (!ret->is_known && span_line(bytes.data, bytes.length, &cursor, &line)) {
        if (!span_split(&line, ':', &key))
            continue;
        key = span_trim(key);
        if (span_equal(key, "vendor_id"))
            ret->is_intel = span_equal(span_trim(line), "GenuineIntel");
        ret->is_known = span_equal(key, "flags") && span_trim(line).length;
    }
    while (ret->is_known && span_word(&line, &flag))
        add_feature(ret, flag, false);
}

static void take_levels(struct loader_world *world, const struct processor *processor)
{
    static const char *const names[LEVELS_MAX] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
    size_t count = !has_all(processor, LEVEL_2) ? 0 : !has_all(processor, LEVEL_3) ? 1 : 2;
    if (count == 2 && has_all(processor, LEVEL_4))
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
    struct processor processor = {0};
    world->platform = world->arch;
    if (world->elf_machine != EM_X86_64)
        return;
    read_modalias(world->machine, &processor);
    if (!processor.is_known)
        read_cpuinfo(world->machine, &processor);
    if (!processor.is_known)
        return;
    bool is_phi = processor.is_intel && has_all(&processor, XEON_PHI);
    if (is_phi)
        world->platform = "xeon_phi";
    else if (processor.is_intel && has_all(&processor, HASWELL))
        world->platform = "haswell";
    int glibc = world_glibc(world->machine);
    if (!glibc || glibc >= GLIBC_WITH_LEVELS)
        take_levels(world, &processor);
    if (!glibc || glibc >= GLIBC_WITHOUT_LEGACY)
        return;
    const char *parts[LEGACY_PARTS_MAX] = {"tls", world->platform};
    size_t count = 2;
    if (processor.is_intel && !is_phi && has_all(&processor, AVX512_1))
        parts[count++] = "avx512_1";
    parts[count++] = "x86_64";
    take_legacy(world, parts, count);
}
