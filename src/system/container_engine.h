/* Which engine runs the container that this is, if any. */
#ifndef SYSTEM_CONTAINER_ENGINE_H
#define SYSTEM_CONTAINER_ENGINE_H

#include "probe/probe.h"

struct container_engine {
    const char *engine;   /* docker, podman, kubernetes, apptainer, enroot, lxc, systemd-nspawn,
                             gvisor, other; NULL: no container */
    const char *evidence; /* file or variable that shows it; both, where gVisor runs in docker */
    const char *maker;    /* the same engine, but docker where gVisor runs in docker */
    int error;            /* negative errno where that may be no container only because the place
                             that would tell cannot be read (hidepid); else 0 */
};

/* `release` of the kernel may be NULL. Not to be asked about an image. */
struct container_engine container_engine(const struct probe_context *context, const char *release);

/* The word for it in the table host, which knows fewer; "none" where there is none, NULL where that
 * is not known. */
const char *container_word(const struct container_engine *found);
/* The file that `error` is about. */
extern const char container_cgroup_path[];

#endif
