/* What /proc and the cgroup files say of limits: pure parsers over hostile bytes. */
#ifndef PARSE_PROC_LIMITS_H
#define PARSE_PROC_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/opt.h"

struct limit {
    struct opt soft, hard; /* unknown where there is none */
    bool unlimited;        /* the soft one */
};

/* The line of /proc/PID/limits that begins with `name` ("Max locked memory"). False when there is
 * none, or when it makes no sense. (proc_pid_limits(5)) */
bool parse_proc_limit(const char *data, size_t size, const char *name, struct limit *ret);

/* One number of a cgroup file: memory.max, pids.max, memory.limit_in_bytes. "max" and what no
 * machine has (the kernel writes LONG_MAX in pages for "none") are unlimited. */
bool parse_cgroup_limit(const char *data, size_t size, struct limit *ret);

/* The path of /proc/self/cgroup for a controller of version 1, or with NULL for version 2, from
 * `arena`; NULL where there is none, or where it leads out of what is seen here ("/../..."). */
char *parse_cgroup_path(const char *data, size_t size, const char *controller, struct arena *arena);

/* The mount at /dev/shm (the last one, which is on top) in /proc/self/mountinfo. */
struct shm_mount {
    bool found; /* there is one, and it is a tmpfs */
    bool sized; /* the mount says its size; else the kernel's default holds, half of the memory */
    struct opt bytes;
};
/* `total` is the memory in bytes, for sizes in percent. */
void parse_shm_mount(const char *data, size_t size, struct opt total, struct shm_mount *ret);

/* MemTotal of /proc/meminfo in bytes. */
struct opt parse_memory_total(const char *data, size_t size);

#endif
