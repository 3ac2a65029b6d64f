/* Environment variables out of an allow-list. */

#include "probe/env_allowed.h"
#include "probe/probe.h"

struct collect {
    struct probe_context *context;
    size_t count;
};

static void each(void *data, const char *name, const char *value)
{
    struct collect *collect = data;
    collect->count++;
    if (env_allowed(name))
        facts_add_env_var(collect->context->facts,
                          &(struct row_env_var){.name = name, .value = value});
}

static int run(struct probe_context *context)
{
    struct collect collect = {context, 0};
    machine_each_env(context->machine, each, &collect);
    bool image = machine_kind(context->machine) == MACHINE_IMAGE;
    const char *status = collect.count ? "ok" : image ? "skipped" : "absent";
    probe_note_status(context, "env_var", NULL, NULL, status, "env_var",
                      collect.count ? NULL : "no environment variables are on record");
    return 0;
}

const struct probe probe_env_var = {
    .name = "env_var",
    .phase = PHASE_PASSIVE,
    .writes = "env_var",
    .run = run,
};
