#include "machine/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 40, DEPTH_MAX = 256 };

/* The walk keeps a descriptor of every folder on the way down. ".." takes the one above, so that
 * a folder which is moved meanwhile cannot lead out of the root. */
struct walk {
    int folders[DEPTH_MAX]; /* folders[0] is the root and not ours to close */
    size_t ends[DEPTH_MAX]; /* length of `path` at each folder */
    size_t depth;
    char path[PATH_MAX]; /* of folders[depth]; "" is the root */
    char rest[PATH_MAX]; /* what is still to be walked */
    int links;
};

static void pop(struct walk *walk)
{
    if (walk->depth == 0)
        return;
    close(walk->folders[walk->depth--]);
    walk->path[walk->ends[walk->depth]] = '\0';
}

static void pop_all(struct walk *walk)
{
    while (walk->depth > 0)
        pop(walk);
}

static int append(struct walk *walk, const char *name, size_t *ret_length)
{
    size_t have = strlen(walk->path), more = strlen(name);
    if (have + 1 + more >= sizeof walk->path)
        return -ENAMETOOLONG;
    walk->path[have] = '/';
    memcpy(walk->path + have + 1, name, more + 1);
    *ret_length = have + 1 + more;
    return 0;
}

static int push(struct walk *walk, const char *name, int fd)
{
    size_t length;
    if (walk->depth + 1 >= DEPTH_MAX)
        return -ENAMETOOLONG;
    int r = append(walk, name, &length);
    if (r < 0)
        return r;
    walk->folders[++walk->depth] = fd;
    walk->ends[walk->depth] = length;
    return 0;
}

/* Takes the next component out of `rest`: 1, 0 at the end, or -errno. *ret_last: nothing follows
 * it; *ret_folder: a slash follows it. */
static int next(struct walk *walk, char name[NAME_MAX + 1], bool *ret_last, bool *ret_folder)
{
    const char *start = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(start, "/");
    if (length == 0)
        return 0;
    if (length > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(name, start, length);
    name[length] = '\0';
    const char *after = start + length;
    *ret_folder = *after == '/';
    *ret_last = after[strspn(after, "/")] == '\0';
    memmove(walk->rest, after, strlen(after) + 1);
    return 1;
}

/* Puts the text of the link `name` in front of what is still to be walked. */
static int follow_link(struct walk *walk, const char *name)
{
    char target[PATH_MAX];
    if (++walk->links > LINKS_MAX)
        return -ELOOP;
    ssize_t length = readlinkat(walk->folders[walk->depth], name, target, sizeof target);
    if (length < 0)
        return -errno;
    if (length == 0)
        return -ENOENT;
    size_t rest = strlen(walk->rest);
    if ((size_t)length + rest >= sizeof walk->rest)
        return -ENAMETOOLONG;
    memmove(walk->rest + length, walk->rest, rest + 1);
    memcpy(walk->rest, target, (size_t)length);
    if (target[0] == '/')
        pop_all(walk);
    return 0;
}

/* The path ended in a folder that is on the stack already ("/", "/a/..", "/a/."). */
static int finish_folder(struct walk *walk, struct resolved *ret)
{
    ret->fd = openat(walk->folders[walk->depth], ".", O_PATH | O_CLOEXEC);
    if (ret->fd < 0)
        return -errno;
    if (fstat(ret->fd, &ret->st) < 0)
        return -errno;
    memcpy(ret->name, ".", 2);
    memcpy(ret->path, walk->path[0] ? walk->path : "/", walk->path[0] ? strlen(walk->path) + 1 : 2);
    return 0;
}

/* The path ended in `name`, which is open as `ret->fd`; its folder leaves the stack. */
static int finish_entry(struct walk *walk, const char *name, struct resolved *ret)
{
    size_t length;
    memcpy(ret->name, name, strlen(name) + 1);
    int folder = walk->folders[walk->depth];
    int r = append(walk, name, &length);
    if (r < 0)
        return r;
    memcpy(ret->path, walk->path, length + 1);
    if (walk->depth > 0) {
        ret->parent = folder;
        walk->depth--;
        return 0;
    }
    ret->parent = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    return ret->parent < 0 ? -errno : 0;
}

/* One component: 1 when the walk is over, 0 to go on, or -errno. */
static int step(struct walk *walk, const char *name, bool last, bool folder, bool follow,
                struct resolved *ret)
{
    if (strcmp(name, ".") == 0)
        return 0;
    if (strcmp(name, "..") == 0) {
        pop(walk);
        return 0;
    }
    int fd = openat(walk->folders[walk->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct stat st;
    int r = fstat(fd, &st) < 0 ? -errno : 0;
    if (r == 0 && S_ISLNK(st.st_mode) && (!last || folder || follow)) {
        close(fd);
        return follow_link(walk, name);
    }
    if (r == 0 && folder && !S_ISDIR(st.st_mode))
        r = -ENOTDIR;
    if (r == 0 && !last) {
        r = push(walk, name, fd);
        if (r == 0)
            return 0;
    }
    if (r < 0) {
        close(fd);
        return r;
    }
    ret->fd = fd;
    ret->st = st;
    r = finish_entry(walk, name, ret);
    return r < 0 ? r : 1;
}

int resolve(int root, const char *path, bool follow, struct resolved *ret)
{
    ret->fd = ret->parent = -1;
    if (path[0] != '/')
        return path[0] ? -EINVAL : -ENOENT;
    size_t length = strlen(path);
    struct walk walk;
    if (length >= sizeof walk.rest)
        return -ENAMETOOLONG;
    memcpy(walk.rest, path, length + 1);
    walk.path[0] = '\0';
    walk.folders[0] = root;
    walk.ends[0] = 0;
    walk.depth = 0;
    walk.links = 0;

    char name[NAME_MAX + 1];
    bool last, folder;
    int r;
    while ((r = next(&walk, name, &last, &folder)) > 0) {
        r = step(&walk, name, last, folder, follow, ret);
        if (r != 0)
            break;
    }
    if (r == 0)
        r = finish_folder(&walk, ret);
    pop_all(&walk);
    if (r < 0) {
        resolved_done(ret);
        return r;
    }
    return 0;
}

void resolved_done(struct resolved *resolved)
{
    if (resolved->fd >= 0)
        close(resolved->fd);
    if (resolved->parent >= 0)
        close(resolved->parent);
    resolved->fd = resolved->parent = -1;
}
