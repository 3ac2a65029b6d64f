/* System services that GPUs depend on. */
#include <errno.h>

#include "probe/probe.h"

static const char *const names[] = {
    "nvidia-fabricmanager",
    "nvidia-persistenced",
    "nvidia-imex",
    "nvidia-powerd",
    "nvidia-dcgm",
    "dcgm", /* DCGM before 2 */
    "nv-hostengine",
    "nvidia-mps",
    "nvidia-gridd", /* guests of a vGPU host get their licence through it */
    "nvidia-vgpud", /* vGPU hosts, with the next one */
    "nvidia-vgpu-mgr",
    "nvidia-cdi-refresh",
    "docker",
    "containerd",
    "crio",
    "podman",
    "kubelet",
    "k3s",
    "k3s-agent",
    "slurmd",
};

/* Licensing of a vGPU guest is set up here; its values (a server, a token's folder) are left alone.
 * Only its presence is noted: most machines have none. */
static void look_for_licence(struct probe_context *context)
{
    static const char path[] = "/etc/nvidia/gridd.conf";
    struct file_stat st;
    int code = machine_stat(context->machine, path, &st);
    if (code == 0)
        probe_note(context, "service", NULL, path, 0, NULL, "vGPU licensing is configured");
    else if (code == -EACCES || code == -EPERM)
        probe_note(context, "service", NULL, path, code, NULL, NULL);
}

static int run(struct probe_context *context)
{
    struct machine_services services = {0};
    int code = machine_services(context->machine, names, sizeof names / sizeof names[0],
                                context->arena, &services);
    probe_note(context, "service", NULL, NULL, code, "service", NULL);
    for (size_t i = 0; code == 0 && i < services.count; i++) {
        const struct machine_service *s = &services.items[i];
        facts_add_service(
            context->facts,
            &(struct row_service){.name = s->name, .state = s->state, .source = s->source});
    }
    look_for_licence(context);
    return 0;
}

const struct probe probe_service = {
    .name = "service",
    .phase = PHASE_PASSIVE,
    .writes = "service",
    .run = run,
};
