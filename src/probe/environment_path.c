/* The environment that is in use: by variables, by the interpreter on PATH, by ./.venv. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/environment_set.h"
#include "probe/site.h"

enum { HOPS_MAX = 16, FOLDERS_MAX = 256, PARENTS_MAX = 32 };

const char *environment_absolute(const struct environment_set *set, const char *path)
{
    const char *cwd = machine_cwd(set->context->machine);
    if (path[0] == '/')
        return path;
    return cwd ? arena_printf(set->context->arena, "%s/%s", cwd, path) : NULL;
}

/* The folder part of a path; "/" has none. */
static char *parent(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || !slash[1])
        return NULL;
    return slash == path ? arena_strdup(arena, "/")
                         : arena_strndup(arena, path, (size_t)(slash - path));
}

/* The folder above the one that `path` lies in (PREFIX of PREFIX/bin/python). */
static char *prefix_above(const struct environment_set *set, const char *path)
{
    struct arena *arena = set->context->arena;
    char *folder = parent(arena, path), *real;
    if (!folder || machine_realpath(set->context->machine, folder, arena, &real) != 0)
        return NULL;
    return parent(arena, real);
}

/* --- pyenv: ~/.pyenv/shims/python is a script that starts another one --- */

/* The first word of a small file that names no path. */
static char *read_word(const struct environment_set *set, const char *path)
{
    char *line;
    if (machine_read_line(set->context->machine, path, set->context->arena, &line) != 0)
        return NULL;
    size_t length = strcspn(line, " \t:#");
    return length && !memchr(line, '/', length) ? arena_strndup(set->context->arena, line, length)
                                                : NULL;
}

static char *pyenv_version(const struct environment_set *set, const char *root)
{
    struct arena *arena = set->context->arena;
    const char *chosen = machine_getenv(set->context->machine, "PYENV_VERSION");
    if (chosen && *chosen)
        return strchr(chosen, '/') ? NULL : arena_strndup(arena, chosen, strcspn(chosen, ":"));
    const char *folder = machine_cwd(set->context->machine);
    for (int i = 0; folder && i < PARENTS_MAX; i++, folder = parent(arena, folder)) {
        char *word = read_word(set, arena_printf(arena, "%s/.python-version", folder));
        if (word)
            return word;
    }
    return read_word(set, arena_printf(arena, "%s/version", root));
}

/* "3.12" stands for the newest 3.12.N there is. */
static char *pyenv_prefix(const struct environment_set *set, const char *shim)
{
    struct probe_context *context = set->context;
    char *root = prefix_above(set, shim), *version = root ? pyenv_version(set, root) : NULL;
    if (!version || !strcmp(version, "system") || version[0] == '.')
        return NULL;
    char *versions = arena_printf(context->arena, "%s/versions", root), *best = NULL;
    char *exact = arena_printf(context->arena, "%s/%s", versions, version);
    struct dir_list names;
    if (machine_exists(context->machine, exact))
        return exact;
    if (machine_list(context->machine, versions, FOLDERS_MAX, context->arena, &names) != 0)
        return NULL;
    long best_patch = -1;
    size_t length = strlen(version);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        if (!text_starts(name, version) || name[length] != '.')
            continue;
        long patch = strtol(name + length + 1, NULL, 10);
        if (patch > best_patch) {
            best_patch = patch;
            best = arena_printf(context->arena, "%s/%s", versions, name);
        }
    }
    return best;
}

/* --- PATH --- */

static bool is_program(const struct machine *machine, const char *path)
{
    struct file_stat st;
    if (machine_stat(machine, path, &st) != 0 || st.type != FILE_REGULAR)
        return false;
    return machine_kind(machine) != MACHINE_LIVE || (st.mode & 0111) != 0;
}

/* The environment of an interpreter. A venv's bin/python is a link to the Python it was made from,
 * so every folder on the way is looked at before the link in it is followed. */
static char *prefix_of(const struct environment_set *set, const char *path)
{
    struct probe_context *context = set->context;
    char *prefix = NULL, *target;
    for (int i = 0; i < HOPS_MAX; i++) {
        prefix = prefix_above(set, path);
        if (!prefix || environment_is_marked(set, prefix))
            return prefix;
        if (machine_readlink(context->machine, path, context->arena, &target) != 0)
            break;
        path = target[0] == '/'
                   ? target
                   : arena_printf(context->arena, "%s/%s", parent(context->arena, path), target);
    }
    char *folder = parent(context->arena, path);
    return folder && text_ends(folder, "/shims") ? pyenv_prefix(set, path) : prefix;
}

/* The environment of the first program `name` on PATH. */
static struct environment *find_program(struct environment_set *set, const char *name)
{
    struct probe_context *context = set->context;
    const char *path = machine_getenv(context->machine, "PATH");
    if (!path && machine_kind(context->machine) == MACHINE_LIVE)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (int i = 0; path && i < FOLDERS_MAX; i++) {
        size_t length = strcspn(path, ":");
        const char *folder = arena_strndup(context->arena, path, length);
        folder = environment_absolute(set, *folder ? folder : ".");
        path = path[length] ? path + length + 1 : NULL;
        char *program = folder ? arena_printf(context->arena, "%s/%s", folder, name) : NULL;
        if (!program || !is_program(context->machine, program))
            continue;
        char *prefix = prefix_of(set, program);
        struct environment *found = prefix ? environment_add(set, prefix, "PATH", true) : NULL;
        if (found)
            return found; /* else a shim for the system's Python, or a lone program: go on */
    }
    return NULL;
}

static struct environment *find_variable(struct environment_set *set, const char *name)
{
    const char *path = machine_getenv(set->context->machine, name);
    if (!path || !*path)
        return NULL;
    const char *absolute = environment_absolute(set, path);
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
    const char *local = environment_absolute(set, ".venv");
    if (local)
        environment_add(set, local, ".venv", true);
}
