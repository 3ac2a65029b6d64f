/* Distributions as Python's installers record them. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/read.h"
#include "base/text.h"
#include "parse/metadata.h"
#include "probe/package.h"
#include "probe/site.h"

/* Headers are mostly below 16 KiB; behind them stands the project's long description. */
enum { HEAD_STEP = 16 * 1024, HEAD_MAX = 256 * 1024, INSTALLER_MAX = 64 };

/* Reads the headers, in steps, until the blank line behind them or the end of the file. */
static int read_headers(const struct machine *machine, const char *path, struct bytes *ret)
{
    CLEANUP_CLOSE int fd = -1;
    int r = machine_open(machine, path, &fd);
    if (r < 0)
        return r;
    ret->data = xmalloc(HEAD_STEP + 1);
    for (size_t size = HEAD_STEP;; size *= 2) {
        size_t capacity = size; /* what the block below has room for, besides the NUL */
        ssize_t got = read_at(fd, ret->data + ret->length, capacity - ret->length, ret->length);
        if (got < 0)
            return (int)got;
        ret->length += (size_t)got;
        ret->data[ret->length] = '\0';
        if (ret->length < capacity || size >= HEAD_MAX ||
            metadata_headers_end(ret->data, ret->length) < ret->length)
            return 0;
        ret->data = xgrow(ret->data, &capacity, 2 * size + 1, 1);
    }
}

/* "poetry 1.8.2" is poetry. NULL where it is not told. */
static const char *read_installer(struct probe_context *context, const char *environment_id,
                                  const char *folder)
{
    CLEANUP_BYTES struct bytes text = {0};
    char *path = arena_printf(context->arena, "%s/INSTALLER", folder);
    int r = machine_read_head(context->machine, path, INSTALLER_MAX, &text);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "package", environment_id, path, r, "", NULL);
    if (r < 0)
        return NULL;
    size_t length = strcspn(text.data, " \t\r\n");
    return normalise_name(text.data, length, context->arena);
}

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

static void note(struct probe_context *context, const char *environment_id, const char *path,
                 const char *detail)
{
    probe_note_status(context, "package", environment_id, path, "malformed", PACKAGE_FILLS, detail);
}

/* `path` is the file with the headers, `folder` the record that it belongs to. */
static void read_distribution(struct probe_context *context, struct row_package *row,
                              const char *folder, const struct bytes *text)
{
    struct metadata metadata;
    metadata_parse(text->data, text->length, context->arena, &metadata);
    if (!metadata.name)
        note(context, row->environment_id, row->path, "no valid Name");
    else if (!metadata.version || is_cut(&metadata, folder))
        note(context, row->environment_id, row->path, "no valid Version");
    else {
        row->name = metadata.name;
        row->version = metadata.version;
        row->package_id = package_id(context, row->environment_id, folder);
        add_rows(context, row, &metadata);
    }
    metadata_done(&metadata);
}

static void read_dist_info(struct probe_context *context, const char *environment_id,
                           const char *site, const char *name)
{
    CLEANUP_BYTES struct bytes text = {0};
    char *folder = arena_printf(context->arena, "%s/%s", site, name);
    struct row_package row = {.environment_id = environment_id,
                              .kind = "dist",
                              .site = site,
                              .path = arena_printf(context->arena, "%s/METADATA", folder)};
    int r = read_headers(context->machine, row.path, &text);
    if (r == -ENOENT || r == -ENOTDIR) {
        note(context, environment_id, row.path, "a dist-info folder without METADATA");
        return;
    }
    if (r < 0) {
        probe_note(context, "package", environment_id, row.path, r, PACKAGE_FILLS, NULL);
        return;
    }
    row.installer = read_installer(context, environment_id, folder);
    read_distribution(context, &row, folder, &text);
}

/* A folder with PKG-INFO in it, or a file that is PKG-INFO (distutils, Debian's packages). */
static void read_egg_info(struct probe_context *context, const char *environment_id,
                          const char *site, const char *name)
{
    CLEANUP_BYTES struct bytes text = {0};
    char *folder = arena_printf(context->arena, "%s/%s", site, name);
    struct row_package row = {.environment_id = environment_id,
                              .kind = "egg",
                              .site = site,
                              .path = arena_printf(context->arena, "%s/PKG-INFO", folder)};
    int r = read_headers(context->machine, row.path, &text);
    if (r == -ENOTDIR) {
        row.path = folder;
        r = read_headers(context->machine, row.path, &text);
    }
    if (r < 0) {
        probe_note(context, "package", environment_id, row.path, r, PACKAGE_FILLS, NULL);
        return;
    }
    read_distribution(context, &row, folder, &text);
}

void package_read_site(struct probe_context *context, const char *environment_id, const char *site)
{
    struct dir_list names;
    int r = machine_list(context->machine, site, SITE_ENTRIES_MAX, context->arena, &names);
    probe_note(context, "package", environment_id, site, r == 0 && names.cut ? -EFBIG : r,
               PACKAGE_FILLS, NULL);
    for (size_t i = 0; r == 0 && i < names.count; i++) {
        const char *name = names.names[i];
        bool is_dist = text_ends(name, ".dist-info");
        if (is_dist && name[0] == '~') /* pip renames what it is about to remove */
            probe_note_status(context, "package", environment_id,
                              arena_printf(context->arena, "%s/%s", site, name), "skipped", "",
                              "left over from an installation that was interrupted");
        else if (is_dist)
            read_dist_info(context, environment_id, site, name);
        else if (text_ends(name, ".egg-info"))
            read_egg_info(context, environment_id, site, name);
    }
}
