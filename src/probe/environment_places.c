/* Folders where environments usually are. They are only listed: reading all of a busy machine's
 * environments would take longer than the user waits. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "probe/environment_set.h"

enum { CHILDREN_MAX = 256, LIST_MAX = 64 * 1024 };

enum place_kind {
    PLACE_SELF,     /* the folder is an environment */
    PLACE_CHILDREN, /* each folder in it may be one */
    PLACE_ROOT,     /* a conda installation: itself, and the folders in envs/ */
    PLACE_GLOB,     /* conda installations whose path begins like this */
};

/* "~" is the home folder, "." the working folder, "$NAME" a variable. */
static const struct place {
    enum place_kind kind;
    const char *path;
} places[] = {
    {PLACE_SELF, "/usr"},
    {PLACE_SELF, "/usr/local"},
    {PLACE_SELF, "~/.local"},
    {PLACE_SELF, "./venv"},
    {PLACE_SELF, "./env"},
    {PLACE_CHILDREN, "./.pixi/envs"},
    {PLACE_ROOT, "$MAMBA_ROOT_PREFIX"},
    {PLACE_ROOT, "~/miniconda3"},
    {PLACE_ROOT, "~/anaconda3"},
    {PLACE_ROOT, "~/miniforge3"},
    {PLACE_ROOT, "~/mambaforge"},
    {PLACE_ROOT, "~/micromamba"},
    {PLACE_CHILDREN, "~/.conda/envs"},
    {PLACE_ROOT, "/opt/conda"},
    {PLACE_GLOB, "/opt/miniconda"},
    {PLACE_GLOB, "/opt/miniforge"},
    {PLACE_GLOB, "/opt/anaconda"},
    {PLACE_CHILDREN, "$WORKON_HOME"},
    {PLACE_CHILDREN, "~/.virtualenvs"},
    {PLACE_CHILDREN, "~/.cache/pypoetry/virtualenvs"},
    {PLACE_CHILDREN, "~/.local/share/virtualenvs"},
    {PLACE_CHILDREN, "$UV_TOOL_DIR"},
    {PLACE_CHILDREN, "~/.local/share/uv/tools"},
    {PLACE_CHILDREN, "~/.local/share/pipx/venvs"},
    {PLACE_CHILDREN, "~/.local/pipx/venvs"},
    {PLACE_CHILDREN, "~/.pyenv/versions"},
    {PLACE_CHILDREN, "~/.local/share/uv/python"},
};

/* The place's folder; NULL where its home, working folder or variable is not known. */
static const char *expand(const struct environment_set *set, const char *path)
{
    const struct machine *machine = set->context->machine;
    const char *start = NULL, *rest = path + strcspn(path, "/");
    if (path[0] == '/')
        return path;
    if (path[0] == '~')
        start = machine_home(machine);
    else if (path[0] == '.')
        start = machine_cwd(machine);
    else if (path[0] == '$')
        start = machine_getenv(
            machine, arena_strndup(set->context->arena, path + 1, (size_t)(rest - path - 1)));
    return start && start[0] == '/' ? arena_printf(set->context->arena, "%s%s", start, rest) : NULL;
}

static void add(struct environment_set *set, const char *path)
{
    environment_add(set, path, "known place", false);
}

/* A folder without the marks of an environment would cost a search for its packages. */
static void add_children(struct environment_set *set, const char *path)
{
    struct probe_context *context = set->context;
    struct dir_list names;
    int r = machine_list(context->machine, path, CHILDREN_MAX, context->arena, &names);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "environment", NULL, path, r, "environment", NULL);
    if (r < 0)
        return;
    for (size_t i = 0; i < names.count; i++) {
        const char *child = arena_printf(context->arena, "%s/%s", path, names.names[i]);
        if (environment_is_marked(set, child) ||
            machine_exists(context->machine, arena_printf(context->arena, "%s/bin/python3", child)))
            add(set, child);
    }
    if (names.cut)
        probe_note_status(context, "environment", NULL, path, "malformed", "environment",
                          "more folders than are looked at");
}

static void add_root(struct environment_set *set, const char *path)
{
    if (!machine_exists(set->context->machine, path))
        return;
    if (environment_is_marked(set, path))
        add(set, path);
    add_children(set, arena_printf(set->context->arena, "%s/envs", path));
}

static void add_glob(struct environment_set *set, const char *path)
{
    struct arena *arena = set->context->arena;
    const char *leaf = strrchr(path, '/') + 1;
    char *folder = arena_strndup(arena, path, (size_t)(leaf - path - 1));
    struct dir_list names;
    if (machine_list(set->context->machine, folder, CHILDREN_MAX, arena, &names) != 0)
        return;
    for (size_t i = 0; i < names.count; i++)
        if (text_starts(names.names[i], leaf))
            add_root(set, arena_printf(arena, "%s/%s", folder, names.names[i]));
}

/* conda, mamba and micromamba write the environments they make into one file, a path on each line;
 * lines may be stale. */
static void add_conda_list(struct environment_set *set)
{
    struct probe_context *context = set->context;
    const char *path = expand(set, "~/.conda/environments.txt"), *line;
    CLEANUP_BYTES struct bytes text = {0};
    size_t cursor = 0, length;
    int r = path ? machine_read(context->machine, path, LIST_MAX, &text) : 0;
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "environment", NULL, path, r, "environment", NULL);
    for (int i = 0; r == 0 && i < CHILDREN_MAX &&
                    text_next_line(text.data, text.length, &cursor, &line, &length);
         i++) {
        char *prefix = arena_strndup(context->arena, line, length);
        if (prefix[0] == '/' && environment_is_marked(set, prefix))
            environment_add(set, prefix, "environments.txt", false);
    }
}

/* Another user's home folder, as under sudo -u: one note instead of one for each place in it. */
static bool is_home_closed(struct environment_set *set)
{
    struct probe_context *context = set->context;
    struct file_stat st;
    const char *home = expand(set, "~/.");
    int r = home ? machine_stat(context->machine, home, &st) : 0;
    if (r != -EACCES && r != -EPERM)
        return false;
    probe_note(context, "environment", NULL, machine_home(context->machine), r, "environment",
               NULL);
    return true;
}

void environment_find_places(struct environment_set *set)
{
    bool closed = is_home_closed(set);
    if (!closed)
        add_conda_list(set);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = expand(set, places[i].path);
        if (!path || (closed && places[i].path[0] == '~'))
            continue;
        if (places[i].kind == PLACE_SELF)
            add(set, path);
        else if (places[i].kind == PLACE_CHILDREN)
            add_children(set, path);
        else if (places[i].kind == PLACE_ROOT)
            add_root(set, path);
        else
            add_glob(set, path);
    }
}
