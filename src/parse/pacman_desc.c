#include "parse/pacman_desc.h"

#include <string.h>

static struct span *field_of(struct span line, struct pacman_desc *desc)
{
    if (span_equal(line, "%NAME%"))
        return &desc->name;
    if (span_equal(line, "%VERSION%"))
        return &desc->version;
    return span_equal(line, "%ARCH%") ? &desc->arch : NULL;
}

bool parse_pacman_desc(const char *data, size_t size, struct pacman_desc *ret)
{
    size_t cursor = 0;
    struct span line, *want = NULL;
    *ret = (struct pacman_desc){0};
    while (span_line(data, size, &cursor, &line)) {
        line = span_trim(line);
        if (want && line.length && !want->data)
            *want = line;
        want = want ? NULL : field_of(line, ret);
    }
    return ret->name.data != NULL;
}

bool pacman_folder_name(const char *folder, struct span *ret)
{
    const char *end = strrchr(folder, '-'); /* before the release */
    if (!end)
        return false;
    const char *version = memrchr(folder, '-', (size_t)(end - folder));
    if (!version || version == folder)
        return false;
    *ret = (struct span){folder, (size_t)(version - folder)};
    return true;
}
