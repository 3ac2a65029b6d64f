#include "probe/read_conda_meta.h"

#include "base/cleanup.h"
#include "base/read.h"

struct file {
    int fd;
    uint64_t offset;
};

static ssize_t read_file(void *context, void *buffer, size_t size)
{
    struct file *file = context;
    ssize_t got = read_at(file->fd, buffer, size, file->offset);
    file->offset += got > 0 ? (uint64_t)got : 0;
    return got;
}

int conda_meta_read(const struct machine *machine, const char *path, struct arena *arena,
                    struct conda_meta *ret)
{
    *ret = (struct conda_meta){0};
    CLEANUP_CLOSE int fd = -1;
    int r = machine_open(machine, path, &fd);
    if (r < 0)
        return r;
    struct file file = {fd, 0};
    return conda_meta_scan(&(struct byte_source){read_file, &file}, arena, ret);
}
