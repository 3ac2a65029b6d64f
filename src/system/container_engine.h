/* Which engine runs the container that this is, if any. */
#ifndef SYSTEM_CONTAINER_ENGINE_H
#define SYSTEM_CONTAINER_ENGINE_H

#include "probe/probe.h"

struct container_engine {
    const char *engine;   /* docker, podman, kubernetes, apptainer, enroot, lxc, systemd-nspawn,
                             gvisor, other; NULL: no container */
    const char *evidence; /* file or variable that shows it; both, where gVisor runs in docker */
    const char *maker;    /* the same engine, but docker where gVisor runs in docker */
};

/* `release` of the kernel may be NULL. Not to be asked about an image. */
struct container_engine container_engine(const struct probe_context *context, const char *release);

/* The word for it in the table host, which knows fewer; "none" for NULL. */
const char *container_word(const char *engine);

#endif
