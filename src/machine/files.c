/* Reading files, the same for every kind of machine. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "machine/internal.h"

enum { CHUNK = 16 * 1024, LINE_MAX_BYTES = 16 * 1024 };

static enum file_type type_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return FILE_REGULAR;
    case S_IFDIR:
        return FILE_DIRECTORY;
    case S_IFLNK:
        return FILE_LINK;
    case S_IFCHR:
    case S_IFBLK:
        return FILE_DEVICE;
    default:
        return FILE_OTHER;
    }
}

static int stat_path(const struct machine *machine, const char *path, bool follow,
                     struct file_stat *ret)
{
    struct stat st;
    int r = machine->files->stat(machine, path, follow, &st);
    if (r < 0)
        return r;
    *ret = (struct file_stat){
        .type = type_of(st.st_mode),
        .mode = st.st_mode & 07777,
        .uid = st.st_uid,
        .gid = st.st_gid,
        .size = st.st_size > 0 ? (uint64_t)st.st_size : 0,
        .device = st.st_dev,
        .inode = st.st_ino,
        .dev_major = major(st.st_rdev),
        .dev_minor = minor(st.st_rdev),
    };
    return 0;
}

int machine_stat(const struct machine *machine, const char *path, struct file_stat *ret)
{
    return stat_path(machine, path, true, ret);
}

int machine_lstat(const struct machine *machine, const char *path, struct file_stat *ret)
{
    return stat_path(machine, path, false, ret);
}

bool machine_exists(const struct machine *machine, const char *path)
{
    struct stat st;
    return machine->files->stat(machine, path, true, &st) == 0;
}

int machine_open(const struct machine *machine, const char *path, int *ret_fd)
{
    return machine->files->open(machine, path, false, ret_fd);
}

/* Reads up to `limit` bytes: the end of file is the only measure, as files of /proc and /sys lie
 * about their size. */
static int read_all(int fd, size_t limit, struct bytes *ret)
{
    size_t capacity = 0, length = 0;
    char *data = NULL;
    while (length < limit) {
        size_t want = limit - length < CHUNK ? limit - length : CHUNK;
        data = xgrow(data, &capacity, length + want + 1, 1);
        ssize_t n = read(fd, data + length, want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int code = -errno;
            free(data);
            return code;
        }
        if (n == 0)
            break;
        length += (size_t)n;
    }
    data = xgrow(data, &capacity, length + 1, 1);
    data[length] = '\0';
    *ret = (struct bytes){data, length};
    return 0;
}

int machine_read_head(const struct machine *machine, const char *path, size_t cap,
                      struct bytes *ret)
{
    CLEANUP_CLOSE int fd = -1;
    int r = machine_open(machine, path, &fd);
    return r < 0 ? r : read_all(fd, cap, ret);
}

int machine_read(const struct machine *machine, const char *path, size_t cap, struct bytes *ret)
{
    struct bytes bytes;
    int r = machine_read_head(machine, path, cap < SIZE_MAX ? cap + 1 : cap, &bytes);
    if (r < 0)
        return r;
    if (bytes.length > cap) {
        bytes_done(&bytes);
        return -EFBIG;
    }
    *ret = bytes;
    return 0;
}

int machine_read_line(const struct machine *machine, const char *path, struct arena *arena,
                      char **ret)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    int r = machine_read_head(machine, path, LINE_MAX_BYTES, &bytes);
    if (r < 0)
        return r;
    size_t cursor = 0, length = 0;
    const char *line = "";
    text_next_line(bytes.data, bytes.length, &cursor, &line, &length);
    if (length == LINE_MAX_BYTES)
        return -EFBIG;
    if (!utf8_valid(line, length))
        return -EBADMSG;
    *ret = arena_strndup(arena, line, length);
    return 0;
}

int machine_readlink(const struct machine *machine, const char *path, struct arena *arena,
                     char **ret)
{
    char buffer[PATH_MAX];
    ssize_t length = machine->files->readlink(machine, path, buffer, sizeof buffer);
    if (length < 0)
        return (int)length;
    if ((size_t)length == sizeof buffer)
        return -ENAMETOOLONG;
    *ret = arena_strndup(arena, buffer, (size_t)length);
    return 0;
}

int machine_realpath(const struct machine *machine, const char *path, struct arena *arena,
                     char **ret)
{
    return machine->files->realpath(machine, path, arena, ret);
}

int machine_fs_magic(const struct machine *machine, const char *path, int64_t *ret)
{
    return machine->files->fs_magic(machine, path, ret);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int machine_list(const struct machine *machine, const char *path, size_t cap, struct arena *arena,
                 struct dir_list *ret)
{
    int fd;
    int r = machine->files->open(machine, path, true, &fd);
    if (r < 0)
        return r;
    DIR *folder = fdopendir(fd);
    if (!folder) {
        r = -errno;
        close(fd);
        return r;
    }
    struct dir_list list = {0};
    CLEANUP_FREE char **names = NULL;
    size_t capacity = 0;
    const struct dirent *entry;
    while ((errno = 0, entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (list.count == cap) {
            list.cut = true;
            break;
        }
        names = xgrow(names, &capacity, list.count + 1, sizeof *names);
        names[list.count++] = arena_strdup(arena, entry->d_name);
    }
    r = errno && !list.cut ? -errno : 0;
    closedir(folder);
    if (r < 0)
        return r;
    if (list.count > 1)
        qsort(names, list.count, sizeof *names, compare_names);
    list.names = arena_alloc(arena, (list.count ? list.count : 1) * sizeof *names);
    if (list.count)
        memcpy(list.names, names, list.count * sizeof *names);
    *ret = list;
    return 0;
}
