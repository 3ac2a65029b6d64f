/* The mounts of this process, and which of them concern GPU programs. */
#ifndef SYSTEM_MOUNT_LIST_H
#define SYSTEM_MOUNT_LIST_H

#include "parse/mountinfo.h"
#include "probe/probe.h"

extern const char mount_list_path[]; /* /proc/self/mountinfo */

struct mount_list {
    struct mount_line *items; /* the arena's; in the kernel's order: a later one hides an earlier
                                 one on the same path */
    size_t count, bad;        /* lines that are none are left out and counted */
    bool cut;                 /* there are more than were read */
};

/* 0 or a negative errno; notes nothing. */
int mount_list_read(const struct probe_context *context, struct mount_list *ret);
/* The mount that holds the path; NULL when there is none. */
const struct mount_line *mount_of(const struct mount_list *list, const char *path);

/* A library, program or firmware of the driver, or a folder of them. */
bool mount_is_driver(const struct mount_line *mount);
/* The same, but what lies in /proc or is a socket is no file of the driver. */
bool mount_is_driver_file(const struct mount_line *mount);
bool mount_is_device(const struct mount_line *mount);
/* A drive of Windows in WSL; *ret_drive (may be NULL) is its letter in lower case. */
bool mount_is_windows(const struct mount_line *mount, char *ret_drive);
/* 1, 0, or unknown for what stands in for a mount that is made on demand, and for a FUSE
 * program that is not known. */
struct opt mount_is_network(const struct mount_line *mount);

#endif
