/* What kind of machine this is: WSL, Tegra, container, Secure Boot, read-only system image. */
#ifndef SYSTEM_HOST_KIND_H
#define SYSTEM_HOST_KIND_H

#include "parse/proc.h"
#include "probe/probe.h"

struct host_kind {
    struct opt wsl;        /* 0, 1, 2 */
    struct opt tegra;      /* 0, 1 */
    const char *container; /* "none", ...; NULL unknown */
};

/* `release` may be NULL. Reads the facts about device nodes. */
struct host_kind host_kind(struct probe_context *context, const char *release);

/* Unknown where nothing tells: in containers the firmware's variables are not there. */
struct opt host_secure_boot(struct probe_context *context, const char *container);
struct opt host_immutable(const struct probe_context *context, const struct os_release *os);

#endif
