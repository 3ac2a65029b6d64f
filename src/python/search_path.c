/* Folders that each environment searches, in Python's order (Lib/site.py, main), and code that runs
 * at its start. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/look.h"
#include "python/launcher_program.h"
#include "python/search_path.h"
#include "python/site.h"

enum { PYTHONPATH_MAX = 64 };

struct row {
    const char *prefix, *kind, *python, *python_path, *base;
    bool has_system_site, is_active;
};

static void add_python_path(struct search *search)
{
    const struct machine *machine = search->context->machine;
    const char *path = machine_getenv(machine, "PYTHONPATH");
    struct file_stat st;
    for (int i = 0; path && *path && i < PYTHONPATH_MAX; i++) {
        size_t length = strcspn(path, ":");
        char *entry = arena_strndup(search->arena, path, length);
        const char *folder = length ? program_absolute(search->context, entry) : NULL;
        if (folder) {
            bool is_zip = machine_stat(machine, folder, &st) == 0 && st.type == FILE_REGULAR;
            search_add(search, folder, is_zip ? "zip" : "pythonpath", "PYTHONPATH", false);
        }
        path += length + (path[length] == ':');
    }
}

static void add_sites(struct search *search, const char *prefix, const char *kind,
                      const char *python, const char *as)
{
    struct site_list sites;
    site_folders(search->context->machine, search->arena, prefix, kind, python, &sites);
    for (size_t i = 0; i < sites.count; i++)
        search_add(search, sites.items[i], as, NULL, true);
    if (sites.error)
        probe_note(search->context, "search_path", search->environment_id, prefix, sites.error,
                   SEARCH_PATH_FILLS, "a folder of its packages cannot be read");
    site_list_done(&sites);
}

/* "3.12" of "3.12.3"; NULL where it is not known. */
static const char *minor_of(struct search *search, const char *python)
{
    const char *dot = python ? strchr(python, '.') : NULL;
    if (!dot)
        return NULL;
    return arena_strndup(search->arena, python, (size_t)(dot - python) + 1 + strcspn(dot + 1, "."));
}

/* ~/.local/lib/python3.X/site-packages: before the Python's own packages, and in every Python of
 * that version but venvs. */
static void add_user_site(struct search *search, const char *python)
{
    const struct machine *machine = search->context->machine;
    const char *off = machine_getenv(machine, "PYTHONNOUSERSITE");
    const char *base = machine_getenv(machine, "PYTHONUSERBASE");
    const char *home = machine_home(machine), *minor = minor_of(search, python);
    bool is_base = base && base[0] == '/';
    if ((off && *off) || !minor || (!is_base && !home))
        return;
    char *path =
        is_base ? arena_printf(search->arena, "%s/lib/python%s/site-packages", base, minor)
                : arena_printf(search->arena, "%s/.local/lib/python%s/site-packages", home, minor);
    if (machine_exists(machine, path))
        search_add(search, path, "user-site", is_base ? "PYTHONUSERBASE" : NULL, true);
}

/* Distributions let the Python of /usr search /usr/local first. */
static void add_interpreter_sites(struct search *search, const char *prefix, const char *kind,
                                  const char *python, const char *as)
{
    if (!strcmp(prefix, "/usr"))
        add_sites(search, "/usr/local", "system", python, as);
    add_sites(search, prefix, kind, python, as);
}

static void read_environment(struct search *search, const struct row *row)
{
    bool is_venv = text_equal(row->kind, "venv");
    const char *minor = minor_of(search, row->python), *home = is_venv ? row->base : row->prefix;
    if (row->is_active)
        add_python_path(search);
    if (!row->python_path &&
        !is_venv) { /* packages without a Python: ~/.local, a --target folder */
        add_sites(search, row->prefix, row->kind, row->python,
                  text_equal(row->kind, "user") ? "user-site" : "site");
        return;
    }
    if (minor && home) /* the standard library comes before all sites */
        search_find_custom(search, arena_printf(search->arena, "%s/lib/python%s",
                                                strcmp(home, "/") == 0 ? "" : home, minor));
    if (is_venv)
        add_sites(search, row->prefix, row->kind, row->python, "site");
    if (!is_venv || row->has_system_site)
        add_user_site(search, row->python);
    if (is_venv && row->has_system_site && row->base)
        add_interpreter_sites(search, row->base, "system", row->python, "base-site");
    if (!is_venv)
        add_interpreter_sites(search, row->prefix, row->kind, row->python, "site");
}

/* Every environment, as an owner of folders. The array is the caller's to free. */
static struct search_owner *find_owners(struct probe_context *context, size_t *ret_count)
{
    struct search_owner *owners = NULL;
    size_t capacity = 0;
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT prefix, kind FROM environment");
    *ret_count = 0;
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        owners = xgrow(owners, &capacity, *ret_count + 1, sizeof *owners);
        owners[(*ret_count)++] = (struct search_owner){
            ask_column(context, query, 0),
            ask_column(context, query, 1),
        };
    }
    return owners;
}

static const char *column(sqlite3_stmt *query, int at)
{
    return (const char *)sqlite3_column_text(query, at);
}

static int run(struct probe_context *context)
{
    size_t owner_count;
    CLEANUP_FREE struct search_owner *owners = find_owners(context, &owner_count);
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT prefix, kind, python, python_path, base, system_site, active "
                        "FROM environment WHERE depth = 'read' ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        struct arena arena = {0};
        struct row row = {column(query, 0),
                          column(query, 1),
                          column(query, 2),
                          column(query, 3),
                          column(query, 4),
                          sqlite3_column_int(query, 5) == 1,
                          sqlite3_column_int(query, 6) == 1};
        struct search search = {.context = context,
                                .arena = &arena,
                                .environment_id = row.prefix,
                                .owners = owners,
                                .owner_count = owner_count};
        read_environment(&search, &row);
        search_done(&search);
    }
    probe_note_status(context, "search_path", NULL, NULL, "ok", SEARCH_PATH_FILLS, NULL);
    return 0;
}

const struct probe probe_search_path = {
    .name = "search_path",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "search_path startup_code",
    .run = run,
};
