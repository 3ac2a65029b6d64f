/* --env: an environment's folder, a Python or a script of one, a kernel.json, kernel:NAME. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "probe/environment_set.h"
#include "probe/launcher_kernel.h"

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

static bool take(struct environment_set *set, const char *path, const char *absolute)
{
    if (text_starts(path, "kernel:"))
        return take_kernel_name(set, path + strlen("kernel:"));
    return absolute && (environment_add_named(set, absolute, "--env") || take_file(set, absolute));
}

int environment_take_options(struct environment_set *set)
{
    const struct probe_options *options = set->context->options;
    for (size_t i = 0; options && i < options->environment_count; i++) {
        const char *path = options->environments[i];
        const char *absolute = program_absolute(set->context, path);
        if (take(set, path, absolute))
            continue;
        int r = absolute ? environment_obstacle(set, absolute) : -ENOENT;
        return error_set(set->context->error, -EINVAL, "--env %s: %s", path,
                         r == -ENOENT ? "no Python environment there" : strerror(-r));
    }
    return 0;
}
