/* A path inside a tree that may be hostile: every symbolic link, absolute ones too, is resolved
 * below the root, as the kernel would do after chroot(). */
#ifndef MACHINE_RESOLVE_H
#define MACHINE_RESOLVE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct resolved {
    int fd;                  /* O_PATH descriptor of what the path leads to */
    int parent;              /* its folder; -1 when it is one itself and `name` is "." */
    char name[NAME_MAX + 1]; /* in the folder */
    char path[PATH_MAX];     /* without links, absolute inside the root */
    struct stat st;
};

/* `root` is a descriptor of the root folder. `path` must be absolute (-EINVAL), an empty one is
 * -ENOENT. `..` above the root stays at the root. -ELOOP after 40 links, -ENAMETOOLONG when a path
 * with its links written out passes PATH_MAX or 256 folders. A trailing slash or "/." asks for a
 * folder (-ENOTDIR). With `follow` false, a link as last component is the answer. */
int resolve(int root, const char *path, bool follow, struct resolved *ret);
void resolved_done(struct resolved *resolved);

#endif
