/* Which places a probe may look at that nobody named: not those of other machines, where each look
 * takes as long as the server likes (a dead one never answers), nor those that an automounter would
 * fetch. Only a live machine has such; without one of them in its table of mounts nothing is
 * asked. */
#ifndef PROBE_REACH_H
#define PROBE_REACH_H

#include "parse/mount_points.h"
#include "probe/probe.h"

/* A place that was looked at before. */
struct reach_visit {
    const char *path; /* without links */
    const struct mount_point *point;
};

struct reach {
    struct probe_context *context;
    struct mount_points mounts; /* of a live machine, and of a record that has them */
    const char *remote;         /* first place that was left out for where it lies; NULL: none */
    struct reach_visit *visits;
    size_t visit_count, visit_capacity;
};

/* Reads the table of mounts; reach_done() at the end. Where it cannot be read on a live machine a
 * row says so under the probe's `name` (NULL: another probe has said it). */
void reach_read(struct probe_context *context, const char *name, struct reach *reach);
void reach_done(struct reach *reach);

/* The user named this place, or it was read before (an environment): it, what lies below it, and
 * the file system that holds it answer. Costs nothing where all is local. */
void reach_visited(struct reach *reach, const char *path);

/* Whether the path must be left alone, since it (or a link on the way) leads to another machine, or
 * to an automounter that a look would wake. Remembers the first one. Touches nothing beyond a local
 * file system. With --all-envs other machines are in reach. */
bool reach_is_out(struct reach *reach, const char *path);

/* One row for what reach_is_out() kept out, if anything; `detail` is the sentence. */
void reach_note(struct reach *reach, const char *name, const char *fills, const char *detail);

#endif
