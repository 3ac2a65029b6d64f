#include "machine/open_in_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int open_in_root(int root, const char *path, int flags, struct stat *ret)
{
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };
    int fd = path[0] == '/' ? (int)syscall(SYS_openat2, root, path, &how, sizeof how) : -1;
    if (path[0] != '/' || (fd < 0 && errno != ENOENT && errno != ENOTDIR))
        return -EAGAIN;
    if (fd < 0)
        return -errno;
    if (fstat(fd, ret) == 0)
        return fd;
    close(fd);
    return -EAGAIN;
}
