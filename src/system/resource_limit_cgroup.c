#include "system/resource_limit_cgroup.h"

#include <errno.h>
#include <string.h>

#include "parse/proc_limits.h"
#include "probe/look.h"

static const char probe_name[] = "resource_limit";
static const char fills[] = "resource_limit";
enum { TEXT_CAP = 64 * 1024, NUMBER_CAP = 256, LEVELS_MAX = 32 };

static const struct kind {
    const char *name;       /* of the row */
    const char *controller; /* of version 1, and its folder */
    const char *file_v1, *file_v2;
} kinds[] = {
    {"cgroup-memory", "memory", "memory.limit_in_bytes", "memory.max"},
    {"pids", "pids", "pids.max", "pids.max"},
};

struct walk {
    struct probe_context *context;
    const char *file;
    struct limit least;
    const char *path; /* that says so; NULL: no file was found */
};

/* A level without the file does not use this controller. */
static void look_at(struct walk *walk, const char *folder)
{
    struct probe_context *context = walk->context;
    CLEANUP_BYTES struct bytes text = {0};
    struct limit limit = {0};
    const char *path = arena_printf(context->arena, "%s/%s", folder, walk->file);
    int code = machine_read(context->machine, path, NUMBER_CAP, &text);
    if (code == 0 && !parse_cgroup_limit(text.data, text.length, &limit))
        code = -EBADMSG;
    if (code < 0) {
        if (code != -ENOENT && code != -ENOTDIR)
            probe_note(context, probe_name, NULL, path, code, fills, NULL);
        return;
    }
    bool less =
        !limit.unlimited && (walk->least.unlimited || limit.soft.value < walk->least.soft.value);
    if (walk->path && !less)
        return;
    walk->least = limit;
    walk->path = path;
}

/* All groups around a group limit it too: from `path` up to the root, the smallest counts. */
static void walk_up(struct walk *walk, const char *root, char *path)
{
    struct arena *arena = walk->context->arena;
    for (int level = 0; level < LEVELS_MAX; level++) {
        bool at_root = strcmp(path, "/") == 0 || *path == '\0';
        look_at(walk, at_root ? root : arena_printf(arena, "%s%s", root, path));
        if (at_root)
            return;
        *strrchr(path, '/') = '\0';
    }
}

/* In a container whose own group is its root, the path that the process is told of may not be
 * there: then the root alone is what is seen. */
static void add_kind(struct probe_context *context, const struct kind *kind,
                     const struct bytes *groups)
{
    struct walk walk = {.context = context, .file = kind->file_v1};
    char *path = parse_cgroup_path(groups->data, groups->length, kind->controller, context->arena);
    if (path) {
        walk_up(&walk, arena_printf(context->arena, "/sys/fs/cgroup/%s", kind->controller), path);
    } else {
        path = parse_cgroup_path(groups->data, groups->length, NULL, context->arena);
        walk.file = kind->file_v2;
        if (path)
            walk_up(&walk, "/sys/fs/cgroup", path);
    }
    if (!walk.path)
        return;
    facts_add_resource_limit(context->facts, &(struct row_resource_limit){
                                                 .name = kind->name,
                                                 .soft = walk.least.soft,
                                                 .unlimited = known(walk.least.unlimited),
                                                 .path = walk.path,
                                             });
}

void add_cgroup_limits(struct probe_context *context)
{
    static const char path[] = "/proc/self/cgroup";
    CLEANUP_BYTES struct bytes groups = {0};
    int code = machine_read(context->machine, path, TEXT_CAP, &groups);
    probe_note(context, probe_name, NULL, path, code, fills, NULL);
    if (code < 0)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        add_kind(context, &kinds[i], &groups);
}
