/* Distributions as Python's installers record them: *.dist-info folders. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "python/package.h"

static void add_rows(struct probe_context *context, const struct row_package *row,
                     const struct metadata *metadata)
{
    facts_add_package(context->facts, row);
    for (size_t i = 0; i < metadata->requirement_count; i++) {
        const struct metadata_requirement *item = &metadata->requirements[i];
        facts_add_requirement(context->facts, &(struct row_requirement){
                                                  .environment_id = row->environment_id,
                                                  .package = row->name,
                                                  .requires = item->name,
                                                  .specifier = item->specifier,
                                                  .extra = item->extra,
                                                  .marker = item->marker,
                                                  .extras = item->extras,
                                              });
    }
}

/* A file that ends inside the line of its version was not written to the end, unless the folder's
 * name says the same version. */
static bool is_cut(const struct metadata *metadata, const char *folder)
{
    if (!metadata->is_version_cut)
        return false;
    const char *leaf = strrchr(folder, '/'), *dash = leaf ? strchr(leaf, '-') : NULL;
    const char *rest = dash && text_starts(dash + 1, metadata->version)
                           ? dash + 1 + strlen(metadata->version)
                           : "";
    return strcmp(rest, ".dist-info") != 0 && strcmp(rest, ".egg-info") != 0;
}

void package_note(struct probe_context *context, const char *environment_id, const char *path,
                  const char *detail)
{
    probe_note_status(context, "package", environment_id, path, "malformed", PACKAGE_FILLS, detail);
}

void package_note_budget(struct probe_context *context, const char *environment_id,
                         const char *path)
{
    package_note(context, environment_id, path,
                 "not all packages here were read: those of all environments are too many, or too "
                 "large");
}

void package_add_distribution(struct probe_context *context, struct row_package *row,
                              const char *folder, const struct metadata *metadata)
{
    if (!metadata->name)
        package_note(context, row->environment_id, row->path, "no valid Name");
    else if (!metadata->version || is_cut(metadata, folder))
        package_note(context, row->environment_id, row->path, "no valid Version");
    else {
        row->name = metadata->name;
        row->version = metadata->version;
        row->package_id = package_id(context, row->environment_id, folder);
        add_rows(context, row, metadata);
        if (metadata->is_cut)
            package_note(context, row->environment_id, row->path,
                         "it has more headers than are read");
    }
}

static bool is_link(const struct machine *machine, const char *path)
{
    struct file_stat st;
    return machine_lstat(machine, path, &st) == 0 && st.type == FILE_LINK;
}

/* Links into a cache that was emptied: "name-version.dist-info" still says what was installed. */
static void add_named(struct probe_context *context, struct package_site *site, const char *name,
                      const struct package_files *files, struct row_package *row)
{
    CLEANUP_TEXT struct text headers = {0};
    struct metadata metadata;
    const char *dash = strchr(name, '-');
    size_t length = strlen(name) - strlen(".dist-info");
    size_t end = dash ? (size_t)(dash - name) : length;
    if (!site->has_dead_links)
        probe_note_status(context, "package", site->environment_id, row->path, "malformed",
                          "package requirement framework",
                          "a link that leads nowhere; more here may be");
    site->has_dead_links = true;
    if (end >= length)
        return;
    text_printf(&headers, "Name: %.*s\nVersion: %.*s\n", (int)end, name, (int)(length - end - 1),
                dash + 1);
    metadata_parse(headers.data, headers.length, context->arena, &metadata);
    const char *folder = arena_printf(context->arena, "%s/%s", site->path, name);
    package_read_origin(context, site, folder, files, row);
    package_add_distribution(context, row, folder, &metadata);
    metadata_done(&metadata);
}

void package_read_dist(struct probe_context *context, struct package_site *site, const char *name,
                       const struct package_files *files)
{
    char *folder = arena_printf(context->arena, "%s/%s", site->path, name);
    struct row_package row = {.environment_id = site->environment_id,
                              .kind = "dist",
                              .site = site->path,
                              .path = arena_printf(context->arena, "%s/METADATA", folder)};
    const struct bytes *text = &files->metadata.bytes;
    int r = files->metadata.code;
    site->budget->bytes += files->cost;
    if (r == -ENOENT && is_link(context->machine, row.path)) {
        add_named(context, site, name, files, &row);
        return;
    }
    if (r == -ENOENT || r == -ENOTDIR) {
        /* no installer counts it as an owner of its files any more */
        probe_note_status(context, "package", site->environment_id, row.path, "malformed",
                          "package requirement framework", "a dist-info folder without METADATA");
        return;
    }
    if (r < 0) {
        probe_note(context, "package", site->environment_id, row.path, r, PACKAGE_FILLS, NULL);
        return;
    }
    struct metadata metadata;
    metadata_parse(text->data, text->length, context->arena, &metadata);
    package_read_origin(context, site, folder, files, &row);
    package_add_distribution(context, &row, folder, &metadata);
    metadata_done(&metadata);
}
