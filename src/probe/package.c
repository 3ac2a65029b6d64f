/* Installed packages of every environment that is read: *.dist-info, *.egg-info, conda-meta. */
#include "probe/package.h"

#include <string.h>

#include "base/text.h"
#include "probe/look.h"
#include "probe/site.h"

const char *package_id(struct probe_context *context, const char *environment_id, const char *path)
{
    size_t length = strlen(environment_id);
    bool is_inside = text_starts(path, environment_id) && path[length] == '/';
    return arena_printf(context->arena, "%s:%s", environment_id,
                        is_inside ? path + length + 1 : path);
}

static void read_environment(struct probe_context *context, const char *prefix, const char *kind,
                             const char *python)
{
    struct site_list sites;
    if (text_equal(kind, "conda"))
        package_read_conda(context, prefix, prefix);
    site_folders(context->machine, context->arena, prefix, kind, python, &sites);
    for (size_t i = 0; i < sites.count; i++)
        package_read_site(context, prefix, sites.items[i]);
    if (sites.error)
        probe_note(context, "package", prefix, prefix, sites.error, PACKAGE_FILLS,
                   "a folder of its packages cannot be read");
    else if (!sites.count && !text_equal(kind, "conda"))
        probe_note_status(context, "package", prefix, prefix, "absent", PACKAGE_FILLS,
                          "no site-packages folder");
    site_list_done(&sites);
}

static int run(struct probe_context *context)
{
    sqlite3 *db = facts_db(context->facts);
    /* hundreds of rows: as one transaction where the caller has none open */
    bool is_own = sqlite3_get_autocommit(db) != 0;
    if (is_own)
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    sqlite3_stmt *query =
        facts_query(context->facts, "SELECT prefix, kind, python FROM environment "
                                    "WHERE depth = 'read' ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW)
        read_environment(context, ask_column(context, query, 0), ask_column(context, query, 1),
                         ask_column(context, query, 2));
    sqlite3_finalize(query);
    if (is_own)
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return 0;
}

const struct probe probe_package = {
    .name = "package",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "package requirement",
    .run = run,
};
