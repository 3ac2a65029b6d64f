#include "parse/cpu.h"

#include "base/span.h"

/* Features are numbered as in the kernel's cpufeatures.h: word 4, bit 31. */
struct opt cpu_alias_hypervisor(const char *data, size_t size)
{
    struct span text = {data, size}, feature;
    if (!span_cut_prefix(&text, "cpu:type:x86") || !span_cut_after(&text, ":feature:"))
        return UNKNOWN;
    while (span_split(&text, ',', &feature))
        if (span_equal(span_trim(feature), "009F"))
            return known(1);
    return known(0);
}

struct opt cpu_info_hypervisor(const char *data, size_t size)
{
    size_t cursor = 0;
    struct span line, flag;
    while (span_line(data, size, &cursor, &line)) {
        if (!span_cut_prefix(&line, "flags"))
            continue;
        while (span_word(&line, &flag))
            if (span_equal(flag, "hypervisor"))
                return known(1);
        return known(0);
    }
    return UNKNOWN;
}
