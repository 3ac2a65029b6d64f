/* The environment that is in use: by variables, by the interpreter on PATH, by ./.venv. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "python/environment_set.h"
#include "python/launcher_program.h"

enum { LEVELS_MAX = 16 };

/* The environment of the first program `name` on PATH. */
static struct environment *find_program(struct environment_set *set, const char *name)
{
    struct program program;
    const char *path;
    size_t at = 0;
    while ((path = program_next(set->context, name, &at))) {
        if (!program_resolve(set->context, path, &program) || !program.prefix)
            continue; /* a shim for the system's Python, or a lone program */
        struct environment *found = environment_add(set, program.prefix, "PATH", true);
        if (found)
            return found;
    }
    return NULL;
}

static struct environment *find_variable(struct environment_set *set, const char *name)
{
    const char *path = machine_getenv(set->context->machine, name);
    if (!path || !*path)
        return NULL;
    const char *absolute = program_absolute(set->context, path);
    struct environment *found = absolute ? environment_add(set, absolute, name, true) : NULL;
    int r = found || !absolute ? -ENOENT : environment_obstacle(set, absolute);
    if (!found)
        probe_note(set->context, "environment", NULL, path, r, r == -ENOENT ? "" : "environment",
                   arena_printf(set->context->arena, "%s names no Python environment%s", name,
                                r == -ENOENT ? "" : " that can be read"));
    return found;
}

/* Pythons that are no venv also search the user's own folder, and Debian's /usr searches
 * /usr/local: packages there are what the active environment sees. */
static void add_searched(struct environment_set *set, const char *prefix, const char *kind)
{
    struct probe_context *context = set->context;
    const char *home = machine_home(context->machine);
    const char *off = machine_getenv(context->machine, "PYTHONNOUSERSITE");
    if (text_equal(kind, "system") && text_equal(prefix, "/usr"))
        environment_add(set, "/usr/local", "known place", true);
    if (!text_equal(kind, "venv") && home && !(off && *off))
        environment_add(set, arena_printf(context->arena, "%s/.local", home), "known place", true);
}

/* The environment of the project that the user stands in: uv run and IDEs take it without it being
 * activated. */
static bool add_project(struct environment_set *set, const char *name)
{
    bool is_variable = name[0] != '.';
    const char *path = is_variable ? machine_getenv(set->context->machine, name) : name;
    const char *absolute = path && *path ? program_absolute(set->context, path) : NULL;
    return absolute && environment_add(set, absolute, name, true);
}

/* The same from a folder inside the project: uv and poetry look upwards. Ends at the first one, at
 * the home folder, and where another machine begins. */
static void add_project_above(struct environment_set *set)
{
    const struct machine *machine = set->context->machine;
    const char *cwd = machine_cwd(machine), *home = machine_home(machine);
    if (!cwd || cwd[0] != '/')
        return;
    char *folder = arena_strdup(set->context->arena, cwd);
    for (int i = 0; i < LEVELS_MAX && folder[1] && !text_equal(folder, home); i++) {
        char *slash = strrchr(folder, '/');
        slash[slash == folder] = '\0'; /* the root keeps its own */
        const char *path = arena_printf(set->context->arena, "%s/.venv", folder[1] ? folder : "");
        if (reach_is_out(&set->reach, path))
            return;
        if (machine_exists(machine, path) && environment_add(set, path, ".venv", true))
            return;
    }
}

void environment_find_active(struct environment_set *set)
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    static const char *const programs[] = {"python", "python3"};
    const char *active = NULL, *kind = NULL, *by_variable = NULL;
    for (size_t i = 0; i < 2; i++) {
        struct environment *found = find_variable(set, variables[i]);
        if (found && !by_variable)
            by_variable = found->prefix;
    }
    for (size_t i = 0; i < 2; i++) {
        struct environment *found = find_program(set, programs[i]);
        if (found && !active)
            active = found->prefix;
    }
    active = active ? active : by_variable;
    for (size_t i = 0; active && i < set->count; i++)
        if (strcmp(set->items[i].prefix, active) == 0) {
            set->items[i].is_active = true;
            kind = set->items[i].kind;
        }
    if (kind)
        add_searched(set, active, kind);
    add_project(set, "UV_PROJECT_ENVIRONMENT");
    if (!add_project(set, ".venv"))
        add_project_above(set);
}
