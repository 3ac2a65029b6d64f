/* Reading files, the same for every kind of machine. */
#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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
    return machine->files->open(machine, path, OPEN_FILE, ret_fd);
}

int machine_open_seen(const struct machine *machine, const char *path, int *ret_fd)
{
    return machine->files->open(machine, path, OPEN_SEEN, ret_fd);
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

/* getdents(2) */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size; /* of this one: the next follows */
    unsigned char type;
    char name[];
};

struct names {
    struct arena *arena;
    struct dir_list list;
    size_t capacity, cap;
};

static void take_entries(struct names *names, const char *data, size_t size)
{
    struct dir_list *list = &names->list;
    const struct entry *entry;
    for (size_t at = 0; at < size && !list->cut; at += entry->size) {
        entry = (const struct entry *)(const void *)(data + at);
        if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
            continue;
        if (list->count == names->cap) {
            list->cut = true;
            break;
        }
        list->names = xgrow(list->names, &names->capacity, list->count + 1, sizeof *list->names);
        list->names[list->count++] = arena_strdup(names->arena, entry->name);
    }
}

/* As readdir() does it, without asking about the folder first and without memory of its own: there
 * are hundreds of small ones. */
static int read_names(int fd, struct names *names)
{
    alignas(struct entry) char buffer[32 * 1024];
    long n;
    while (!names->list.cut && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) != 0) {
        if (n < 0)
            return -errno;
        take_entries(names, buffer, (size_t)n);
    }
    return 0;
}

int machine_list(const struct machine *machine, const char *path, size_t cap, struct arena *arena,
                 struct dir_list *ret)
{
    CLEANUP_CLOSE int fd = -1;
    struct names names = {.arena = arena, .cap = cap};
    int r = machine->files->open(machine, path, OPEN_FOLDER, &fd);
    if (r == 0)
        r = read_names(fd, &names);
    CLEANUP_FREE char **items = names.list.names;
    if (r < 0)
        return r;
    size_t count = names.list.count;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_names);
    *ret = names.list;
    ret->names = arena_alloc(arena, (count ? count : 1) * sizeof *items);
    if (count)
        memcpy(ret->names, items, count * sizeof *items);
    return 0;
}
