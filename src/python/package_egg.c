/* Distributions as setuptools and distutils record them: *.egg-info, *.egg and *.egg-link. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/requires_txt.h"
#include "python/package.h"

enum { REQUIRES_MAX = 256 * 1024, PROJECT_ENTRIES_MAX = 2000 };

/* Some versions of setuptools leave requirements to requires.txt, others write them into PKG-INFO
 * as well; the headers count where they have any. */
static void read_requires(struct probe_context *context, const char *environment_id,
                          const char *folder, struct metadata *metadata)
{
    CLEANUP_BYTES struct bytes text = {0};
    char *path = arena_printf(context->arena, "%s/requires.txt", folder);
    if (metadata->requirement_count)
        return;
    int r = machine_read(context->machine, path, REQUIRES_MAX, &text);
    if (r == 0)
        requires_txt_parse(text.data, text.length, context->arena, metadata);
    else if (r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "package", environment_id, path, r, "requirement", NULL);
}

/* A folder with PKG-INFO in it, or a file that is PKG-INFO (distutils, Debian's packages). */
static void read_record(struct probe_context *context, const struct package_site *site,
                        const char *folder, const char *origin, const char *origin_url)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct row_package row = {.environment_id = site->environment_id,
                              .kind = "egg",
                              .site = site->path,
                              .path = arena_printf(context->arena, "%s/PKG-INFO", folder),
                              .origin = origin,
                              .origin_url = origin_url};
    int r = package_read_headers(context->machine, row.path, site->budget, &text);
    if (r == -ENOTDIR) {
        row.path = folder;
        r = package_read_headers(context->machine, row.path, site->budget, &text);
    }
    if (r < 0) {
        probe_note(context, "package", row.environment_id, row.path, r, PACKAGE_FILLS, NULL);
        return;
    }
    struct metadata metadata;
    metadata_parse(text.data, text.length, context->arena, &metadata);
    if (row.path != folder)
        read_requires(context, row.environment_id, folder, &metadata);
    package_add_distribution(context, &row, folder, &metadata);
    metadata_done(&metadata);
}

static bool is_linked(const struct package_budget *budget, const char *folder)
{
    for (size_t i = 0; i < budget->linked_count; i++)
        if (!strcmp(budget->linked[i], folder))
            return true;
    return false;
}

static void remember_link(struct package_budget *budget, const char *folder)
{
    if (budget->linked_count < PACKAGE_LINKS_MAX)
        budget->linked[budget->linked_count++] = arena_strdup(budget->arena, folder);
}

void package_read_egg_info(struct probe_context *context, const struct package_site *site,
                           const char *name)
{
    const char *folder = arena_printf(context->arena, "%s/%s", site->path, name);
    if (!is_linked(site->budget, folder))
        read_record(context, site, folder, NULL, NULL);
}

void package_read_egg(struct probe_context *context, const struct package_site *site,
                      const char *name)
{
    struct file_stat st;
    char *path = arena_printf(context->arena, "%s/%s", site->path, name);
    int r = machine_stat(context->machine, path, &st);
    if (r == 0 && st.type == FILE_REGULAR)
        probe_note_status(context, "package", site->environment_id, path, "skipped", PACKAGE_FILLS,
                          "a zipped egg is not looked into");
    else
        read_record(context, site, arena_printf(context->arena, "%s/EGG-INFO", path), NULL, NULL);
}

/* The first *.egg-info in the project's folder, where it is not named like the link. */
static const char *find_egg_info(struct probe_context *context, const char *project)
{
    struct dir_list names;
    if (machine_list(context->machine, project, PROJECT_ENTRIES_MAX, context->arena, &names) != 0)
        return NULL;
    for (size_t i = 0; i < names.count; i++)
        if (text_ends(names.names[i], ".egg-info"))
            return arena_printf(context->arena, "%s/%s", project, names.names[i]);
    return NULL;
}

/* NAME.egg-info of a project: setuptools writes "_" for "-" in the folder's name. */
static const char *egg_info_of(struct probe_context *context, const char *project, const char *link)
{
    char *leaf = arena_strndup(context->arena, link, strlen(link) - strlen(".egg-link"));
    for (char *c = leaf; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const char *path = arena_printf(context->arena, "%s/%s.egg-info", project, leaf);
    return machine_exists(context->machine, path) ? path : find_egg_info(context, project);
}

/* The first line is the folder of a project that "setup.py develop" put on the path. */
void package_read_egg_link(struct probe_context *context, const struct package_site *site,
                           const char *name)
{
    char *project = NULL, *path = arena_printf(context->arena, "%s/%s", site->path, name);
    int r = machine_read_line(context->machine, path, context->arena, &project);
    if (r < 0 || project[0] != '/') {
        probe_note(context, "package", site->environment_id, path, r < 0 ? r : -EBADMSG,
                   PACKAGE_FILLS, NULL);
        return;
    }
    const char *folder = egg_info_of(context, project, name);
    if (folder)
        remember_link(site->budget, folder);
    if (folder)
        read_record(context, site, folder, "editable", project);
    else
        probe_note_status(context, "package", site->environment_id, path, "malformed",
                          PACKAGE_FILLS, "the project that it leads to has no egg-info folder");
}
