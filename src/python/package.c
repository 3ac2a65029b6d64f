/* Installed packages of every environment that is read: *.dist-info, *.egg-info, conda-meta. */
#include "python/package.h"

#include <errno.h>
#include <string.h>

#include "base/parallel.h"
#include "base/text.h"
#include "probe/look.h"
#include "python/site.h"

const char *package_id(struct probe_context *context, const char *environment_id, const char *path)
{
    size_t length = strlen(environment_id);
    bool is_inside = text_starts(path, environment_id) && path[length] == '/';
    return arena_printf(context->arena, "%s:%s", environment_id,
                        is_inside ? path + length + 1 : path);
}

static bool is_dist(const char *name)
{
    return text_ends(name, ".dist-info") && name[0] != '~';
}

static void read_name(struct probe_context *context, struct package_site *site, const char *name,
                      const struct package_files *files)
{
    if (is_dist(name))
        package_read_dist(context, site, name, files);
    else if (text_ends(name, ".dist-info")) /* pip renames what it is about to remove */
        probe_note_status(context, "package", site->environment_id,
                          arena_printf(context->arena, "%s/%s", site->path, name), "skipped", "",
                          "left over from an installation that was interrupted");
    else if (text_ends(name, ".egg-info"))
        package_read_egg_info(context, site, name);
    else if (text_ends(name, ".egg"))
        package_read_egg(context, site, name);
    else if (text_ends(name, ".egg-link"))
        package_read_egg_link(context, site, name);
}

static bool is_record(const char *name)
{
    return text_ends(name, "-info") || text_ends(name, ".egg") || text_ends(name, ".egg-link");
}

/* --- a site folder --- */

enum { BATCH = 128 };

/* Records that are read at once. */
struct batch {
    const struct machine *machine;
    const char *site;
    const char *names[BATCH];
    struct package_files files[BATCH];
    size_t count;
};

static void read_files(void *data, size_t number)
{
    struct batch *batch = data;
    CLEANUP_TEXT struct text folder = {0};
    text_printf(&folder, "%s/%s", batch->site, batch->names[number]);
    package_files_read(batch->machine, text_get(&folder), &batch->files[number]);
}

/* The next records from that name on, of which the first is one. */
static void fill_batch(struct batch *batch, const struct package_site *site, size_t at)
{
    batch->count = 0;
    for (; at < site->names.count && batch->count < BATCH; at++)
        if (is_dist(site->names.names[at]))
            batch->names[batch->count++] = site->names.names[at];
    parallel_for_most(PARALLEL_FEW, batch->count, read_files, batch);
}

static void read_site(struct probe_context *context, struct package_site *site, struct batch *batch)
{
    size_t done = 0;
    for (size_t i = 0; i < site->names.count; i++) {
        const char *name = site->names.names[i];
        struct arena arena = {0};
        struct probe_context scratch = package_scratch(context, &arena);
        if (is_record(name) && !package_afford(site->budget)) {
            package_note_budget(context, site->environment_id, site->path);
            break;
        }
        probe_progress(context, "reading packages", i, site->names.count);
        if (is_dist(name) && done == batch->count) {
            fill_batch(batch, site, i);
            done = 0;
        }
        read_name(&scratch, site, name, is_dist(name) ? &batch->files[done] : NULL);
        if (is_dist(name))
            package_files_done(&batch->files[done++]);
        arena_done(&arena);
    }
    while (done < batch->count)
        package_files_done(&batch->files[done++]);
}

void package_read_site(struct probe_context *context, const char *environment_id, const char *path,
                       struct package_budget *budget)
{
    struct package_site site = {.budget = budget, .environment_id = environment_id, .path = path};
    struct batch batch = {.machine = context->machine, .site = path};
    int r = machine_list(context->machine, path, SITE_ENTRIES_MAX, context->arena, &site.names);
    probe_note(context, "package", environment_id, path, r == 0 && site.names.cut ? -EFBIG : r,
               PACKAGE_FILLS, NULL);
    if (r == 0)
        read_site(context, &site, &batch);
}

static void read_environment(struct probe_context *context, const char *prefix, const char *kind,
                             const char *python, struct package_budget *budget)
{
    struct site_list sites;
    budget->arena = context->arena;
    budget->linked_count = 0;
    if (text_equal(kind, "conda"))
        package_read_conda(context, prefix, prefix, budget);
    site_folders(context->machine, context->arena, prefix, kind, python, &sites);
    for (size_t i = 0; i < sites.count; i++)
        package_read_site(context, prefix, sites.items[i], budget);
    if (sites.error)
        probe_note(context, "package", prefix, prefix, sites.error, PACKAGE_FILLS,
                   "a folder of its packages cannot be read");
    else if (!sites.count && !text_equal(kind, "conda"))
        probe_note_status(context, "package", prefix, prefix, "absent", PACKAGE_FILLS,
                          "no site-packages folder");
    site_list_done(&sites);
    package_read_added(context, prefix, budget);
}

static int run(struct probe_context *context)
{
    sqlite3 *db = facts_db(context->facts);
    /* hundreds of rows: as one transaction where the caller has none open */
    bool is_own = sqlite3_get_autocommit(db) != 0;
    if (is_own)
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    struct package_budget budget = {0};
    sqlite3_stmt *query =
        facts_query(context->facts, "SELECT prefix, kind, python FROM environment "
                                    "WHERE depth = 'read' ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        struct arena arena = {0};
        struct probe_context scratch = package_scratch(context, &arena);
        read_environment(&scratch, ask_column(&scratch, query, 0), ask_column(&scratch, query, 1),
                         ask_column(&scratch, query, 2), &budget);
        arena_done(&arena);
    }
    sqlite3_finalize(query);
    if (is_own)
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return 0;
}

const struct probe probe_package = {
    .name = "package",
    .phase = PHASE_PASSIVE,
    .reads = "environment search_path",
    .writes = "package requirement constraint_spec",
    .run = run,
};
