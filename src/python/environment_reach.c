#include "python/environment_reach.h"

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
