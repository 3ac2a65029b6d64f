/* Python environments: which there are, which is in use, which are worth reading. No Python is
 * run; what its own start-up reads is read here. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/conda_meta.h"
#include "probe/environment_set.h"
#include "probe/probe.h"
#include "probe/read_conda_meta.h"
#include "probe/site.h"

enum { BASE_HOPS_MAX = 8 };

/* --- what --env names --- */

static int take_options(struct environment_set *set)
{
    const struct probe_options *options = set->context->options;
    for (size_t i = 0; options && i < options->environment_count; i++) {
        const char *path = options->environments[i];
        const char *absolute = environment_absolute(set, path);
        if (absolute && environment_add(set, absolute, "--env", true))
            continue;
        int r = absolute ? environment_obstacle(set, absolute) : -ENOENT;
        return error_set(set->context->error, -EINVAL, "--env %s: %s", path,
                         r == -ENOENT ? "no Python environment there" : strerror(-r));
    }
    return 0;
}

/* --- base: the Python that a venv was made from --- */

/* PREFIX of `home`, which is the folder of the base interpreter; NULL without one. */
static const char *base_of_home(struct arena *arena, const char *home)
{
    if (!home || home[0] != '/')
        return NULL;
    char *prefix = arena_strdup(arena, home);
    size_t length = strlen(prefix);
    while (length > 1 && prefix[length - 1] == '/')
        prefix[--length] = '\0';
    char *slash = strrchr(prefix, '/');
    if (slash && slash > prefix && !strcmp(slash, "/bin"))
        *slash = '\0';
    return prefix;
}

static const char *real_or_same(const struct environment_set *set, const char *path)
{
    char *real;
    return machine_realpath(set->context->machine, path, set->context->arena, &real) == 0 ? real
                                                                                          : path;
}

static struct environment *find(const struct environment_set *set, const char *prefix)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].prefix, prefix))
            return &set->items[i];
    return NULL;
}

/* Follows `home` from venv to venv as far as they are known. NULL with a note when they lead back
 * to where they began. */
static const char *base_of(struct environment_set *set, const char *prefix, const char *home)
{
    struct probe_context *context = set->context;
    const char *base = base_of_home(context->arena, home), *first = NULL;
    for (int i = 0; base; i++) {
        base = real_or_same(set, base);
        first = first ? first : base;
        if (!strcmp(base, prefix) || i == BASE_HOPS_MAX) {
            probe_note_status(context, "environment", prefix,
                              arena_printf(context->arena, "%s/pyvenv.cfg", prefix), "malformed",
                              "", "its home leads back to itself");
            return NULL;
        }
        const struct environment *next = find(set, base);
        if (!next || !text_equal(next->kind, "venv"))
            break;
        base = base_of_home(context->arena, next->home);
    }
    return first;
}

static void note_dead_home(struct environment_set *set, const char *prefix, const char *home)
{
    if (home && !machine_is_partial(set->context->machine) &&
        !machine_exists(set->context->machine, home))
        probe_note_status(set->context, "environment", prefix, home, "absent", "",
                          "the Python that this environment was made from is gone");
}

/* A venv that lets its base's packages in: those are facts as well. The set may grow. */
static void add_searched_bases(struct environment_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct environment *item = &set->items[i];
        if (item->is_read && item->has_system_site && text_equal(item->kind, "venv"))
            environment_add(set, base_of_home(set->context->arena, item->home), "base", true);
    }
}

/* --- columns --- */

static const char *conda_python(struct environment_set *set, const char *prefix)
{
    struct probe_context *context = set->context;
    struct dir_list names;
    char *folder = arena_printf(context->arena, "%s/conda-meta", prefix);
    if (machine_list(context->machine, folder, SITE_ENTRIES_MAX, context->arena, &names) != 0)
        return NULL;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i], *version = NULL;
        if (!text_starts(name, "python-3") || !text_ends(name, ".json"))
            continue;
        struct conda_meta meta;
        char *path = arena_printf(context->arena, "%s/%s", folder, name);
        if (conda_meta_read(context->machine, path, context->arena, &meta) == 0 &&
            text_equal(meta.name, "python"))
            version = meta.version;
        conda_meta_done(&meta);
        if (version)
            return version;
    }
    return NULL;
}

