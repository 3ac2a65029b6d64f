/* Which folders discovery may look at: not those of other machines, where each look takes as long
 * as the server likes, nor those that an automounter would fetch. */
#ifndef PYTHON_ENVIRONMENT_REACH_H
#define PYTHON_ENVIRONMENT_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "parse/mount_points.h"
#include "probe/probe.h"

struct reach {
    struct probe_context *context;
    struct mount_points mounts; /* of a live machine, and of a record that has them */
    const char *remote;         /* first place that was left out for where it lies; NULL: none */
};

/* Reads the table of mounts; reach_done() at the end. */
void reach_read(struct probe_context *context, struct reach *reach);
void reach_done(struct reach *reach);

/* Whether discovery must leave the path alone, since it (or a link on the way) leads to another
 * machine, or to an automounter that a look would wake. Remembers the first one. Touches nothing
 * beyond a local file system. With --all-envs other machines are in reach. */
bool reach_is_out(struct reach *reach, const char *path);
/* One row for what reach_is_out() kept out. */
void reach_note(struct reach *reach);

/* "network" or "local"; NULL where no table of mounts was read, or where a FUSE program that
 * is not known serves the files. */
const char *reach_fs_type(const struct reach *reach, const char *prefix);
/* Whether this user may add files to the folder; unknown on other machines than this one. */
struct opt reach_is_writable(const struct reach *reach, const char *folder);

#endif
