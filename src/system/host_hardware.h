/* The machine that the system runs on: product, virtual machine, memory, kernel lockdown. */
#ifndef SYSTEM_HOST_HARDWARE_H
#define SYSTEM_HOST_HARDWARE_H

#include "probe/probe.h"

struct host_hardware {
    const char *product;    /* "Dell Inc. PowerEdge R760xa"; NULL unknown */
    const char *hypervisor; /* "kvm", ..., "none"; NULL unknown */
    const char *lockdown;   /* "none", "integrity", "confidentiality"; NULL unknown */
    struct opt memory_mib;
};

struct host_hardware host_hardware(struct probe_context *context, struct opt wsl);

#endif
