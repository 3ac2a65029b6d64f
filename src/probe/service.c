/* System services that GPUs depend on. */
#include "probe/probe.h"

static const char *const names[] = {
    "nvidia-fabricmanager", "nvidia-persistenced", "nvidia-imex", "nvidia-powerd",
    "nvidia-dcgm",          "nvidia-mps",          "docker",      "containerd",
};

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
    return 0;
}

const struct probe probe_service = {
    .name = "service",
    .phase = PHASE_PASSIVE,
    .writes = "service",
    .run = run,
};
