#include "parse/windows_driver.h"

#include <stdint.h>

#include "parse/ini.h"

char *windows_driver_number(struct span version, struct arena *arena)
{
    uint64_t part[4];
    struct span rest = version, field;
    for (size_t i = 0; i < 4; i++)
        if (!span_split(&rest, '.', &field) || !span_number(span_trim(field), 65535, &part[i]))
            return NULL;
    uint64_t digits = part[2] % 10 * 10000 + part[3];
    /* drivers before 100.xx were of other days, and other makers' have a small third number */
    if (rest.data || part[2] < 10 || part[2] > 99 || part[3] > 9999 || digits < 10000)
        return NULL;
    return arena_printf(arena, "%u.%02u", (unsigned)(digits / 100), (unsigned)(digits % 100));
}

char *parse_inf_driver(struct span text, struct arena *arena)
{
    struct ini ini;
    struct ini_line line;
    ini_start(&ini, text);
    while (ini_next(&ini, &line)) {
        struct span date, rest = line.value;
        if (!ini_is(&line, "Version", "DriverVer"))
            continue;
        return span_split(&rest, ',', &date) && rest.data
                   ? windows_driver_number(span_trim(rest), arena)
                   : NULL;
    }
    return NULL;
}
