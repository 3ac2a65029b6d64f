/* What the readers of package databases share: which packages are of the GPU stack, and how one
 * becomes a row. */
#ifndef SYSTEM_SYSTEM_PACKAGE_H
#define SYSTEM_SYSTEM_PACKAGE_H

#include "base/span.h"
#include "probe/probe.h"

/* What a package of this name is a part of: "driver", "module", "cuda", ...; NULL for one that has
 * nothing to do with GPUs. Quick: it is asked for every package of the system. */
const char *gpu_package_kind(struct span name);

/* A package that a database lists. Text need not be valid UTF-8. */
struct package_seen {
    struct span name;
    const char *kind;           /* as gpu_package_kind() says */
    struct span version;        /* as the manager writes it, with epoch and revision */
    struct span bare;           /* without them; data NULL: to be cut out of `version` */
    struct span arch;           /* data NULL: unknown */
    const char *manager, *path; /* as the table has them */
    const char *state;
};
void system_package_add(struct probe_context *context, const struct package_seen *package);

/* "1:535.161.08-0ubuntu1" without epoch and revision; a copy from the arena where it is a version
 * of the driver, else NULL. */
char *system_package_driver_version(struct span version, struct arena *arena);

/* Each reads one kind of database and notes what became of it. True where there is one. */
bool system_package_dpkg(struct probe_context *context);
bool system_package_rpm(struct probe_context *context);
bool system_package_apk(struct probe_context *context);
bool system_package_pacman(struct probe_context *context);
/* Traces of NVIDIA's own installer. */
void system_package_runfile(struct probe_context *context);

/* rpmdb.sqlite and Packages.db; `path` exists. */
void system_package_rpm_sqlite(struct probe_context *context, const char *path);
void system_package_rpm_ndb(struct probe_context *context, const char *path);
/* A header blob's first bytes; adds the package if it is of the GPU stack. False when it is no
 * header. */
bool system_package_rpm_header(struct probe_context *context, const char *path, const char *data,
                               size_t size);

enum { PACKAGES_MAX = 20 * 1000 }; /* packages of one database that are looked at */

#endif
