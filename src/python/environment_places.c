/* Looks at the folders where environments usually are. They are only listed: reading all of a busy
 * machine's environments would take longer than the user waits. Nothing is walked. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "python/condarc.h"
#include "python/environment_set.h"
#include "python/launcher_kernel.h"

enum { CHILDREN_MAX = 256, LIST_MAX = 64 * 1024, FOLDERS_MAX = 32, LEVELS = 3, BUDGET_MS = 2000 };

static void add(struct environment_set *set, const char *path, const char *found_by)
{
    if (!reach_is_out(&set->reach, path))
        environment_add(set, path, found_by, false);
}

/* A folder without the marks of an environment would cost a search for its packages. */
static void add_child(struct environment_set *set, const char *child)
{
    if (reach_is_out(&set->reach, child))
        return;
    if (environment_is_marked(set, child) ||
        machine_exists(set->context->machine,
                       arena_printf(set->context->arena, "%s/bin/python3", child)))
        environment_add(set, child, "known place", false);
}

/* Folders `levels` below; `*left` is how many more may be looked at. */
static void add_children(struct environment_set *set, const char *path, int levels, int *left)
{
    struct probe_context *context = set->context;
    struct dir_list names;
    if (reach_is_out(&set->reach, path))
        return;
    int r = machine_list(context->machine, path, CHILDREN_MAX, context->arena, &names);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "environment", NULL, path, r, "environment", NULL);
    for (size_t i = 0; r == 0 && *left > 0 && i < names.count; i++) {
        const char *child = arena_printf(context->arena, "%s/%s", path, names.names[i]);
        (*left)--;
        if (levels > 1)
            add_children(set, child, levels - 1, left);
        else
            add_child(set, child);
    }
    if (r == 0 && (names.cut || *left == 0))
        probe_note_status(context, "environment", NULL, path, "malformed", "environment",
                          "more folders than are looked at");
}

static void add_folder(struct environment_set *set, const char *path, int levels)
{
    int left = levels * CHILDREN_MAX + 1;
    add_children(set, path, levels, &left);
}

static void add_root(struct environment_set *set, const char *path)
{
    if (reach_is_out(&set->reach, path) || !machine_exists(set->context->machine, path))
        return;
    if (environment_is_marked(set, path))
        add(set, path, "known place");
    add_folder(set, arena_printf(set->context->arena, "%s/envs", path), 1);
}

static void add_glob(struct environment_set *set, const char *path)
{
    struct arena *arena = set->context->arena;
    const char *leaf = strrchr(path, '/') + 1;
    char *folder = arena_strndup(arena, path, (size_t)(leaf - path - 1));
    struct dir_list names;
    if (reach_is_out(&set->reach, folder) ||
        machine_list(set->context->machine, folder, CHILDREN_MAX, arena, &names) != 0)
        return;
    for (size_t i = 0; i < names.count; i++)
        if (text_starts(names.names[i], leaf))
            add_root(set, arena_printf(arena, "%s/%s", folder, names.names[i]));
}

/* "/a:/b" of CONDA_ENVS_PATH; "~" as conda expands it. */
static void add_list(struct environment_set *set, const char *list)
{
    struct arena *arena = set->context->arena;
    for (int i = 0; *list && i < FOLDERS_MAX; i++) {
        size_t length = strcspn(list, ":");
        const char *path = environment_expand(set, arena_strndup(arena, list, length));
        if (path)
            add_folder(set, path, 1);
        list += length + (list[length] == ':');
    }
}

/* envs_dirs of condarc files. */
static void add_condarc_folders(struct environment_set *set)
{
    struct condarc_dirs dirs;
    condarc_read_envs_dirs(set->context, &dirs);
    for (size_t i = 0; i < dirs.count && i < FOLDERS_MAX; i++)
        add_folder(set, dirs.items[i], 1);
}

