/* --env: an environment's folder or one in it, a project with a .venv, a Python or a script of an
 * environment, a kernel.json or its folder, kernel:NAME. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "python/environment_set.h"
#include "python/launcher_kernel.h"

static bool take_kernel(struct environment_set *set, const struct kernel *kernel)
{
    struct program program;
    return kernel_program(set->context, NULL, kernel, &program) && program.prefix &&
           environment_add(set, program.prefix, "--env", true);
}

static bool take_kernel_name(struct environment_set *set, const char *name)
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    struct kernel_list kernels;
    bool taken = false;
    kernels_find(set->context, &set->reach, &kernels);
    for (size_t i = 0; i < 2; i++) {
        const char *prefix = machine_getenv(set->context->machine, variables[i]);
        if (prefix && prefix[0] == '/')
            kernels_add_prefix(set->context, &set->reach, prefix, &kernels);
    }
    for (size_t i = 0; i < kernels.count && !taken; i++)
        taken = !strcmp(kernels.items[i].name, name) && take_kernel(set, &kernels.items[i]);
    kernels_done(&kernels);
    return taken;
}

static bool take_file(struct environment_set *set, const char *path)
{
    struct file_stat st;
    struct program program;
    struct kernel kernel;
    if (machine_stat(set->context->machine, path, &st) < 0 || st.type != FILE_REGULAR)
        return false;
    if (text_ends(path, ".json"))
        return kernel_read(set->context, path, &kernel) && take_kernel(set, &kernel);
    return program_resolve(set->context, path, &program) && program.prefix &&
           environment_add(set, program.prefix, "--env", true);
}

/* The site-packages folder or the pyvenv.cfg of an environment stands for the whole. */
static bool take_inner(struct environment_set *set, const char *path)
{
    struct arena *arena = set->context->arena;
    const char *lib = strstr(path, "/lib/python3"), *cfg = strstr(path, "/pyvenv.cfg");
    const char *end = lib && text_ends(path, "/site-packages") ? lib
                      : cfg && !cfg[strlen("/pyvenv.cfg")]     ? cfg
                                                               : NULL;
    char *prefix = end ? arena_strndup(arena, path, (size_t)(end - path)) : NULL;
    return prefix && environment_is_marked(set, prefix) &&
           environment_add_named(set, prefix, "--env");
}

/* A project whose environment lies in it, the folder of a kernel. */
static bool take_child(struct environment_set *set, const char *path)
{
    struct arena *arena = set->context->arena;
    return environment_add_named(set, arena_printf(arena, "%s/.venv", path), "--env") ||
           take_file(set, arena_printf(arena, "%s/kernel.json", path));
}

static bool take(struct environment_set *set, const char *path, const char *absolute)
{
    if (text_starts(path, "kernel:"))
        return take_kernel_name(set, path + strlen("kernel:"));
    return absolute &&
           (take_inner(set, absolute) || environment_add_named(set, absolute, "--env") ||
            take_file(set, absolute) || take_child(set, absolute));
}

static int refuse(struct environment_set *set, const char *path, const char *absolute)
{
    struct error *error = set->context->error;
    bool is_kernel = text_starts(path, "kernel:");
    int r = absolute && !is_kernel ? environment_obstacle(set, absolute) : -ENOENT;
    if (r != -ENOENT)
        return error_set(error, -EINVAL, "--env %s: %s", path, strerror(-r));
    if (is_kernel)
        return error_set(error, -EINVAL,
                         "--env %s: no Jupyter kernel of that name with a Python that is there; "
                         "gpudoctor facts launcher lists kernels",
                         path);
    return error_set(error, -EINVAL, "--env %s: no Python environment there%s", path,
                     machine_kind(set->context->machine) == MACHINE_LIVE ? "" : " inside the root");
}

int environment_take_options(struct environment_set *set)
{
    const struct probe_options *options = set->context->options;
    for (size_t i = 0; options && i < options->environment_count; i++) {
        const char *path = options->environments[i];
        const char *absolute = program_absolute(set->context, path);
        if (take(set, path, absolute))
            continue;
        return refuse(set, path, absolute);
    }
    return 0;
}
