/* /proc/self/mountinfo of any bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "parse/mount_points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct mount_points points;
    mount_points_parse((const char *)data, size, &arena, &points);
    for (size_t i = 0; i < points.count; i++) {
        if (points.items[i].path[0] != '/' ||
            (points.items[i].reach != MOUNT_LOCAL && !points.has_remote))
            abort();
        if (i < 64 && !mount_points_find(&points, points.items[i].path))
            abort();
    }
    mount_points_done(&points);
    arena_done(&arena);
    return 0;
}
