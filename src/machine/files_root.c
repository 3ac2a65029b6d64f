/* Files of a recorded tree or an image, and of no tree at all. The kernel looks a path up where it
 * can; resolve.c walks it where it cannot, or where the folders on the way matter. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "machine/internal.h"
#include "machine/open_in_root.h"
#include "machine/resolve.h"

static int root_stat(const struct machine *machine, const char *path, bool follow, struct stat *ret)
{
    struct resolved found;
    int fd = open_in_root(machine->root, path, follow ? O_PATH : O_PATH | O_NOFOLLOW, ret);
    if (fd >= 0)
        return close(fd), 0;
    if (fd != -EAGAIN)
        return fd;
    int r = resolve(machine->root, path, follow, &found);
    if (r < 0)
        return r;
    *ret = found.st;
    resolved_done(&found);
    return 0;
}

/* 0, or what is wrong with opening such a file for reading so. */
static int misfit(mode_t mode, enum open_as as)
{
    if (as == OPEN_FOLDER)
        return S_ISDIR(mode) ? 0 : -ENOTDIR;
    return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? -EISDIR : -EINVAL;
}

static int read_flags(enum open_as as)
{
    return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (as == OPEN_FOLDER ? O_DIRECTORY : 0);
}

/* A descriptor for reading, if `fd` is one and still of the right kind. */
static int checked(int fd, enum open_as as, const struct stat *st)
{
    int r = fd < 0 ? fd : misfit(st->st_mode, as);
    if (r < 0 && fd >= 0)
        close(fd);
    return r < 0 ? r : fd;
}

/* What it is is known before it is opened for reading: devices and pipes are never. */
static int open_by_path(int root, const char *path, enum open_as as)
{
    struct stat st;
    if (as != OPEN_SEEN) {
        int fd = checked(open_in_root(root, path, O_PATH, &st), as, &st);
        if (fd < 0)
            return fd;
        close(fd);
    }
    return checked(open_in_root(root, path, read_flags(as), &st), as, &st);
}

static int open_resolved(const struct resolved *found, enum open_as as)
{
    struct stat st;
    int r = misfit(found->st.st_mode, as);
    if (r < 0)
        return r;
    int fd = as == OPEN_FOLDER ? openat(found->fd, ".", read_flags(as))
                               : openat(found->parent, found->name, read_flags(as) | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0)
        st.st_mode = 0; /* of no kind */
    return checked(fd, as, &st);
}

static int root_open(const struct machine *machine, const char *path, enum open_as as, int *ret_fd)
{
    struct resolved found;
    int fd = open_by_path(machine->root, path, as);
    if (fd == -EAGAIN) {
        int r = resolve(machine->root, path, true, &found);
        if (r < 0)
            return r;
        fd = open_resolved(&found, as);
        resolved_done(&found);
    }
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
