/* /proc/self/mountinfo (proc(5)): which kind of file system holds a path, without touching the
 * path. A question to a dead server, or to an automounter, would be answered late or never. */
#ifndef PARSE_MOUNT_POINTS_H
#define PARSE_MOUNT_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum mount_reach {
    MOUNT_LOCAL,
    MOUNT_NETWORK,   /* its files lie on another machine */
    MOUNT_UNKNOWN,   /* a FUSE program that is not known: they may */
    MOUNT_AUTOMOUNT, /* a look into it makes the system mount something */
};

struct mount_point {
    const char *path; /* escapes decoded */
    enum mount_reach reach;
    bool is_readonly;
};

struct mount_points {
    struct mount_point *items; /* in the order of mounting */
    size_t count, capacity;
    bool has_remote; /* one of them is not local */
    bool is_cut;     /* there were more than are kept */
};

/* Strings come from `arena`, the array is the caller's: mount_points_done(). Lines that are not
 * understood are left out. */
void mount_points_parse(const char *data, size_t length, struct arena *arena,
                        struct mount_points *ret);
void mount_points_done(struct mount_points *points);

/* The mount that holds an absolute path without links; NULL where no mount is known. */
const struct mount_point *mount_points_find(const struct mount_points *points, const char *path);

/* The reach of a file system by its type ("nfs4"), its options and its source. */
enum mount_reach mount_reach_of(const char *type, const char *options, const char *source);

#endif