static const char *python_of(struct environment_set *set, const struct environment *item)
{
    struct probe_context *context = set->context;
    const char *version = item->version;
    if (!version && item->is_read && text_equal(item->kind, "conda"))
        version = conda_python(set, item->prefix);
    if (!version)
        version = site_interpreter(context->machine, context->arena, item->prefix);
    /* /usr/local of Debian has no Python of its own, but folders for those of /usr */
    if (!version && text_equal(item->prefix, "/usr/local"))
        version = site_interpreter(context->machine, context->arena, "/usr");
    if (!version && (item->is_read || !text_equal(item->kind, "conda")))
        version = site_newest(context->machine, context->arena, item->prefix);
    /* "3" alone is what Debian's folder for every Python 3 tells: nothing */
    return version && strchr(version, '.') ? version : NULL;
}

static const char *python_path(struct environment_set *set, const char *prefix)
{
    static const char *const names[] = {"python", "python3"};
    struct file_stat st;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = arena_printf(set->context->arena, "%s/bin/%s",
                                  strcmp(prefix, "/") == 0 ? "" : prefix, names[i]);
        if (machine_lstat(set->context->machine, path, &st) == 0)
            return path;
    }
    return NULL;
}

static const char *manager_of(struct environment_set *set, const struct environment *item)
{
    if (text_equal(item->kind, "conda"))
        return strstr(item->prefix, "/.pixi/envs/") ? "pixi" : "conda";
    if (item->uv)
        return "uv";
    if (strstr(item->prefix, "/pypoetry/virtualenvs/"))
        return "poetry";
    if (text_equal(item->prefix, "/usr") &&
        machine_exists(set->context->machine, "/usr/lib/python3/dist-packages"))
        return "apt";
    return "pip";
}

/* PEP 668: the mark lies beside the standard library of the interpreter that runs pip. Below
 * ~/.local and Debian's /usr/local there is none: it is the system's. */
static struct opt is_externally_managed(struct environment_set *set, const struct environment *item,
                                        const char *python)
{
    if (!text_equal(item->kind, "system") && !text_equal(item->kind, "user"))
        return known(0);
    const char *minor = python ? strchr(python, '.') : NULL;
    if (!minor)
        return UNKNOWN;
    int length = (int)(minor - python + 1 + (ptrdiff_t)strcspn(minor + 1, "."));
    const char *prefix = python_path(set, item->prefix) ? item->prefix : "/usr";
    return known(
        machine_exists(set->context->machine,
                       arena_printf(set->context->arena, "%s/lib/python%.*s/EXTERNALLY-MANAGED",
                                    prefix, length, python)));
}

static void insert(struct environment_set *set, const struct environment *item)
{
    const char *python = python_of(set, item);
    const char *base = base_of(set, item->prefix, item->home);
    if (base)
        note_dead_home(set, item->prefix, item->home);
    facts_add_environment(
        set->context->facts,
        &(struct row_environment){
            .environment_id = item->prefix,
            .prefix = item->prefix,
            .kind = item->kind,
            .manager = manager_of(set, item),
            .python = python,
            .python_path = python_path(set, item->prefix),
            .active = known(item->is_active),
            .found_by = item->found_by,
            .depth = item->is_read ? "read" : "listed",
            .base = base,
            .system_site = text_equal(item->kind, "venv") ? known(item->has_system_site) : UNKNOWN,
            .externally_managed = is_externally_managed(set, item, python),
        });
}

static int run(struct probe_context *context)
{
    enum machine_kind kind = machine_kind(context->machine);
    struct environment_set set = {.context = context};
    set.read_all = kind == MACHINE_RECORDED || kind == MACHINE_IMAGE ||
                   (context->options && context->options->all_environments);
    int r = take_options(&set);
    if (r == 0) {
        environment_find_active(&set);
        if (kind == MACHINE_LIVE)
            environment_find_places(&set);
        else
            environment_walk(&set);
        add_searched_bases(&set);
        for (size_t i = 0; i < set.count; i++)
            insert(&set, &set.items[i]);
    }
    environment_set_done(&set);
    return r;
}

const struct probe probe_environment = {
    .name = "environment",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "environment",
    .run = run,
};
