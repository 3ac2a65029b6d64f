/* Limits of the control group that this process is in. */
#ifndef PROBE_RESOURCE_LIMIT_CGROUP_H
#define PROBE_RESOURCE_LIMIT_CGROUP_H

#include "probe/probe.h"

/* Adds the rows cgroup-memory and pids, and notes what was read. */
void add_cgroup_limits(struct probe_context *context);

#endif
