#include "system/mount_list.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "parse/mount_points.h"

enum { BYTES_CAP = 1024 * 1024, LINES_MAX = 20000 };
const char mount_list_path[] = "/proc/self/mountinfo";

int mount_list_read(const struct probe_context *context, struct mount_list *ret)
{
    CLEANUP_BYTES struct bytes text = {0};
    CLEANUP_FREE struct mount_line *lines = NULL;
    size_t capacity = 0, cursor = 0;
    struct mount_line line;
    *ret = (struct mount_list){0};
    int code = machine_read_head(context->machine, mount_list_path, BYTES_CAP, &text);
    if (code < 0)
        return code;
    ret->cut = text.length == BYTES_CAP;
    while (parse_mount_line(text.data, text.length, &cursor, context->arena, &line)) {
        if (!line.path) {
            ret->bad++;
            continue;
        }
        if (ret->count == LINES_MAX) {
            ret->cut = true;
            break;
        }
        lines = xgrow(lines, &capacity, ret->count + 1, sizeof *lines);
        lines[ret->count++] = line;
    }
    ret->items = arena_alloc(context->arena, (ret->count + 1) * sizeof *lines);
    if (ret->count)
        memcpy(ret->items, lines, ret->count * sizeof *lines);
    return 0;
}

const struct mount_line *mount_of(const struct mount_list *list, const char *path)
{
    const struct mount_line *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; path && i < list->count; i++) {
        size_t n = strlen(list->items[i].path);
        if (n == 1) /* "/" */
            n = 0;
        if (n < longest || strncmp(list->items[i].path, path, n) != 0 ||
            (path[n] != '/' && path[n] != '\0'))
            continue;
        longest = n;
        found = &list->items[i];
    }
    return found;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool starts_with_any(const char *text, const char *const *starts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_starts(text, starts[i]))
            return true;
    return false;
}
#define STARTS_WITH(text, list) starts_with_any(text, list, sizeof list / sizeof list[0])

bool mount_is_driver_file(const struct mount_line *mount)
{
    static const char *const names[] = {
        "libcuda.so",       "libcudadebugger.so",  "libnvidia-",          "libnvcuvid.so",
        "libnvoptix.so",    "libEGL_nvidia.so",    "libGLX_nvidia.so",    "libGLESv1_CM_nvidia.so",
        "libnvdxgdmal",     "libGLESv2_nvidia.so", "libvdpau_nvidia.so",  "nvidia-smi",
        "nvidia-debugdump", "nvidia-cuda-mps-",    "nvidia-persistenced",
    };
    static const char *const folders[] = {
        "/usr/lib/wsl/",
        "/usr/local/nvidia/",
        "/.singularity.d/libs/",
        "/run/nvidia/driver",
        "/usr/lib64-nvidia",
        "/lib/firmware/nvidia/",
        "/usr/lib/firmware/nvidia/",
    };
    const char *path = mount->path;
    /* the folder /usr/local/nvidia itself is what GKE mounts */
    return strcmp(path, "/usr/local/nvidia") == 0 || STARTS_WITH(path, folders) ||
           (!text_starts(path, "/proc/") && !text_starts(path, "/run/") &&
            STARTS_WITH(base_name(path), names));
}

bool mount_is_driver(const struct mount_line *mount)
{
    static const char *const folders[] = {"/proc/driver/nvidia", "/run/nvidia-",
                                          "/var/run/nvidia-"};
    return mount_is_driver_file(mount) || STARTS_WITH(mount->path, folders);
}

bool mount_is_device(const struct mount_line *mount)
{
    static const char *const starts[] = {"/dev/nvidia", "/dev/dxg", "/dev/dri/", "/dev/nvhost",
                                         "/dev/nvmap"};
    return STARTS_WITH(mount->path, starts);
}

/* WSL 2 mounts drives as 9p ("aname=drvfs;path=C:\") or virtiofs ("drvfsC"), WSL 1 as drvfs. WSL's
 * other mounts of these types are no drives. */
bool mount_is_windows(const struct mount_line *mount, char *ret_drive)
{
    const char *source = mount->source, *letter = NULL;
    if (strcmp(mount->type, "9p") == 0 || strcmp(mount->type, "drvfs") == 0) {
        const char *path = strstr(mount->super_options, "aname=drvfs;path=");
        if (path)
            letter = path + strlen("aname=drvfs;path=");
        else if (isalpha((unsigned char)source[0]) && source[1] == ':')
            letter = source;
    } else if (strcmp(mount->type, "virtiofs") == 0 && text_starts(source, "drvfs")) {
        /* the letter stands behind "drvfs" and, for an elevated one, an "a" */
        letter = source[5] == 'a' && isalpha((unsigned char)source[6]) ? source + 6 : source + 5;
    }
    if (!letter || !isalpha((unsigned char)*letter))
        return false;
    if (ret_drive)
        *ret_drive = (char)tolower((unsigned char)*letter);
    return true;
}

struct opt mount_is_network(const struct mount_line *mount)
{
    enum mount_reach reach = mount_reach_of(mount->type, mount->super_options, mount->source);
    if (reach == MOUNT_AUTOMOUNT || reach == MOUNT_UNKNOWN)
        return UNKNOWN;
    return known(reach == MOUNT_NETWORK);
}
