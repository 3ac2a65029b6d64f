/* Limits of the control group that this process is in. */
#ifndef SYSTEM_RESOURCE_LIMIT_CGROUP_H
#define SYSTEM_RESOURCE_LIMIT_CGROUP_H

#include "probe/probe.h"

/* Adds the rows cgroup-memory and pids, and notes what was read. */
void add_cgroup_limits(struct probe_context *context);

#endif
