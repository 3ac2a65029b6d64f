/* Parts of the probe of WSL's Windows side. Reading a drive of Windows is slow (a question to
 * another system for each), so the fewest files are opened there and no folder is walked. */
#ifndef SYSTEM_WSL_H
#define SYSTEM_WSL_H

#include "base/span.h"
#include "parse/pe_version.h"
#include "probe/probe.h"

enum { WSL_FILE_CAP = 256 * 1024 };

/* --- wsl_config.c --- */

struct wsl_config {
    const char *mount_root; /* folder below which they are: "/mnt" */
    struct opt gpu, append_lib_path, ldconfig, interop, systemd;
};
/* /etc/wsl.conf, with WSL's defaults where it says nothing. */
struct wsl_config wsl_read_conf(struct probe_context *context);

struct wsl_windows_config {
    struct opt gpu, safe_mode, memory_mib;
    const char *kernel; /* path as Windows writes it, without a user's name */
    const char *path;   /* of the file, likewise */
};
/* .wslconfig in the folder of the Windows user. Nothing is known where the drive is not mounted or
 * where several users have one and PATH does not tell which is ours. */
struct wsl_windows_config wsl_read_wslconfig(struct probe_context *context, const char *drive);

/* --- wsl_drive.c --- */

/* Folder where Windows' system drive is mounted, "none" where no drive is, NULL where that is not
 * known. */
const char *wsl_system_drive(struct probe_context *context, const struct wsl_config *config);
/* The version that a program on the drive states; a failure is noted, absence is not. */
int wsl_file_version(struct probe_context *context, const char *path, struct pe_version *ret);
/* The path in WSL of one that Windows writes ("C:\Program Files"), by the folder of the system
 * drive; NULL where it has no drive letter or that drive's folder cannot be told. */
char *wsl_path(struct probe_context *context, const char *drive, const char *windows_path);

/* --- wsl_driver.c, wsl_studio.c --- */

struct wsl_driver {
    const char *version; /* "565.90" */
    const char *path;
    struct opt folders;
};
/* `drive` may be NULL. */
struct wsl_driver wsl_read_driver(struct probe_context *context, const char *drive);
/* Adds rows of visual_studio. */
void wsl_read_studios(struct probe_context *context, const char *drive);

#endif
