#include "parse/wheel_file.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/span.h"

enum { PLATFORM_MAX = 100 };

/* Order of a platform whose C library has no number in its name. */
enum { ORDER_ANY = -1, ORDER_OTHER = 1000000 };

/* Old names of manylinux tags (PEP 513, 571, 599) and the C library 2.N that they mean. */
static const struct {
    const char *name;
    int minor;
} old_names[] = {{"manylinux1_", 5}, {"manylinux2010_", 12}, {"manylinux2014_", 17}};

static bool is_platform(struct span text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_')
            return false;
    }
    return text.length && text.length < PLATFORM_MAX;
}

/* "manylinux_2_28_x86_64": 2028; twice as much, so that of two names of one platform the one with
 * the number comes first. */
static int order_of(struct span platform)
{
    struct span rest = platform, field;
    uint64_t major, minor;
    if (span_equal(platform, "any"))
        return ORDER_ANY;
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++)
        if (span_cut_prefix(&rest, old_names[i].name))
            return 2 * (2000 + old_names[i].minor) + 1;
    if ((span_cut_prefix(&rest, "manylinux_") || span_cut_prefix(&rest, "musllinux_")) &&
        span_split(&rest, '_', &field) && span_number(field, 99, &major) &&
        span_split(&rest, '_', &field) && span_number(field, 999, &minor))
        return 2 * (int)(major * 1000 + minor);
    return ORDER_OTHER;
}

/* Behind the last dash stand platforms with dots between (a "compressed" tag). */
static void take_tag(struct span tag, struct span *best, int *best_order)
{
    const char *dash = tag.length ? memrchr(tag.data, '-', tag.length) : NULL;
    if (!dash)
        return;
    struct span rest = {dash + 1, (size_t)(tag.data + tag.length - dash - 1)}, platform;
    while (span_split(&rest, '.', &platform)) {
        int order = is_platform(platform) ? order_of(platform) : INT_MAX;
        if (order < *best_order) {
            *best = platform;
            *best_order = order;
        }
    }
}

char *wheel_platform(const char *data, size_t length, struct arena *arena)
{
    struct span line, best = {0};
    int best_order = INT_MAX;
    size_t cursor = 0;
    while (span_line(data, length, &cursor, &line))
        if (span_cut_prefix(&line, "Tag:"))
            take_tag(span_trim(line), &best, &best_order);
    return best.length ? arena_strndup(arena, best.data, best.length) : NULL;
}
