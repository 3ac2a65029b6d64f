/* Files of the running system: the kernel resolves the paths. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "machine/internal.h"

/* A relative path would depend on the current folder, which no other machine has. */
static int check_path(const char *path)
{
    if (path[0] == '/')
        return 0;
    return path[0] ? -EINVAL : -ENOENT;
}

static int live_stat(const struct machine *machine, const char *path, bool follow, struct stat *ret)
{
    (void)machine;
    int r = check_path(path);
    if (r < 0)
        return r;
    return fstatat(AT_FDCWD, path, ret, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int check_regular(mode_t mode)
{
    if (S_ISDIR(mode))
        return -EISDIR;
    return S_ISREG(mode) ? 0 : -EINVAL;
}

static int live_open(const struct machine *machine, const char *path, enum open_as as, int *ret_fd)
{
    struct stat st;
    bool folder = as == OPEN_FOLDER;
    /* O_DIRECTORY refuses a device before its driver hears of it; for a file only a look at its
     * type beforehand does (opening /dev/nvidia0 initialises the GPU). */
    int r = as == OPEN_FILE ? live_stat(machine, path, true, &st) : check_path(path);
    if (r == 0 && as == OPEN_FILE)
        r = check_regular(st.st_mode);
    if (r < 0)
        return r;
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (folder ? O_DIRECTORY : 0);
    int fd = open(path, flags);
    if (fd < 0)
        return -errno;
    if (!folder) {
        r = fstat(fd, &st) < 0 ? -errno : check_regular(st.st_mode);
        if (r < 0) {
            close(fd);
            return r;
        }
    }
    *ret_fd = fd;
    return 0;
}

static ssize_t live_readlink(const struct machine *machine, const char *path, char *ret,
                             size_t size)
{
    (void)machine;
    int r = check_path(path);
    if (r < 0)
        return r;
    ssize_t length = readlink(path, ret, size);
    return length < 0 ? -errno : length;
}

static int live_realpath(const struct machine *machine, const char *path, struct arena *arena,
                         char **ret)
{
    (void)machine;
    char buffer[PATH_MAX];
    int r = check_path(path);
    if (r < 0)
        return r;
    if (!realpath(path, buffer))
        return -errno;
    *ret = arena_strdup(arena, buffer);
    return 0;
}

static int live_fs_magic(const struct machine *machine, const char *path, int64_t *ret)
{
    (void)machine;
    struct statfs fs;
    int r = check_path(path);
    if (r < 0)
        return r;
    if (statfs(path, &fs) < 0)
        return -errno;
    *ret = (int64_t)fs.f_type;
    return 0;
}

const struct file_ops files_live = {
    .stat = live_stat,
    .open = live_open,
    .readlink = live_readlink,
    .realpath = live_realpath,
    .fs_magic = live_fs_magic,
};
