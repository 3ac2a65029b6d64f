/* Who made an environment: by the marks that tools leave in it and beside it, then by the place
 * where each tool keeps its own. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/conda_history.h"
#include "python/environment_set.h"

enum { PIXI_MARK_MAX = 64 * 1024 };

/* A file in the environment that only one tool writes. */
static const struct mark {
    const char *file, *manager;
} marks[] = {
    {"uv-receipt.toml", "uv tool"},
    {"pipx_metadata.json", "pipx"},
    {"bin/get_env_details", "virtualenvwrapper"},
};

/* Hooks that virtualenvwrapper keeps beside its environments. */
static const struct mark wrapper_marks[] = {
    {"postmkvirtualenv", "virtualenvwrapper"},
    {"postactivate", "virtualenvwrapper"},
};

/* A file beside ./.venv. uv's own environments are known by pyvenv.cfg. */
static const struct mark project_marks[] = {
    {".pdm-python", "pdm"},
    {"pdm.lock", "pdm"},
    {"Pipfile", "pipenv"},
    {"poetry.lock", "poetry"},
};

/* Who owns /usr, by a file of its package manager. */
static const struct mark system_marks[] = {
    {"/usr/lib/python3/dist-packages", "apt"},
    {"/usr/bin/dnf5", "dnf"},
    {"/usr/bin/dnf", "dnf"},
    {"/usr/bin/microdnf", "dnf"},
    {"/usr/bin/tdnf", "dnf"},
    {"/usr/bin/yum", "yum"},
    {"/usr/bin/zypper", "zypper"},
    {"/usr/bin/pacman", "pacman"},
    {"/sbin/apk", "apk"},
};

static const char *leaf_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* The folder that the environment lies in; "" where that is the root. */
static const char *folder_of(const struct environment_set *set, const char *prefix)
{
    return arena_strndup(set->context->arena, prefix, (size_t)(leaf_of(prefix) - 1 - prefix));
}

static const char *by_marks(const struct environment_set *set, const char *folder,
                            const struct mark *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (machine_exists(set->context->machine,
                           arena_printf(set->context->arena, "%s/%s", folder, list[i].file)))
            return list[i].manager;
    return NULL;
}

/* By the places of environment_known.c: those of this user's home and variables, and the same below
 * any other home. */
static const char *by_place(const struct environment_set *set, const char *prefix)
{
    for (size_t i = 0; i < environment_place_count; i++) {
        const struct place *place = &environment_places[i];
        if (!place->manager || place->path[0] == '.')
            continue;
        const char *path =
            place->path[0] == '~' ? place->path + 1 : environment_expand(set, place->path);
        const char *found = path ? strstr(prefix, path) : NULL;
        if (found && (place->path[0] == '~' || found == prefix) && found[strlen(path)] == '/')
            return place->manager;
    }
    return strstr(prefix, "/.pixi/envs/") ? "pixi" : NULL;
}

/* The folder that a file in the environment names (virtualenvwrapper, pipenv). */
static const char *read_project(const struct environment_set *set, const char *prefix)
{
    char *line, *path = arena_printf(set->context->arena, "%s/.project", prefix);
    if (machine_read_line(set->context->machine, path, set->context->arena, &line) != 0)
        return NULL;
    return line[0] == '/' ? line : NULL;
}

/* NAME-HASH, as pipenv calls what it makes: eight letters of base64url, and the Python behind them
 * where one was asked for (PIPENV_PYTHON). */
static bool is_pipenv_name(const char *leaf)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    for (const char *dash = strchr(leaf, '-'); dash; dash = strchr(dash + 1, '-')) {
        const char *rest = dash + 1 + 8;
        if (dash == leaf || strlen(dash) < 1 + 8 || strspn(dash + 1, letters) < 8)
            continue;
        if (!*rest || text_starts(rest, "-python") || text_starts(rest, "-3"))
            return true;
    }
    return false;
}

/* virtualenvwrapper's folder is pipenv's as well, where the variable names one. */
static bool is_in_workon_home(const struct environment_set *set, const char *folder)
{
    const char *path = machine_getenv(set->context->machine, "WORKON_HOME");
    return path && *path && text_equal(path, folder);
}

/* Of what lies in a folder where several tools keep environments. */
static const char *by_project(const struct environment_set *set, const char *prefix,
                              const char *folder, const char *project, bool is_uv)
{
    if (project && is_pipenv_name(leaf_of(prefix)) && is_in_workon_home(set, folder))
        return "pipenv";
    return is_uv
               ? NULL
               : by_marks(set, folder, wrapper_marks, sizeof wrapper_marks / sizeof *wrapper_marks);
}

/* poetry and pdm name what they make: "poe-py3.11". */
static bool is_poetry_prompt(const char *prompt)
{
    const char *dash = prompt ? strrchr(prompt, '-') : NULL;
    return dash && text_starts(dash, "-py3.");
}

