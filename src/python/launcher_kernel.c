#include "python/launcher_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"

enum { KERNEL_JSON_MAX = 64 * 1024, FOLDERS_MAX = 32, LOOKS_MAX = 1024 };

bool kernel_read(struct probe_context *context, const char *path, struct kernel *ret)
{
    CLEANUP_BYTES struct bytes text = {0};
    int r = machine_read(context->machine, path, KERNEL_JSON_MAX, &text);
    *ret = (struct kernel){.path = path};
    if (r == -ENOENT || r == -ENOTDIR)
        return false;
    if (r == 0 && !kernel_json_parse(text.data, text.length, context->arena, &ret->json))
        r = -EBADMSG;
    if (r < 0) {
        probe_note(context, "launcher", NULL, path, r, "launcher", NULL);
        return false;
    }
    const char *folder = program_folder(context->arena, path);
    ret->name = folder ? strrchr(folder, '/') + 1 : NULL;
    return !ret->json.language || !strcasecmp(ret->json.language, "python");
}

static bool has_kernel(const struct kernel_list *list, const char *name, const char *home)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name) && text_equal(list->items[i].home, home))
            return true;
    return false;
}

static void add_folder(struct probe_context *context, struct reach *reach, const char *folder,
                       const char *home, struct kernel_list *list)
{
    struct dir_list names;
    if (reach_is_out(reach, folder))
        return;
    int r = machine_list(context->machine, folder, KERNELS_MAX, context->arena, &names);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "launcher", NULL, folder, r, "launcher", NULL);
    if (r == 0 && names.cut)
        list->is_cut = true;
    for (size_t i = 0; r == 0 && i < names.count; i++) {
        const char *path =
            arena_printf(context->arena, "%s/%s/kernel.json", folder, names.names[i]);
        struct kernel kernel;
        if (list->count == KERNELS_MAX || list->looks == LOOKS_MAX) {
            list->is_cut = true;
            return;
        }
        if (has_kernel(list, names.names[i], home))
            continue;
        list->looks++;
        if (!kernel_read(context, path, &kernel))
            continue;
        kernel.home = home;
        list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
        list->items[list->count++] = kernel;
    }
}

/* "$NAME/rest" or "~/rest"; NULL where that is not known. */
static const char *expand(struct probe_context *context, const char *path)
{
    const char *rest = path + strcspn(path, "/"), *start;
    if (path[0] == '/')
        return path;
    start = path[0] == '~'
                ? machine_home(context->machine)
                : machine_getenv(context->machine, arena_strndup(context->arena, path + 1,
                                                                 (size_t)(rest - path - 1)));
    return start && start[0] == '/' ? arena_printf(context->arena, "%s%s", start, rest) : NULL;
}

/* JUPYTER_PATH: folders with kernels/ in them. */
static void add_path(struct probe_context *context, struct reach *reach, struct kernel_list *list)
{
    const char *path = machine_getenv(context->machine, "JUPYTER_PATH");
    for (int i = 0; path && *path && i < FOLDERS_MAX; i++) {
        size_t length = strcspn(path, ":");
        if (path[0] == '/')
            add_folder(context, reach,
                       arena_printf(context->arena, "%.*s/kernels", (int)length, path), NULL, list);
        path += length + (path[length] == ':');
    }
}

void kernels_find(struct probe_context *context, struct reach *reach, struct kernel_list *ret)
{
    /* jupyter_core: jupyter_path() */
    static const char *const folders[] = {
        "$JUPYTER_DATA_DIR/kernels",      "$XDG_DATA_HOME/jupyter/kernels",
        "~/.local/share/jupyter/kernels", "/usr/local/share/jupyter/kernels",
        "/usr/share/jupyter/kernels",
    };
    *ret = (struct kernel_list){0};
    add_path(context, reach, ret);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *folder = expand(context, folders[i]);
        if (folder)
            add_folder(context, reach, folder, NULL, ret);
    }
}

void kernels_add_prefix(struct probe_context *context, struct reach *reach, const char *prefix,
                        struct kernel_list *list)
{
    /* those of /usr, /usr/local and the user's folder are not of one environment: kernels_find() */
    const char *home = machine_home(context->machine);
    bool is_users = home && text_starts(prefix, home) && !strcmp(prefix + strlen(home), "/.local");
    if (strcmp(prefix, "/usr") != 0 && strcmp(prefix, "/usr/local") != 0 && !is_users)
        add_folder(context, reach, arena_printf(context->arena, "%s/share/jupyter/kernels", prefix),
                   prefix, list);
}

void kernels_done(struct kernel_list *list)
{
    free(list->items);
    *list = (struct kernel_list){0};
}

/* PREFIX/bin/python or python3, whichever is there. */
static bool take_prefix(struct probe_context *context, const char *prefix, struct program *ret)
{
    static const char *const names[] = {"python", "python3"};
    for (size_t i = 0; i < 2; i++)
        if (program_resolve(context, arena_printf(context->arena, "%s/bin/%s", prefix, names[i]),
                            ret) &&
            ret->is_present)
            break;
    return ret->interpreter != NULL;
}

bool kernel_program(struct probe_context *context, struct reach *reach, const struct kernel *kernel,
                    struct program *ret)
{
    const char *target = kernel->json.target;
    size_t at = 0;
    bool found = false;
    *ret = (struct program){.via = "argv"};
    if (reach && target && target[0] == '/' && reach_is_out(reach, target)) {
        ret->interpreter = kernel->json.start == KERNEL_PYTHON ? target : NULL;
        return false;
    }
    switch (kernel->json.start) {
    case KERNEL_PYTHON:
        found = program_resolve(context, target, ret);
        break;
    case KERNEL_PYTHON_LOOKUP:
        target = program_next(context, target, &at);
        found = target && program_resolve(context, target, ret);
        break;
    case KERNEL_ENV_PREFIX:
        found = target && target[0] == '/' && take_prefix(context, target, ret);
        break;
    case KERNEL_PYTHON_NAME: /* Jupyter puts its own Python here: most likely the one beside it */
        found = kernel->home && take_prefix(context, kernel->home, ret);
        break;
    case KERNEL_ENV_NAME:
    case KERNEL_UNKNOWN:
        break;
    }
    ret->via = "argv";
    return found;
}
