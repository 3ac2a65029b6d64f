#include "probe/reach.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum { MOUNTS_CAP = 4 * 1024 * 1024, LINKS_MAX = 40 };

void reach_read(struct probe_context *context, const char *name, struct reach *reach)
{
    *reach = (struct reach){.context = context};
    CLEANUP_BYTES struct bytes text = {0};
    static const char path[] = "/proc/self/mountinfo";
    int r = machine_read(context->machine, path, MOUNTS_CAP, &text);
    if (r == 0)
        mount_points_parse(text.data, text.length, context->arena, &reach->mounts);
    if (name && machine_kind(context->machine) == MACHINE_LIVE && (r < 0 || reach->mounts.is_cut))
        probe_note(context, name, NULL, path, r, "",
                   "which folders lie on other machines is not known");
}

/* Whether any place of this machine has to be left alone. */
static bool may_be_out(const struct reach *reach)
{
    return reach->mounts.has_remote && machine_kind(reach->context->machine) == MACHINE_LIVE;
}

static bool holds(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return length <= 1 ||
           (!strncmp(folder, path, length) && (!path[length] || path[length] == '/'));
}

/* On the way to a place that was looked at, below it, or beside it on a file system that answered;
 * beside it an automounter would fetch others. */
static bool was_visited(const struct reach *reach, const struct mount_point *point,
                        const char *path)
{
    for (size_t i = 0; i < reach->visit_count; i++) {
        const struct reach_visit *visit = &reach->visits[i];
        if (holds(path, visit->path) || holds(visit->path, path) ||
            (visit->point == point && point->reach != MOUNT_AUTOMOUNT))
            return true;
    }
    return false;
}

void reach_visited(struct reach *reach, const char *path)
{
    char *real;
    struct probe_context *context = reach->context;
    if (!path || !may_be_out(reach))
        return;
    if (machine_realpath(context->machine, path, context->arena, &real) < 0)
        real = arena_strdup(context->arena, path); /* whoever looks is told that it is not there */
    reach->visits =
        xgrow(reach->visits, &reach->visit_capacity, reach->visit_count + 1, sizeof *reach->visits);
    reach->visits[reach->visit_count++] =
        (struct reach_visit){real, mount_points_find(&reach->mounts, real)};
}

/* The root is looked at in any case: without it nothing runs. */
static enum mount_reach kind_at(const struct reach *reach, const char *path)
{
    const struct mount_point *point = mount_points_find(&reach->mounts, path);
    if (!point || !point->path[1] || point->reach == MOUNT_LOCAL || was_visited(reach, point, path))
        return MOUNT_LOCAL;
    return point->reach;
}

/* Appends the next part of *rest to `path`; false at the end. */
static bool next_part(const char **rest, char *path, size_t size)
{
    while (**rest == '/')
        (*rest)++;
    size_t length = strcspn(*rest, "/"), before = strlen(path);
    if (!length || before + length + 2 > size)
        return false;
    if (length == 2 && !strncmp(*rest, "..", 2)) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    } else if (length != 1 || **rest != '.') {
        path[before] = '/';
        memcpy(path + before + 1, *rest, length);
        path[before + 1 + length] = '\0';
    }
    *rest += length;
    return true;
}

/* Resolves the path a part at a time and asks of each mount before it is entered. */
static enum mount_reach kind_of(const struct reach *reach, const char *path)
{
    struct probe_context *context = reach->context;
    char at[PATH_MAX] = "", before[PATH_MAX];
    const char *rest = path;
    for (int links = 0; links < LINKS_MAX;) {
        memcpy(before, at, sizeof at);
        if (!next_part(&rest, at, sizeof at))
            return MOUNT_LOCAL;
        enum mount_reach kind = at[0] ? kind_at(reach, at) : MOUNT_LOCAL;
        if (kind != MOUNT_LOCAL)
            return kind;
        char *target;
        if (!at[0] || machine_readlink(context->machine, at, context->arena, &target) < 0)
            continue;
        links++;
        rest = arena_printf(context->arena, "%s/%s", target, rest);
        memcpy(at, before, sizeof at);
        if (target[0] == '/')
            at[0] = '\0';
    }
    return MOUNT_LOCAL; /* a circle of links: nothing lies there */
}

bool reach_is_out(struct reach *reach, const char *path)
{
    if (!may_be_out(reach))
        return false;
    enum mount_reach kind = kind_of(reach, path);
    bool asked = reach->context->options && reach->context->options->all_environments;
    if (kind == MOUNT_LOCAL || (kind != MOUNT_AUTOMOUNT && asked))
        return false;
    reach->remote = reach->remote ? reach->remote : arena_strdup(reach->context->arena, path);
    return true;
}

void reach_note(struct reach *reach, const char *name, const char *fills, const char *detail)
{
    if (reach->remote)
        probe_note_status(reach->context, name, NULL, reach->remote, "skipped", fills, detail);
}

void reach_done(struct reach *reach)
{
    mount_points_done(&reach->mounts);
    free(reach->visits);
    reach->visits = NULL;
    reach->visit_count = reach->visit_capacity = 0;
}