static void mark_venv(const struct environment_set *set, const struct environment *item,
                      struct environment_marks *ret)
{
    const char *folder = folder_of(set, item->prefix), *leaf = leaf_of(item->prefix);
    const struct pyvenv *pyvenv = &item->pyvenv;
    ret->name = pyvenv->prompt ? pyvenv->prompt : leaf;
    ret->project = !strcmp(leaf, ".venv") ? (*folder ? folder : "/") : NULL;
    ret->manager = by_marks(set, item->prefix, marks, sizeof marks / sizeof *marks);
    if (!ret->manager)
        ret->manager = by_place(set, item->prefix);
    if (text_equal(ret->manager, "pipenv") && !is_pipenv_name(leaf))
        ret->manager = NULL;
    if (!ret->manager && ret->project && !pyvenv->uv)
        ret->manager =
            by_marks(set, folder, project_marks, sizeof project_marks / sizeof *project_marks);
    if (!ret->manager && pyvenv->virtualenv && is_poetry_prompt(pyvenv->prompt))
        ret->manager = "poetry";
    if (!ret->project && (!ret->manager || text_equal(ret->manager, "virtualenvwrapper") ||
                          text_equal(ret->manager, "pipenv"))) {
        ret->project = read_project(set, item->prefix);
        if (!ret->manager)
            ret->manager = by_project(set, item->prefix, folder, ret->project, pyvenv->uv != NULL);
    }
    if (!ret->manager)
        ret->manager = pyvenv->uv ? "uv" : pyvenv->virtualenv ? "virtualenv" : "pip";
    if (text_starts(ret->manager, "uv"))
        ret->version = pyvenv->uv;
    else if (text_equal(ret->manager, "virtualenv"))
        ret->version = pyvenv->virtualenv;
    if (text_equal(ret->manager, "uv tool") || text_equal(ret->manager, "pipx"))
        ret->name = leaf;
}

static bool is_below_pixi(const char *prefix)
{
    return strstr(prefix, "/.pixi/envs/") != NULL;
}

static void mark_pixi(const struct environment_set *set, const char *prefix,
                      const struct pixi_mark *mark, struct environment_marks *ret)
{
    struct arena *arena = set->context->arena;
    const char *pixi = strstr(prefix, "/.pixi/envs/"), *home = machine_home(set->context->machine);
    const char *slash = mark->manifest ? strrchr(mark->manifest, '/') : NULL;
    ret->manager = "pixi";
    ret->name = mark->environment ? mark->environment : leaf_of(prefix);
    ret->version = mark->version;
    if (slash && slash > mark->manifest)
        ret->project = arena_strndup(arena, mark->manifest, (size_t)(slash - mark->manifest));
    else if (pixi)
        ret->project = arena_strndup(arena, prefix, (size_t)(pixi - prefix));
    if (ret->project && text_equal(ret->project, home)) /* pixi global */
        ret->project = NULL;
}

static bool is_root(const struct environment_set *set, const char *prefix)
{
    static const char *const leaves[] = {"condabin", "pkgs", "envs"};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        if (machine_exists(set->context->machine,
                           arena_printf(set->context->arena, "%s/%s", prefix, leaves[i])))
            return true;
    return false;
}

static void mark_conda(const struct environment_set *set, const struct environment *item,
                       struct environment_marks *ret)
{
    struct probe_context *context = set->context;
    CLEANUP_BYTES struct bytes head = {0}, pixi = {0};
    struct conda_history history = {0};
    struct pixi_mark mark = {0};
    const char *prefix = item->prefix;
    const char *path = arena_printf(context->arena, "%s/conda-meta/pixi", prefix);
    int r = machine_read(context->machine, path, PIXI_MARK_MAX, &pixi);
    if (r == 0)
        pixi_mark_parse(pixi.data, pixi.length, context->arena, &mark);
    else if (r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "environment", prefix, path, r, "", NULL);
    if (pixi.data || is_below_pixi(prefix)) {
        mark_pixi(set, prefix, &mark, ret);
        return;
    }
    if (machine_read_head(context->machine,
                          arena_printf(context->arena, "%s/conda-meta/history", prefix),
                          CONDA_HISTORY_HEAD, &head) == 0)
        conda_history_parse(head.data, head.length, context->arena, &history);
    ret->manager = text_equal(history.program, "mamba") || text_equal(history.program, "micromamba")
                       ? history.program
                       : "conda";
    /* an installer's or nobody's history: micromamba's own root is what is left to tell */
    if (!history.program && strstr(prefix, "/micromamba/envs/"))
        ret->manager = "micromamba";
    if (text_equal(history.program, "conda"))
        ret->version = history.version;
    if (text_ends(folder_of(set, prefix), "/envs"))
        ret->name = leaf_of(prefix);
    else if (is_root(set, prefix))
        ret->name = "base";
}

static void mark_system(const struct environment_set *set, const struct environment *item,
                        struct environment_marks *ret)
{
    const char *prefix = item->prefix;
    if (text_equal(prefix, "/usr"))
        ret->manager = by_marks(set, "", system_marks, sizeof system_marks / sizeof *system_marks);
    else if (text_equal(item->kind, "system"))
        ret->manager = by_place(set, prefix);
    if (text_equal(ret->manager, "uv") || text_equal(ret->manager, "pyenv"))
        ret->name = leaf_of(prefix);
    if (!ret->manager)
        ret->manager = "pip";
}

void environment_read_marks(const struct environment_set *set, const struct environment *item,
                            struct environment_marks *ret)
{
    *ret = (struct environment_marks){0};
    if (text_equal(item->kind, "venv"))
        mark_venv(set, item, ret);
    else if (text_equal(item->kind, "conda"))
        mark_conda(set, item, ret);
    else
        mark_system(set, item, ret);
}
