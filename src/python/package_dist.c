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
