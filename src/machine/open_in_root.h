/* Paths of a tree, looked up by the kernel in one call. */
#ifndef MACHINE_OPEN_IN_ROOT_H
#define MACHINE_OPEN_IN_ROOT_H

#include <stdbool.h>
#include <sys/stat.h>

/* Opens an absolute path as if `root` were "/" for its links and "..", with O_CLOEXEC, and says
 * what it is. A descriptor; -ENOENT or -ENOTDIR; -EAGAIN where the kernel gives no sure answer (it
 * is too old, the folders move, a link that it does not follow): resolve() does then. */
int open_in_root(int root, const char *path, int flags, struct stat *ret);

#endif
