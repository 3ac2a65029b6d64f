#include "parse/mount_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "parse/mountinfo.h"

enum { MOUNTS_MAX = 16384 };

static const char *const network_types[] = {
    "nfs",          "nfs4",      "cifs",    "smb3",          "smbfs", "ncpfs",   "afs",
    "auristorfs",   "coda",      "ceph",    "lustre",        "gpfs",  "beegfs",  "orangefs",
    "pvfs2",        "panfs",     "wekafs",  "dvs",           "ocfs2", "quobyte", "fhgfs",
    "beegfs_nodev", "glusterfs", "gcsfuse", "mountpoint-s3",
};

/* Programs that serve files of this machine through FUSE. */
static const char *const local_fuse[] = {
    "fuse-overlayfs", "overlayfs", "squashfuse", "squashfuse_ll", "lxcfs",  "snapfuse", "gocryptfs",
    "encfs",          "mergerfs",  "bindfs",     "ntfs-3g",       "portal", "fuse2fs",
};

/* And those of other machines; any other is not known. */
static const char *const network_fuse[] = {
    "sshfs",     "ceph",     "glusterfs",     "juicefs", "JuiceFS", "s3fs",
    "gcsfuse",   "rclone",   "mountpoint-s3", "goofys",  "davfs",   "lustre",
    "curlftpfs", "blobfuse", "blobfuse2",     "cvmfs2",
};

static bool is_among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(text, list[i]))
            return true;
    return false;
}

enum mount_reach mount_reach_of(const char *type, const char *options, const char *source)
{
    if (!strcmp(type, "autofs"))
        return MOUNT_AUTOMOUNT;
    if (text_starts(type, "fuse.")) {
        if (is_among(type + 5, local_fuse, sizeof local_fuse / sizeof *local_fuse))
            return MOUNT_LOCAL;
        return is_among(type + 5, network_fuse, sizeof network_fuse / sizeof *network_fuse)
                   ? MOUNT_NETWORK
                   : MOUNT_UNKNOWN;
    }
    if (!strcmp(type, "fuse"))
        return MOUNT_UNKNOWN;
    /* Windows' drives and driver store under WSL2 */
    if (!strcmp(type, "9p"))
        return strstr(options, "aname=d") || strstr(options, "aname=wsl") ||
                       text_starts(source, "drvfs") || (source[0] && source[1] == ':')
                   ? MOUNT_LOCAL
                   : MOUNT_NETWORK;
    return is_among(type, network_types, sizeof network_types / sizeof *network_types)
               ? MOUNT_NETWORK
               : MOUNT_LOCAL;
}

void mount_points_parse(const char *data, size_t length, struct arena *arena,
                        struct mount_points *ret)
{
    *ret = (struct mount_points){0};
    size_t cursor = 0;
    struct mount_line line;
    while (parse_mount_line(data, length, &cursor, arena, &line)) {
        if (!line.path)
            continue;
        if (ret->count == MOUNTS_MAX) {
            ret->is_cut = true;
            break;
        }
        ret->items = xgrow(ret->items, &ret->capacity, ret->count + 1, sizeof *ret->items);
        enum mount_reach reach = mount_reach_of(line.type, line.super_options, line.source);
        ret->items[ret->count++] = (struct mount_point){
            .path = line.path,
            .reach = reach,
            .is_readonly =
                mount_option(line.options, "ro") || mount_option(line.super_options, "ro"),
        };
        ret->has_remote |= reach != MOUNT_LOCAL;
    }
}

void mount_points_done(struct mount_points *points)
{
    free(points->items);
    *points = (struct mount_points){0};
}

static bool holds(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    if (length == 1)
        return true;
    return !strncmp(folder, path, length) && (!path[length] || path[length] == '/');
}

const struct mount_point *mount_points_find(const struct mount_points *points, const char *path)
{
    const struct mount_point *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct mount_point *point = &points->items[i];
        size_t length = strlen(point->path);
        /* a later mount on the same folder hides the earlier one */
        if (length >= longest && holds(point->path, path)) {
            best = point;
            longest = length;
        }
    }
    return best;
}
