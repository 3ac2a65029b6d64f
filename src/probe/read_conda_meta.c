#include "probe/read_conda_meta.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"

struct file {
    int fd;
    off_t offset;
};

static ssize_t read_file(void *context, void *buffer, size_t size)
{
    struct file *file = context;
    ssize_t got;
    do {
        got = pread(file->fd, buffer, size, file->offset);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    file->offset += got;
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
