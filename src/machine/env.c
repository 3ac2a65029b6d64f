/* What is no file and does not change: environment, names of the system, the user. */
#include <string.h>

#include "machine/internal.h"

const char *machine_getenv(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->env_count; i++)
        if (strcmp(machine->env[i].name, name) == 0)
            return machine->env[i].value;
    return NULL;
}

bool machine_env_known(const struct machine *machine)
{
    return machine->env_known;
}

void machine_each_env(const struct machine *machine,
                      void (*each)(void *context, const char *name, const char *value),
                      void *context)
{
    for (size_t i = 0; i < machine->env_count; i++)
        each(context, machine->env[i].name, machine->env[i].value);
}

void machine_uname(const struct machine *machine, struct machine_uname *ret)
{
    *ret = machine->uname;
}

const char *machine_glibc(const struct machine *machine)
{
    return machine->glibc;
}

const char *machine_cwd(const struct machine *machine)
{
    return machine->cwd;
}

void machine_user(const struct machine *machine, struct machine_user *ret)
{
    *ret = machine->user;
}

const char *machine_home(const struct machine *machine)
{
    return machine->home;
}
