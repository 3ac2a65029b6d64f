#include "python/read_conda_meta.h"

#include "base/cleanup.h"
#include "probe/byte_file.h"

int conda_meta_read(const struct machine *machine, const char *path, struct arena *arena,
                    struct conda_meta *ret, uint64_t *bytes)
{
    *ret = (struct conda_meta){0};
    CLEANUP_CLOSE int fd = -1;
    int r = machine_open(machine, path, &fd);
    if (r < 0)
        return r;
    struct byte_file file = {fd, 0};
    struct byte_source source = byte_file_source(&file);
    r = conda_meta_scan(&source, arena, ret);
    *bytes += file.offset;
    return r;
}
