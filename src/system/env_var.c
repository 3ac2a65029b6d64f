/* Environment variables out of an allow-list. */
#include "parse/address.h"
#include "probe/probe.h"
#include "system/env_allowed.h"

static void each(void *data, const char *name, const char *value)
{
    struct probe_context *context = data;
    struct arena arena = {0};
    /* no variable of the list should hold an address with a password; any may */
    if (env_allowed(name))
        facts_add_env_var(context->facts, &(struct row_env_var){
                                              .name = name, .value = address_scrub(value, &arena)});
    arena_done(&arena);
}

static int run(struct probe_context *context)
{
    bool is_known = machine_env_known(context->machine);
    machine_each_env(context->machine, each, context);
    probe_note_status(context, "env_var", NULL, NULL, is_known ? "ok" : "skipped", "env_var",
                      is_known ? NULL : "no environment variables are on record");
    return 0;
}

const struct probe probe_env_var = {
    .name = "env_var",
    .phase = PHASE_PASSIVE,
    .writes = "env_var",
    .run = run,
};
