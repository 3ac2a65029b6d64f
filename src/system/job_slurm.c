#include "system/job_slurm.h"

#include <errno.h>

#include "parse/slurm_conf.h"

enum { CONF_CAP = 1024 * 1024 };

/* Sites that give their nodes no files have slurmd fetch them. */
static const char *const folders[] = {"/etc/slurm", "/etc/slurm-llnl", "/run/slurm/conf",
                                      "/var/spool/slurmd/conf-cache"};

/* The file of that name in the first folder that has it; false where none has, or where it cannot
 * be read, which is noted. */
static bool read_conf(struct probe_context *context, const char *name, struct bytes *ret)
{
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *path = arena_printf(context->arena, "%s/%s", folders[i], name);
        int code = machine_read(context->machine, path, CONF_CAP, ret);
        if (code == -ENOENT || code == -ENOTDIR)
            continue;
        probe_note(context, "job", NULL, path, code, NULL, NULL);
        return code == 0;
    }
    return false;
}

/* Devices are confined where the plug-in for control groups is in use and told to do so; both are
 * off unless a file says otherwise. */
void slurm_read(struct probe_context *context, struct slurm_files *ret)
{
    CLEANUP_BYTES struct bytes slurm = {0}, gres = {0}, cgroup = {0};
    struct span value;
    *ret = (struct slurm_files){0};
    bool has_slurm = read_conf(context, "slurm.conf", &slurm);
    if (read_conf(context, "gres.conf", &gres))
        ret->gres_gpus = parse_gres_gpus(gres.data, gres.length);
    if (has_slurm && !(parse_slurm_value(slurm.data, slurm.length, "TaskPlugin", &value) &&
                       (slurm_list_has(value, "task/cgroup") || slurm_list_has(value, "cgroup")))) {
        ret->confines_devices = known(0);
        return;
    }
    if (!read_conf(context, "cgroup.conf", &cgroup))
        return;
    bool yes = parse_slurm_value(cgroup.data, cgroup.length, "ConstrainDevices", &value) &&
               slurm_is(value, "yes");
    if (!yes)
        ret->confines_devices = known(0);
    else if (has_slurm)
        ret->confines_devices = known(1);
}
