/* WSL and its Windows side. */
#include "system/wsl.h"

#include <errno.h>
#include <string.h>

#include "probe/look.h"

static const char lib_folder[] = "/usr/lib/wsl/lib";

static struct opt on_path(const struct probe_context *context)
{
    const char *path = machine_getenv(context->machine, "PATH");
    if (!path)
        return UNKNOWN;
    struct span rest = {path, strlen(path)}, folder;
    while (span_split(&rest, ':', &folder))
        if (span_equal(folder, lib_folder))
            return known(1);
    return known(0);
}

static struct opt in_loader_cache(const struct probe_context *context)
{
    if (ask(context, "SELECT 1 FROM loader_cache WHERE soname = 'libcuda.so.1' AND "
                     "path LIKE '/usr/lib/wsl/lib/%'"))
        return known(1);
    return ask(context, "SELECT 1 FROM probe WHERE name = 'loader_cache' AND "
                        "status IN ('ok', 'absent')")
               ? known(0)
               : UNKNOWN;
}

static struct opt has_dxg(const struct probe_context *context)
{
    struct machine_devices devices;
    if (machine_devices(context->machine, context->arena, &devices) < 0)
        return UNKNOWN;
    for (size_t i = 0; i < devices.count; i++)
        if (strcmp(devices.items[i].path, "/dev/dxg") == 0)
            return known(1);
    return known(0);
}

/* The kernel starts Windows programs by an entry that WSL makes; systemd may have swept it away.
 */
static struct opt has_interop(struct probe_context *context, const struct wsl_config *config)
{
    static const char *const entries[] = {"/proc/sys/fs/binfmt_misc/WSLInterop",
                                          "/proc/sys/fs/binfmt_misc/WSLInterop-late"};
    if (config->interop.known && !config->interop.value)
        return known(0);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        CLEANUP_BYTES struct bytes text = {0};
        int code = machine_read_head(context->machine, entries[i], 64, &text);
        if (code == 0)
            return known(text_starts(text.data, "enabled"));
        if (code != -ENOENT && code != -ENOTDIR) {
            probe_note(context, "wsl", NULL, entries[i], code, "wsl", NULL);
            return UNKNOWN;
        }
    }
    return machine_exists(context->machine, "/proc/sys/fs/binfmt_misc/status") ? known(0) : UNKNOWN;
}

static const char *windows_build(struct probe_context *context, const char *drive)
{
    /* small ones; each update of Windows replaces them */
    static const char *const names[] = {"kernel32.dll", "ntoskrnl.exe", "ntdll.dll"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pe_version v;
        const char *path = arena_printf(context->arena, "%s/Windows/System32/%s", drive, names[i]);
        if (wsl_file_version(context, path, &v) == 0)
            return arena_printf(context->arena, "%u.%u.%u.%u", v.part[0], v.part[1], v.part[2],
                                v.part[3]);
    }
    return NULL;
}

/* Off by either file is off; on takes both to be known. */
static struct opt both(struct opt a, struct opt b)
{
    if ((a.known && !a.value) || (b.known && !b.value))
        return known(0);
    return a.known && b.known ? known(1) : UNKNOWN;
}

static void add_windows(struct probe_context *context, const struct wsl_config *config,
                        struct row_wsl *row)
{
    const char *drive = wsl_system_drive(context, config);
    bool mounted = drive && strcmp(drive, "none") != 0;
    struct wsl_windows_config windows = {0};
    row->windows_mount = drive;
    if (mounted) {
        windows = wsl_read_wslconfig(context, drive);
        row->windows_build = windows_build(context, drive);
        wsl_read_studios(context, drive);
    } else {
        probe_note_status(context, "wsl", NULL, config->mount_root, "absent", "visual_studio",
                          "no drive of Windows is mounted");
    }
    struct wsl_driver driver = wsl_read_driver(context, mounted ? drive : NULL);
    row->windows_driver = driver.version;
    row->windows_driver_path = driver.path;
    row->driver_folders = driver.folders;
    row->gpu_enabled = both(config->gpu, windows.gpu);
    row->safe_mode = windows.safe_mode;
    row->memory_mib = windows.memory_mib;
    row->kernel_path = windows.kernel;
    row->wslconfig = windows.path;
}

static int run(struct probe_context *context)
{
    if (!ask(context, "SELECT 1 FROM host WHERE wsl > 0"))
        return 0;
    /* a container has its own files and sees no drive: WSL's settings are out of its sight */
    bool inside = ask(context, "SELECT 1 FROM host WHERE container <> 'none'");
    struct row_wsl row = {
        .distribution = machine_getenv(context->machine, "WSL_DISTRO_NAME"),
        .dxg = has_dxg(context),
        .libraries = known(machine_exists(context->machine, "/usr/lib/wsl/lib/libcuda.so.1")),
        .in_loader_cache = in_loader_cache(context),
        .on_path = on_path(context),
    };
    if (!inside) {
        struct wsl_config config = wsl_read_conf(context);
        row.ldconfig = config.ldconfig;
        row.append_lib_path = config.append_lib_path;
        row.systemd = config.systemd;
        row.interop = has_interop(context, &config);
        add_windows(context, &config, &row);
    }
    facts_add_wsl(context->facts, &row);
    return 0;
}

const struct probe probe_wsl = {
    .name = "wsl",
    .phase = PHASE_PASSIVE,
    .reads = "host loader_cache",
    .writes = "wsl visual_studio",
    .run = run,
};
