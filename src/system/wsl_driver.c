/* The version of Windows' NVIDIA driver. */
#include <errno.h>
#include <string.h>

#include "base/version.h"
#include "parse/windows_driver.h"
#include "parse/windows_text.h"
#include "probe/look.h"
#include "system/wsl.h"

enum { STORE_MAX = 8192, FOLDERS_MAX = 16, INF_HEAD = 64 * 1024 };
static const char store[] = "/usr/lib/wsl/drivers";

static const char *version_of(struct probe_context *context, const struct pe_version *version)
{
    const char *text = arena_printf(context->arena, "%u.%u.%u.%u", version->part[0],
                                    version->part[1], version->part[2], version->part[3]);
    return windows_driver_number((struct span){text, strlen(text)}, context->arena);
}

/* What is installed last lies in the system's folder. */
static bool read_system_library(struct probe_context *context, const char *drive,
                                struct wsl_driver *ret)
{
    static const char *const names[] = {"nvcuda.dll", "nvapi64.dll"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct pe_version version;
        const char *path = arena_printf(context->arena, "%s/Windows/System32/%s", drive, names[i]);
        if (wsl_file_version(context, path, &version) < 0)
            continue;
        ret->version = version_of(context, &version);
        ret->path = path;
        if (ret->version)
            return true;
    }
    return false;
}

/* The INF of a folder "nv_dispi.inf_amd64_0123456789abcdef" is nv_dispi.inf. */
static char *inf_of(struct probe_context *context, const char *folder)
{
    const char *end = strstr(folder, ".inf_");
    return arena_printf(context->arena, "%s/%s/%.*s.inf", store, folder, (int)(end - folder),
                        folder);
}

static void take_newer(struct probe_context *context, const char *inf, struct wsl_driver *ret)
{
    CLEANUP_BYTES struct bytes head = {0};
    int64_t key, best;
    int code = machine_read_head(context->machine, inf, INF_HEAD, &head);
    char *version = NULL;
    if (code == 0)
        version =
            parse_inf_driver(windows_text(head.data, head.length, context->arena), context->arena);
    if (code == 0 && !version)
        code = -EBADMSG;
    probe_note(context, "wsl", NULL, inf, code, "wsl", NULL);
    if (!version || !version_key(VERSION_DRIVER, version, &key))
        return;
    if (ret->version && version_key(VERSION_DRIVER, ret->version, &best) && best >= key)
        return;
    ret->version = version;
    ret->path = inf;
}

/* Display drivers of NVIDIA: nv_disp*, and those of makers of notebooks (nvlt, nvdm, ...), which
 * only their content tells from NVIDIA's other drivers. */
static bool is_driver_folder(const struct probe_context *context, const char *name)
{
    if (!text_starts(name, "nv") || !strstr(name, ".inf_"))
        return false;
    return text_starts(name, "nv_disp") ||
           machine_exists(context->machine,
                          arena_printf(context->arena, "%s/%s/libcuda.so.1.1", store, name));
}

/* Folders of older drivers stay behind after an update, and WSL does not say which one it uses. */
static void read_store(struct probe_context *context, bool want_version, struct wsl_driver *ret)
{
    struct dir_list list = {0};
    int code = machine_list(context->machine, store, STORE_MAX, context->arena, &list);
    probe_note(context, "wsl", NULL, store, code, "wsl", NULL);
    if (code < 0) {
        if (code == -ENOENT)
            ret->folders = known(0);
        return;
    }
    int64_t count = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!is_driver_folder(context, list.names[i]))
            continue;
        if (count++ < FOLDERS_MAX && want_version)
            take_newer(context, inf_of(context, list.names[i]), ret);
    }
    if (list.cut || (want_version && count > FOLDERS_MAX))
        probe_note_status(context, "wsl", NULL, store, "malformed", "wsl",
                          "it has more drivers than were read");
    ret->folders = list.cut ? UNKNOWN : known(count);
}

struct wsl_driver wsl_read_driver(struct probe_context *context, const char *drive)
{
    struct wsl_driver driver = {0};
    bool found = drive && read_system_library(context, drive, &driver);
    if (!found)
        driver = (struct wsl_driver){0};
    read_store(context, !found, &driver);
    return driver;
}
