/* How the container engines here are set up, as far as it concerns GPUs. */
#ifndef SYSTEM_CONTAINER_SETTING_H
#define SYSTEM_CONTAINER_SETTING_H

#include "probe/probe.h"

/* Adds rows of container_setting. */
void container_settings(struct probe_context *context);

/* A key of a TOML file that concerns GPUs. */
struct toml_key {
    const char *before; /* the dotted name ends so; with `after`: it has this, then a name ... */
    const char *after;  /* ... and ends so */
    const char *name; /* the setting; with `after` the name in between is added: "runtime.nvidia" */
    bool nvidia_only; /* only where that name or the value speaks of nvidia */
};
/* Of each tool, ended by one without `before`. */
extern const struct toml_key containerd_keys[], crio_keys[], podman_keys[], toolkit_keys[];

#endif
