/* What a Tegra system says of itself. It has no PCI entry and no NVML. */
#include <string.h>

#include "parse/number.h"
#include "parse/proc.h"

int parse_tegra_release(const char *data, size_t size)
{
    size_t cursor = 0;
    struct span line;
    while (span_line(data, size, &cursor, &line)) {
        struct span digits = line;
        if (!span_cut_prefix(&digits, "# R"))
            continue;
        const char *end = memchr(digits.data, ' ', digits.length);
        digits.length = end ? (size_t)(end - digits.data) : digits.length;
        struct opt major = parse_number(digits);
        return major.known && major.value < 1000 ? (int)major.value : 0;
    }
    return 0;
}

int parse_tegra_compatible(const char *data, size_t size)
{
    int chip = 0;
    for (size_t at = 0; at < size;) {
        size_t n = strnlen(data + at, size - at);
        struct span entry = {data + at, n};
        if (span_cut_prefix(&entry, "nvidia,tegra")) {
            struct opt number = parse_number(entry);
            if (number.known && number.value < 10000)
                return (int)number.value;
            chip = -1;
        }
        at += n + 1;
    }
    return chip;
}

static const struct {
    int chip;
    const char *cc, *name;
} chips[] = {
    {210, "5.3", "Tegra X1"}, {186, "6.2", "Tegra X2"}, {194, "7.2", "Xavier"},
    {234, "8.7", "Orin"},     {264, "11.0", "Thor"},
};

const char *tegra_cc(int chip)
{
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        if (chips[i].chip == chip)
            return chips[i].cc;
    return NULL;
}

const char *tegra_name(int chip)
{
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        if (chips[i].chip == chip)
            return chips[i].name;
    return NULL;
}
