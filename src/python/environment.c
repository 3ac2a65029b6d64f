/* Python environments: which there are, which is in use, which are worth reading. No Python is
 * run; what its own start-up reads is read here. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/conda_meta.h"
#include "parse/patchlevel.h"
#include "probe/probe.h"
#include "python/environment_set.h"
#include "python/read_conda_meta.h"
#include "python/site.h"

/* There is one such file, of some 700 kB. */
enum { PYTHON_BYTES_MAX = 8 * 1024 * 1024, PATCHLEVEL_MAX = 64 * 1024 };

static const char *conda_python(struct environment_set *set, const char *prefix)
{
    struct probe_context *context = set->context;
    struct dir_list names;
    char *folder = arena_printf(context->arena, "%s/conda-meta", prefix);
    if (machine_list(context->machine, folder, SITE_ENTRIES_MAX, context->arena, &names) != 0)
        return NULL;
    uint64_t bytes = 0;
    for (size_t i = 0; i < names.count && bytes < PYTHON_BYTES_MAX; i++) {
        const char *name = names.names[i], *version = NULL;
        if (!text_starts(name, "python-3") || !text_ends(name, ".json"))
            continue;
        struct conda_meta meta;
        char *path = arena_printf(context->arena, "%s/%s", folder, name);
        if (conda_meta_read(context->machine, path, context->arena, &meta, &bytes) == 0 &&
            text_equal(meta.name, "python"))
            version = meta.version;
        conda_meta_done(&meta);
        if (version)
            return version;
    }
    return NULL;
}

/* "3.11" is all that the names of files tell: the third number stands in a header, and in the
 * folder's name where pyenv ("3.11.2") or uv ("cpython-3.11.2-linux-x86_64-gnu") made it. */
static const char *full_version(struct environment_set *set, const char *prefix, bool is_read,
                                const char *minor)
{
    struct probe_context *context = set->context;
    CLEANUP_BYTES struct bytes text = {0};
    const char *found = NULL;
    size_t length = strlen(minor);
    const char *path =
        arena_printf(context->arena, "%s/include/python%s/patchlevel.h", prefix, minor);
    if (is_read && machine_read(context->machine, path, PATCHLEVEL_MAX, &text) == 0)
        found = patchlevel_version(text.data, text.length, context->arena);
    if (!found)
        found = patchlevel_of_name(strrchr(prefix, '/') + 1, context->arena);
    return found && text_starts(found, minor) && found[length] == '.' ? found : minor;
}

/* Of a folder with an interpreter, or of Debian's /usr/local, which has none of its own but folders
 * for that of /usr. */
static const char *interpreter_version(struct environment_set *set, const struct environment *item)
{
    struct probe_context *context = set->context;
    const char *prefix = item->prefix;
    const char *minor = site_interpreter(context->machine, context->arena, prefix);
    if (!minor && text_equal(prefix, "/usr/local")) {
        prefix = "/usr";
        minor = site_interpreter(context->machine, context->arena, prefix);
    }
    if (!minor && (item->is_read || !text_equal(item->kind, "conda")))
        minor = site_newest(context->machine, context->arena, item->prefix);
    bool is_python = text_equal(item->kind, "system") || text_equal(item->kind, "conda");
    return minor && is_python ? full_version(set, prefix, item->is_read, minor) : minor;
}

static const char *python_of(struct environment_set *set, const struct environment *item)
{
    const char *version = item->pyvenv.version;
    if (!version && item->is_read && text_equal(item->kind, "conda"))
        version = conda_python(set, item->prefix);
    if (!version)
        version = interpreter_version(set, item);
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

/* A link whose target is gone: the Python that a venv was made from was removed or updated. In a
 * tree that holds only its story the target is merely left out. */
static struct opt is_present(struct environment_set *set, const char *interpreter)
{
    const struct machine *machine = set->context->machine;
    struct file_stat st;
    if (!interpreter || machine_is_partial(machine))
        return UNKNOWN;
    int r = machine_stat(machine, interpreter, &st);
    return r == 0 ? known(1) : r == -ENOENT || r == -ENOTDIR ? known(0) : UNKNOWN;
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

/* Where an installer would put packages: the first site folder, else the prefix itself. */
static struct opt is_writable(struct environment_set *set, const struct environment *item,
                              const char *python)
{
    struct site_list sites;
    if (!item->is_read)
        return UNKNOWN;
    site_folders(set->context->machine, set->context->arena, item->prefix, item->kind, python,
                 &sites);
    struct opt writable =
        reach_is_writable(&set->reach, sites.count ? sites.items[0] : item->prefix);
    site_list_done(&sites);
    return writable;
}

static void note_dead_home(struct environment_set *set, const char *prefix, const char *home)
{
    if (home && !machine_is_partial(set->context->machine) &&
        !machine_exists(set->context->machine, home))
        probe_note_status(set->context, "environment", prefix, home, "absent", "",
                          "the Python that this environment was made from is gone");
}

static void insert(struct environment_set *set, const struct environment *item)
{
    const char *python = python_of(set, item), *base = environment_base(set, item);
    const char *interpreter = python_path(set, item->prefix);
    struct environment_marks marks;
    environment_read_marks(set, item, &marks);
    if (base)
        note_dead_home(set, item->prefix, item->pyvenv.home);
    facts_add_environment(set->context->facts,
                          &(struct row_environment){
                              .environment_id = item->prefix,
                              .prefix = item->prefix,
                              .kind = item->kind,
                              .manager = marks.manager,
                              .python = python,
                              .python_path = interpreter,
                              .python_present = is_present(set, interpreter),
                              .active = known(item->is_active),
                              .found_by = item->found_by,
                              .depth = item->is_read ? "read" : "listed",
                              .base = base,
                              .system_site = text_equal(item->kind, "venv")
                                                 ? known(item->pyvenv.has_system_site)
                                                 : UNKNOWN,
                              .externally_managed = is_externally_managed(set, item, python),
                              .name = marks.name,
                              .manager_version = marks.version,
                              .project = marks.project,
                              .fs_type = reach_fs_type(&set->reach, item->prefix),
                              .writable = is_writable(set, item, python),
                          });
}

static int run(struct probe_context *context)
{
    enum machine_kind kind = machine_kind(context->machine);
    struct environment_set set = {.context = context};
    set.read_all = kind == MACHINE_RECORDED || kind == MACHINE_IMAGE ||
                   (context->options && context->options->all_environments);
    reach_read(context, "environment", &set.reach);
    int r = environment_take_options(&set);
    if (r == 0) {
        environment_find_active(&set);
        if (kind == MACHINE_LIVE)
            environment_find_places(&set);
        else
            environment_walk(&set);
        environment_add_searched(&set);
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
