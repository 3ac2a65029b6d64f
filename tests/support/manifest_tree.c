#include "manifest_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"

int tree_error(const struct tree *tree, unsigned line, const char *format, ...)
{
    char buffer[400];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return manifest_error(tree->manifest, line, tree->err, "%s", buffer);
}

static int system_error(const struct tree *tree, unsigned line, const char *path)
{
    int code = -errno;
    tree_error(tree, line, "%s: %s", path, strerror(-code));
    return code;
}

/* Whether the path is one or more proper names between single slashes. */
static bool is_plain_path(const char *path)
{
    for (const char *part = path;; part++) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') ||
            (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part += length;
        if (!*part)
            return true;
    }
}

int tree_path(struct tree *tree, unsigned line, const char *path, const char **ret)
{
    if (*path == '/')
        *ret = arena_strdup(tree->arena, path + 1);
    else if (strcmp(path, ".") == 0)
        *ret = arena_strdup(tree->arena, tree->prefix);
    else
        *ret = arena_printf(tree->arena, "%s%s%s", tree->prefix, *tree->prefix ? "/" : "", path);
    return is_plain_path(*ret) ? 0 : tree_error(tree, line, "'%s' is not a plain path", path);
}

/* Opens a folder inside another, made if it is missing. The fd is the caller's; -1 with errno. */
static int open_folder(int parent, const char *name)
{
    bool is_new = mkdirat(parent, name, 0755) == 0;
    if (!is_new && errno != EEXIST)
        return -1;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && is_new && fchmod(fd, 0755) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Opens the folder that holds the path's last name; *ret_name is that name. */
static int open_parent(struct tree *tree, unsigned line, const char *path, int *ret_fd,
                       const char **ret_name)
{
    int fd = fcntl(tree->root, F_DUPFD_CLOEXEC, 0);
    const char *slash;
    for (; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        const char *name = arena_strndup(tree->arena, path, (size_t)(slash - path));
        int next = open_folder(fd, name);
        if (next < 0)
            tree_error(tree, line, "folder %s: %s", name, strerror(errno));
        close(fd);
        fd = next;
    }
    if (fd < 0)
        return -ENOTDIR;
    *ret_fd = fd;
    *ret_name = path;
    return 0;
}

int tree_put_dir(struct tree *tree, unsigned line, const char *path, mode_t mode)
{
    CLEANUP_CLOSE int parent = -1;
    const char *name;
    int r = open_parent(tree, line, path, &parent, &name);
    if (r < 0)
        return r;
    CLEANUP_CLOSE int fd = open_folder(parent, name);
    if (fd < 0)
        return system_error(tree, line, path);
    if (mode == 0755)
        return 0;
    tree->modes =
        xgrow(tree->modes, &tree->mode_capacity, tree->mode_count + 1, sizeof *tree->modes);
    tree->modes[tree->mode_count++] = (struct tree_mode){.path = path, .mode = mode, .line = line};
    return 0;
}

static int write_all(int fd, const struct text *data)
{
    for (size_t done = 0; done < data->length;) {
        ssize_t n = write(fd, data->data + done, data->length - done);
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

int tree_put_file(struct tree *tree, unsigned line, const char *path, const struct text *data,
                  mode_t mode, off_t size)
{
    CLEANUP_CLOSE int parent = -1;
    const char *name;
    int r = open_parent(tree, line, path, &parent, &name);
    if (r < 0)
        return r;
    if (size && (size_t)size < data->length)
        return tree_error(tree, line, "%s already has %zu bytes", path, data->length);
    CLEANUP_CLOSE int fd =
        openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || write_all(fd, data) < 0 || (size && ftruncate(fd, size) < 0) ||
        fchmod(fd, mode) < 0)
        return system_error(tree, line, path);
    return 0;
}

int tree_put_link(struct tree *tree, unsigned line, const char *path, const char *target)
{
    CLEANUP_CLOSE int parent = -1;
    const char *name;
    int r = open_parent(tree, line, path, &parent, &name);
    if (r < 0)
        return r;
    return symlinkat(target, parent, name) < 0 ? system_error(tree, line, path) : 0;
}

int tree_put_fifo(struct tree *tree, unsigned line, const char *path, mode_t mode)
{
    CLEANUP_CLOSE int parent = -1;
    const char *name;
    int r = open_parent(tree, line, path, &parent, &name);
    if (r < 0)
        return r;
    if (mkfifoat(parent, name, 0600) < 0 || fchmodat(parent, name, mode, 0) < 0)
        return system_error(tree, line, path);
    return 0;
}

static int by_falling_length(const void *a, const void *b)
{
    const struct tree_mode *left = a, *right = b;
    size_t l = strlen(left->path), r = strlen(right->path);
    return (l < r) - (l > r);
}

/* Deep folders first: one without permissions would bar the way to those inside it. */
int tree_set_modes(struct tree *tree)
{
    if (tree->mode_count)
        qsort(tree->modes, tree->mode_count, sizeof *tree->modes, by_falling_length);
    for (size_t i = 0; i < tree->mode_count; i++) {
        const struct tree_mode *mode = &tree->modes[i];
        if (fchmodat(tree->root, mode->path, mode->mode, 0) < 0)
            return system_error(tree, mode->line, mode->path);
    }
    return 0;
}
