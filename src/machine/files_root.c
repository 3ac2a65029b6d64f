/* Files of a recorded tree or an image (resolve.c walks the paths), and of no tree at all. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "machine/internal.h"
#include "machine/resolve.h"

static int root_stat(const struct machine *machine, const char *path, bool follow, struct stat *ret)
{
    struct resolved found;
    int r = resolve(machine->root, path, follow, &found);
    if (r < 0)
        return r;
    *ret = found.st;
    resolved_done(&found);
    return 0;
}

static int open_folder(const struct resolved *found)
{
    if (!S_ISDIR(found->st.st_mode))
        return -ENOTDIR;
    int fd = openat(found->fd, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int open_file(const struct resolved *found)
{
    if (S_ISDIR(found->st.st_mode))
        return -EISDIR;
    if (!S_ISREG(found->st.st_mode))
        return -EINVAL;
    int fd = openat(found->parent, found->name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct stat st;
    int r = fstat(fd, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

static int root_open(const struct machine *machine, const char *path, enum open_as as, int *ret_fd)
{
    struct resolved found;
    int r = resolve(machine->root, path, true, &found);
    if (r < 0)
        return r;
    int fd = as == OPEN_FOLDER ? open_folder(&found) : open_file(&found);
    resolved_done(&found);
    if (fd < 0)
        return fd;
    *ret_fd = fd;
    return 0;
}

static ssize_t root_readlink(const struct machine *machine, const char *path, char *ret,
                             size_t size)
{
    struct resolved found;
    int r = resolve(machine->root, path, false, &found);
    if (r < 0)
        return r;
    ssize_t length = -EINVAL;
    if (S_ISLNK(found.st.st_mode)) {
        length = readlinkat(found.parent, found.name, ret, size);
        if (length < 0)
            length = -errno;
    }
    resolved_done(&found);
    return length;
}

static int root_realpath(const struct machine *machine, const char *path, struct arena *arena,
                         char **ret)
{
    struct resolved found;
    int r = resolve(machine->root, path, true, &found);
    if (r < 0)
        return r;
    *ret = arena_strdup(arena, found.path);
    resolved_done(&found);
    return 0;
}

/* What the tree lies on now says nothing of the machine it came from. */
static int root_fs_magic(const struct machine *machine, const char *path, int64_t *ret)
{
    struct stat st;
    int r = root_stat(machine, path, true, &st);
    if (r == 0)
        *ret = 0;
    return r;
}

const struct file_ops files_root = {
    .stat = root_stat,
    .open = root_open,
    .readlink = root_readlink,
    .realpath = root_realpath,
    .fs_magic = root_fs_magic,
};

static int none_stat(const struct machine *machine, const char *path, bool follow, struct stat *ret)
{
    (void)machine, (void)path, (void)follow, (void)ret;
    return -ENOENT;
}

static int none_open(const struct machine *machine, const char *path, enum open_as as, int *ret_fd)
{
    (void)machine, (void)path, (void)as, (void)ret_fd;
    return -ENOENT;
}

static ssize_t none_readlink(const struct machine *machine, const char *path, char *ret,
                             size_t size)
{
    (void)machine, (void)path, (void)ret, (void)size;
    return -ENOENT;
}

static int none_realpath(const struct machine *machine, const char *path, struct arena *arena,
                         char **ret)
{
    (void)machine, (void)path, (void)arena, (void)ret;
    return -ENOENT;
}

static int none_fs_magic(const struct machine *machine, const char *path, int64_t *ret)
{
    (void)machine, (void)path, (void)ret;
    return -ENOENT;
}

const struct file_ops files_none = {
    .stat = none_stat,
    .open = none_open,
    .readlink = none_readlink,
    .realpath = none_realpath,
    .fs_magic = none_fs_magic,
};
