/* Parsers of /proc- and /etc-like files: pure functions over hostile bytes. */
#ifndef PARSE_PROC_H
#define PARSE_PROC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/opt.h"

/* /proc/driver/nvidia/version (format: open-gpu-kernel-modules, nv-procfs.c). */
struct nvrm_version {
    char *version;       /* "580.95.05" */
    const char *flavour; /* "open" or "proprietary" */
};
bool parse_nvrm_version(const char *data, size_t size, struct arena *arena,
                        struct nvrm_version *ret);

/* Whether the text is a driver version: 470.57.02, 570.144; a soname's "1.1" is none. */
bool is_driver_version(const char *text);
/* "580.95.05" of ".../libcuda.so.580.95.05"; NULL where the name has no driver version. It points
 * into `path`. */
const char *driver_version_in(const char *path);

/* One line of /proc/modules; false at the end. A line that is none gives name NULL. */
struct module_line {
    char *name;
    const char *state; /* "live", "loading", "unloading"; NULL unknown */
};
bool parse_module_line(const char *data, size_t size, size_t *cursor, struct arena *arena,
                       struct module_line *ret);

/* os-release(5); NULL where the file does not say. */
struct os_release {
    char *id, *id_like, *version_id, *pretty_name, *variant_id;
};
void parse_os_release(const char *data, size_t size, struct arena *arena, struct os_release *ret);

/* /proc/driver/nvidia/gpus/ADDRESS/information (format: open-gpu-kernel-modules, nv-procfs.c).
 * Placeholders that stand there until the GPU was opened once ("GPU-????????-...") are unknown, and
 * so is the firmware's "N/A", which says that as well as that the GPU runs without. */
struct gpu_information {
    char *model, *uuid;
    char *bus; /* "0000:01:00.0" */
    struct opt minor;
    char *gsp_firmware;  /* "580.159.04" */
    struct opt excluded; /* 1: the driver was told to leave it alone; 0 */
};
/* False when the text has none of the keys. */
bool parse_gpu_information(const char *data, size_t size, struct arena *arena,
                           struct gpu_information *ret);

/* The kernel release in /proc/version ("Linux version 6.8.0-60-generic (...) ..."), or NULL. */
char *parse_proc_version(const char *data, size_t size, struct arena *arena);

/* 0 for no WSL, else 1 or 2, by the kernel release. */
int wsl_of_release(const char *release);

/* Major release of /etc/nv_tegra_release ("# R36 (release), REVISION: 4.0, ..."); 0 unknown. */
int parse_tegra_release(const char *data, size_t size);

/* Tegra chip number (234) out of /proc/device-tree/compatible, a list of NUL-terminated strings;
 * 0 where there is none, -1 for a Tegra without a number. */
int parse_tegra_compatible(const char *data, size_t size);

/* Compute capability of a Tegra chip's GPU, and the chip's name; NULL unknown. */
const char *tegra_cc(int chip);
const char *tegra_name(int chip);

#endif
