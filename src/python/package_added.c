/* Packages in folders that .pth files add: a company's shared folder, projects in development.
 * Python imports from there as from the site folder itself. */
#include <errno.h>

#include "base/text.h"
#include "probe/look.h"
#include "python/package.h"

enum { FOLDERS_MAX = 64 };

void package_read_added(struct probe_context *context, const char *environment_id,
                        struct package_budget *budget)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT path FROM search_path WHERE environment_id = ?1 AND present = 1 "
                        "AND owner_id IS NULL AND kind IN ('pth', 'egg-link', 'editable') "
                        "ORDER BY position");
    sqlite3_bind_text(query, 1, environment_id, -1, SQLITE_STATIC);
    for (int i = 0; query && sqlite3_step(query) == SQLITE_ROW; i++) {
        const char *path = ask_column(context, query, 0);
        if (i == FOLDERS_MAX) {
            package_note(context, environment_id, path,
                         "packages in this folder and the ones after it were not read: .pth files "
                         "add too many");
            return;
        }
        package_read_site(context, environment_id, path, budget);
    }
}
