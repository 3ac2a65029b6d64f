/* The running system's environment, names and user, read once when the machine is opened. */
#include <limits.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "machine/internal.h"

extern char **environ;

static void fill_env(struct machine *machine)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    machine->env = arena_alloc(&machine->arena, (count ? count : 1) * sizeof *machine->env);
    for (size_t i = 0; i < count; i++) {
        const char *equal = strchr(environ[i], '=');
        if (!equal || equal == environ[i])
            continue;
        machine->env[machine->env_count++] = (struct env_var){
            .name = arena_strndup(&machine->arena, environ[i], (size_t)(equal - environ[i])),
            .value = arena_strdup(&machine->arena, equal + 1),
        };
    }
    machine->env_known = true;
}

static void fill_uname(struct machine *machine)
{
    struct utsname name;
    if (uname(&name) < 0)
        return;
    machine->uname = (struct machine_uname){
        .sysname = arena_strdup(&machine->arena, name.sysname),
        .release = arena_strdup(&machine->arena, name.release),
        .version = arena_strdup(&machine->arena, name.version),
        .machine = arena_strdup(&machine->arena, name.machine),
    };
}

void live_fill(struct machine *machine)
{
    char cwd[PATH_MAX];
    fill_env(machine);
    fill_uname(machine);
#ifdef __GLIBC__
    machine->glibc = arena_strdup(&machine->arena, gnu_get_libc_version());
#endif
    /* The kernel says "(unreachable)/..." for a folder outside of our root. */
    if (getcwd(cwd, sizeof cwd) && cwd[0] == '/')
        machine->cwd = arena_strdup(&machine->arena, cwd);
    user_fill_live(machine);
    home_fill(machine);
}
