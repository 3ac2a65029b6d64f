/* File systems of other machines: discovery does not go there, for each look may take as long as
 * the server likes, and a dead one never answers. */
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "python/environment_reach.h"

enum { MOUNTS_CAP = 4 * 1024 * 1024, LINKS_MAX = 40 };

void reach_read(struct probe_context *context, struct reach *reach)
{
    *reach = (struct reach){.context = context};
    CLEANUP_BYTES struct bytes text = {0};
    static const char path[] = "/proc/self/mountinfo";
    int r = machine_read(context->machine, path, MOUNTS_CAP, &text);
    if (r == 0)
        mount_points_parse(text.data, text.length, context->arena, &reach->mounts);
    if (machine_kind(context->machine) != MACHINE_LIVE || (r == 0 && !reach->mounts.is_cut))
        return;
    probe_note(context, "environment", NULL, path, r, "",
               "which folders lie on other machines is not known");
}

/* The root is looked at in any case: without it nothing runs. */
static enum mount_reach kind_at(const struct reach *reach, const char *path)
{
    const struct mount_point *point = mount_points_find(&reach->mounts, path);
    return point && point->path[1] ? point->reach : MOUNT_LOCAL;
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
    if (!reach->mounts.has_remote || machine_kind(reach->context->machine) != MACHINE_LIVE)
        return false;
    enum mount_reach kind = kind_of(reach, path);
    bool asked = reach->context->options && reach->context->options->all_environments;
    if (kind == MOUNT_LOCAL || (kind != MOUNT_AUTOMOUNT && asked))
        return false;
    reach->remote = reach->remote ? reach->remote : arena_strdup(reach->context->arena, path);
    return true;
}

void reach_note(struct reach *reach)
{
    if (reach->remote)
        probe_note_status(reach->context, "environment", NULL, reach->remote, "skipped", "",
                          "this place lies on another machine, as others may: not searched for "
                          "environments unless --env names one or --all-envs asks for all");
}

const char *reach_fs_type(const struct reach *reach, const char *prefix)
{
    const struct mount_point *point = mount_points_find(&reach->mounts, prefix);
    if (!point || point->reach == MOUNT_UNKNOWN)
        return NULL;
    return point->reach == MOUNT_LOCAL ? "local" : "network";
}

static bool is_in_group(const struct machine_user *user, uint32_t gid)
{
    for (size_t i = 0; i < user->gid_count; i++)
        if (user->gids[i] == gid)
            return true;
    return false;
}

/* By owner and mode alone: an access list may allow more, a server less. */
struct opt reach_is_writable(const struct reach *reach, const char *folder)
{
    const struct machine *machine = reach->context->machine;
    const struct mount_point *point = mount_points_find(&reach->mounts, folder);
    struct machine_user user;
    struct file_stat st;
    if (point && point->is_readonly)
        return known(0);
    machine_user(machine, &user);
    if (machine_kind(machine) != MACHINE_LIVE || !user.known ||
        machine_stat(machine, folder, &st) < 0)
        return UNKNOWN;
    if (user.uid == 0)
        return point && point->reach != MOUNT_LOCAL ? UNKNOWN : known(1); /* root_squash */
    uint32_t bits = st.uid == user.uid           ? st.mode >> 6
                    : is_in_group(&user, st.gid) ? st.mode >> 3
                                                 : st.mode;
    return known((bits & 2) && (bits & 1));
}

void reach_done(struct reach *reach)
{
    mount_points_done(&reach->mounts);
}
