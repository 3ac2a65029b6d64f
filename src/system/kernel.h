/* What the parts of the kernel probe share. */
#ifndef SYSTEM_KERNEL_H
#define SYSTEM_KERNEL_H

#include "probe/probe.h"

struct kernel_entry {
    const char *release;
    const char *folder; /* "/lib/modules/6.8.0-60-generic" */
    bool running;
};

struct kernel_set {
    struct kernel_entry *items; /* from the arena, in the order of their names */
    size_t count;
};

/* Release of the kernel that the boot configuration starts, among those of the set; NULL where it
 * does not say so plainly. */
const char *kernel_next_boot(struct probe_context *context, const struct kernel_set *kernels);

/* Fills `dkms`. */
void kernel_read_dkms(struct probe_context *context);

/* Fills `module_file`; reads `dkms`, `kernel_module` and `system_package`. */
void kernel_read_module_files(struct probe_context *context, const struct kernel_set *kernels);

/* Fills `module_parameter`. */
void kernel_read_parameters(struct probe_context *context);

/* The name that a GPU module has in the tables: "nvidia_uvm" of nvidia-uvm and of Debian's
 * nvidia-current-uvm. NULL for a module that is none of them. `name` has no suffix. */
const char *gpu_module_name(const char *name, size_t length);

#endif