/* ROOT of ROOT/bin/conda or ROOT/condabin/conda. */
static void add_program(struct environment_set *set, const char *path)
{
    char *root = arena_strdup(set->context->arena, path), *slash;
    for (int i = 0; i < 2; i++) {
        slash = strrchr(root, '/');
        if (!slash || slash == root)
            return;
        *slash = '\0';
    }
    add_root(set, root);
}

/* conda, mamba and micromamba write the environments they make into one file, a path on each line;
 * lines may be stale. */
static void add_conda_list(struct environment_set *set)
{
    struct probe_context *context = set->context;
    const char *path = environment_expand(set, "~/.conda/environments.txt"), *line;
    CLEANUP_BYTES struct bytes text = {0};
    size_t cursor = 0, length;
    if (!path || reach_is_out(&set->reach, path))
        return;
    int r = machine_read(context->machine, path, LIST_MAX, &text);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "environment", NULL, path, r, "environment", NULL);
    for (int i = 0; r == 0 && i < CHILDREN_MAX &&
                    text_next_line(text.data, text.length, &cursor, &line, &length);
         i++) {
        char *prefix = arena_strndup(context->arena, line, length);
        if (prefix[0] == '/' && !reach_is_out(&set->reach, prefix) &&
            environment_is_marked(set, prefix))
            add(set, prefix, "environments.txt");
    }
}

/* What the notebooks of this user run in. */
static void add_kernels(struct environment_set *set)
{
    struct kernel_list kernels;
    kernels_find(set->context, &set->reach, &kernels);
    for (size_t i = 0; i < kernels.count; i++) {
        struct program program;
        if (kernel_program(set->context, &set->reach, &kernels.items[i], &program) &&
            program.prefix)
            environment_add(set, program.prefix, "kernel", false);
    }
    kernels_done(&kernels);
}

/* Another user's home folder, as under sudo -u: one note instead of one for each place in it. */
static bool is_home_closed(struct environment_set *set)
{
    struct probe_context *context = set->context;
    struct file_stat st;
    const char *home = environment_expand(set, "~/.");
    if (!home || reach_is_out(&set->reach, home))
        return home != NULL;
    int r = machine_stat(context->machine, home, &st);
    if (r != -EACCES && r != -EPERM)
        return false;
    probe_note(context, "environment", NULL, machine_home(context->machine), r, "environment",
               NULL);
    return true;
}

static void look_at(struct environment_set *set, const struct place *place, const char *path)
{
    switch (place->kind) {
    case PLACE_SELF:
        add(set, path, "known place");
        break;
    case PLACE_CHILDREN:
        add_folder(set, path, 1);
        break;
    case PLACE_DEEP:
        add_folder(set, path, LEVELS);
        break;
    case PLACE_ROOT:
        add_root(set, path);
        break;
    case PLACE_GLOB:
        add_glob(set, path);
        break;
    case PLACE_LIST:
        add_list(set, path);
        break;
    case PLACE_PROGRAM:
        add_program(set, path);
        break;
    }
}

void environment_find_places(struct environment_set *set)
{
    const struct machine *machine = set->context->machine;
    double start = machine_clock_ms(machine);
    bool closed = is_home_closed(set);
    if (!closed) {
        add_conda_list(set);
        add_condarc_folders(set);
        add_kernels(set);
    }
    for (size_t i = 0; i < environment_place_count; i++) {
        const struct place *place = &environment_places[i];
        const char *path = environment_expand(set, place->path);
        if (!path || (closed && place->path[0] == '~'))
            continue;
        if (machine_clock_ms(machine) - start > BUDGET_MS) {
            probe_note_status(set->context, "environment", NULL, path, "timeout", "environment",
                              "this folder and the ones after it were not looked at: the others "
                              "had taken too long");
            break;
        }
        look_at(set, place, path);
    }
    reach_note(&set->reach, "environment", "",
               "this place lies on another machine, as others may: not searched for environments "
               "unless --env names one or --all-envs asks for all");
}
