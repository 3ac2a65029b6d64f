/* The batch system or launcher: a shell on a login node has no GPU, and a job sees those that it
 * was given. Whether this is a job is told by the environment variables that the system sets; that
 * it is installed here, by its files. No variable with a name of a host, user or account is read.
 */
#include <errno.h>
#include <string.h>

#include "parse/slurm_conf.h"
#include "probe/look.h"
#include "system/job_slurm.h"

enum { NAMES_MAX = 4, DEVICES_MAX = 256 };

struct scheduler {
    const char *name;
    const char *in_job[NAMES_MAX]; /* all of them are set in a job */
    const char *gpus[NAMES_MAX];   /* lists of its GPUs, the most exact first */
    const char *count;             /* number of its GPUs */
    const char *files[NAMES_MAX];  /* one of them shows that it is installed */
    const char *installed;         /* or this variable of its set-up script */
};

static const struct scheduler schedulers[] = {
    {"slurm",
     {"SLURM_JOB_ID"},
     {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "GPU_DEVICE_ORDINAL"},
     "SLURM_GPUS_ON_NODE",
     {"/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/run/slurm/conf/slurm.conf",
      "/usr/bin/sinfo"},
     NULL},
    {"kubernetes",
     {"KUBERNETES_SERVICE_HOST"},
     {"NVIDIA_VISIBLE_DEVICES"},
     NULL,
     {"/var/lib/kubelet/config.yaml", "/etc/kubernetes/kubelet.conf", "/etc/rancher/k3s/k3s.yaml"},
     NULL},
    {"pbs",
     {"PBS_ENVIRONMENT"},
     {"CUDA_VISIBLE_DEVICES"},
     NULL,
     {"/etc/pbs.conf", "/var/spool/torque/server_name"},
     NULL},
    {"lsf", {"LSB_JOBID"}, {"CUDA_VISIBLE_DEVICES"}, NULL, {"/etc/lsf.conf"}, "LSF_ENVDIR"},
    {"sge", {"SGE_TASK_ID"}, {"SGE_HGR_gpu", "SGE_GPU"}, NULL, {NULL}, "SGE_ROOT"},
    {"flux",
     {"FLUX_JOB_ID"},
     {"CUDA_VISIBLE_DEVICES"},
     NULL,
     {"/etc/flux/system/conf.d", "/etc/flux/system/R"},
     NULL},
    {"ray", {"RAY_JOB_ID"}, {"CUDA_VISIBLE_DEVICES"}, NULL, {NULL}, NULL},
    {"torchrun", {"RANK", "LOCAL_RANK", "WORLD_SIZE"}, {NULL}, NULL, {NULL}, NULL},
};

static bool is_in_job(const struct machine *machine, const struct scheduler *scheduler)
{
    for (size_t i = 0; i < NAMES_MAX && scheduler->in_job[i]; i++)
        if (!machine_getenv(machine, scheduler->in_job[i]))
            return false;
    return true;
}

/* A file or variable that shows the system; NULL where none does. */
static const char *installed_at(const struct machine *machine, const struct scheduler *scheduler,
                                bool *ret_variable)
{
    *ret_variable = false;
    for (size_t i = 0; i < NAMES_MAX && scheduler->files[i]; i++)
        if (machine_exists(machine, scheduler->files[i]))
            return scheduler->files[i];
    *ret_variable = scheduler->installed && machine_getenv(machine, scheduler->installed);
    return NULL;
}

/* Devices that Kubernetes' plug-in hands over as mounts have the names of the GPUs. */
static void read_device_mounts(struct probe_context *context, struct row_job *row)
{
    static const char folder[] = "/var/run/nvidia-container-devices";
    struct dir_list list;
    CLEANUP_TEXT struct text names = {0};
    if (machine_list(context->machine, folder, DEVICES_MAX, context->arena, &list) < 0 ||
        list.count == 0)
        return;
    for (size_t i = 0; i < list.count; i++)
        text_printf(&names, "%s%s", i ? "," : "", list.names[i]);
    row->gpus = arena_strdup(context->arena, text_get(&names));
    row->gpus_from = folder;
    row->gpu_count = list.cut ? UNKNOWN : known((int64_t)list.count);
}

static void read_gpus(struct probe_context *context, const struct scheduler *scheduler,
                      struct row_job *row)
{
    const struct machine *machine = context->machine;
    for (size_t i = 0; i < NAMES_MAX && scheduler->gpus[i] && !row->gpus; i++) {
        row->gpus = machine_getenv(machine, scheduler->gpus[i]);
        row->gpus_from = row->gpus ? scheduler->gpus[i] : NULL;
    }
    const char *count = scheduler->count ? machine_getenv(machine, scheduler->count) : NULL;
    if (row->gpus)
        row->gpu_count = parse_gpu_list_count(row->gpus);
    /* what an image sets, or a container with other ways to its GPUs, is no list */
    if (row->gpus && strcmp(scheduler->name, "kubernetes") == 0 && !*row->gpus)
        row->gpu_count = UNKNOWN;
    if (count && parse_gpu_count(count).known)
        row->gpu_count = parse_gpu_count(count);
    if (!row->gpus && count) {
        row->gpus = count;
        row->gpus_from = scheduler->count;
    }
    if (strcmp(scheduler->name, "kubernetes") == 0 && !row->gpu_count.known)
        read_device_mounts(context, row);
}

/* Where the cluster hands out GPUs and this job has no word of any, it has none. */
static void add_slurm(struct probe_context *context, struct row_job *row)
{
    struct slurm_files files;
    slurm_read(context, &files);
    row->confines_devices = files.confines_devices;
    if (row->in_job.known && row->in_job.value && !row->gpus && files.gres_gpus)
        row->gpu_count = known(0);
}

static bool add_scheduler(struct probe_context *context, const struct scheduler *scheduler)
{
    const struct machine *machine = context->machine;
    bool by_variable, inside = is_in_job(machine, scheduler);
    struct row_job row = {.scheduler = scheduler->name};
    row.path = installed_at(machine, scheduler, &by_variable);
    if (!inside && !row.path && !by_variable)
        return false;
    if (machine_env_known(machine))
        row.in_job = known(inside);
    if (inside)
        read_gpus(context, scheduler, &row);
    if (strcmp(scheduler->name, "slurm") == 0)
        add_slurm(context, &row);
    facts_add_job(context->facts, &row);
    return true;
}

static int run(struct probe_context *context)
{
    bool any = false;
    for (size_t i = 0; i < sizeof schedulers / sizeof schedulers[0]; i++)
        any = add_scheduler(context, &schedulers[i]) || any;
    probe_note_status(context, "job", NULL, NULL, any ? "ok" : "absent", "job", NULL);
    return 0;
}

const struct probe probe_job = {
    .name = "job",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "job",
    .run = run,
};
