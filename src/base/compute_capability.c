/* The rules are NVIDIA's: binary compatibility within a major capability towards higher minors, PTX
 * towards all higher ones (CUDA C++ programming guide, "Binary Compatibility" and "PTX
 * Compatibility"), 'a' targets for one capability alone, 'f' targets for a family (the same,
 * "Architecture-specific" and "Family-specific features"). */
#include "base/compute_capability.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* GK20A, GM20B, GP10B, GV10B and GV11B, GA10B, GA10F, GB10B: the chips that are part of a system on
 * a chip (rules/matrix/chip_cc.json, "soc"), but for GB20B. */
static const struct compute_capability tegra[] = {{3, 2}, {5, 3}, {6, 2}, {7, 2},
                                                  {8, 7}, {8, 8}, {11, 0}};

/* One to three digits. */
static bool parse_number(const char **at, uint32_t *ret)
{
    const char *start = *at;
    uint32_t number = 0;
    while (**at >= '0' && **at <= '9' && *at - start < 3)
        number = number * 10 + (uint32_t)(*(*at)++ - '0');
    *ret = number;
    return *at != start;
}

static bool parse_capability(const char **at, struct compute_capability *ret)
{
    uint32_t number;
    if (!parse_number(at, &number))
        return false;
    if (**at != '.') {
        *ret = compute_capability_of_number(number);
        return number >= 10;
    }
    (*at)++;
    ret->major = number;
    return parse_number(at, &ret->minor) && ret->minor < 10 && number > 0 && number < 100;
}

bool code_target_parse(const char *text, struct code_target *ret)
{
    static const struct {
        const char *prefix;
        enum code_kind kind;
    } prefixes[] = {{"sm_", CODE_CUBIN}, {"compute_", CODE_PTX}, {"lto_", CODE_LTO}};
    struct code_target target = {.kind = CODE_ANY};
    if (!text)
        return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i].prefix);
        if (strncasecmp(text, prefixes[i].prefix, length) != 0)
            continue;
        target.kind = prefixes[i].kind;
        text += length;
        break;
    }
    if (!parse_capability(&text, &target.cc))
        return false;
    char letter = (char)(*text | 0x20);
    if (letter == 'a' || letter == 'f') {
        target.suffix = letter;
        text++;
    }
    if (*text)
        return false;
    *ret = target;
    return true;
}

struct compute_capability compute_capability_of_number(uint32_t number)
{
    return (struct compute_capability){number / 10, number % 10};
}

/* The name that it has today: 10.1 was Thor's until CUDA 12.9, and has been 11.0 since 13.0. */
static struct compute_capability name_of_today(struct compute_capability cc)
{
    if (cc.major == 10 && cc.minor == 1)
        return (struct compute_capability){11, 0};
    return cc;
}

bool compute_capability_is_tegra(struct compute_capability cc)
{
    cc = name_of_today(cc);
    for (size_t i = 0; i < sizeof tegra / sizeof *tegra; i++)
        if (tegra[i].major == cc.major && tegra[i].minor == cc.minor)
            return true;
    return false;
}

static enum code_runs cubin_runs(struct compute_capability code, char suffix,
                                 struct compute_capability gpu)
{
    if (code.major != gpu.major || code.minor > gpu.minor)
        return CODE_RUNS_NOT;
    if (code.minor == gpu.minor)
        return CODE_RUNS_NATIVE;
    if (suffix == 'a')
        return CODE_RUNS_NOT;
    return compute_capability_is_tegra(code) == compute_capability_is_tegra(gpu) ? CODE_RUNS_NATIVE
                                                                                 : CODE_RUNS_ACROSS;
}

static enum code_runs ptx_runs(struct compute_capability code, char suffix,
                               struct compute_capability gpu)
{
    bool same_major = code.major == gpu.major, same = same_major && code.minor == gpu.minor;
    bool upwards = code.major < gpu.major || (same_major && code.minor <= gpu.minor);
    bool runs = suffix == 'a' ? same : suffix == 'f' ? same_major && upwards : upwards;
    return runs ? CODE_RUNS_BY_PTX : CODE_RUNS_NOT;
}

enum code_runs code_runs_on(const struct code_target *code, struct compute_capability gpu)
{
    struct compute_capability cc = name_of_today(code->cc);
    gpu = name_of_today(gpu);
    switch (code->kind) {
    case CODE_CUBIN:
        return cubin_runs(cc, code->suffix, gpu);
    case CODE_PTX:
        return ptx_runs(cc, code->suffix, gpu);
    case CODE_ANY:
    case CODE_LTO:
        break;
    }
    return CODE_RUNS_NOT;
}
