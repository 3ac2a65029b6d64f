/* Where a distribution came from: the small files beside METADATA. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/direct_url.h"
#include "parse/wheel_file.h"
#include "python/package.h"

/* Installers that write direct_url.json for what comes from elsewhere than an index. */
static const char *const index_installers[] = {"pip", "uv", "uv-pixi", "poetry", "pdm"};

/* False where it is not there; other failures are noted. */
static bool is_there(struct probe_context *context, const char *environment_id, const char *folder,
                     const char *name, const struct package_file *file)
{
    if (file->code < 0 && file->code != -ENOENT && file->code != -ENOTDIR)
        probe_note(context, "package", environment_id,
                   arena_printf(context->arena, "%s/%s", folder, name), file->code, "", NULL);
    return file->code == 0;
}

/* "poetry 1.8.2" is poetry. NULL where it is not told. */
static const char *read_installer(struct probe_context *context, const char *environment_id,
                                  const char *folder, const struct package_file *file)
{
    if (!is_there(context, environment_id, folder, "INSTALLER", file))
        return NULL;
    size_t length = strcspn(file->bytes.data, " \t\r\n");
    return normalise_name(file->bytes.data, length, context->arena);
}

static bool is_from_index(const char *installer)
{
    for (size_t i = 0; i < sizeof index_installers / sizeof *index_installers; i++)
        if (text_equal(installer, index_installers[i]))
            return true;
    return false;
}

static void read_direct_url(struct probe_context *context, const char *folder,
                            const struct package_file *file, struct row_package *row)
{
    static const char name[] = "direct_url.json";
    struct direct_url found;
    if (!is_there(context, row->environment_id, folder, name, file)) {
        if (file->code == -ENOENT && is_from_index(row->installer))
            row->origin = "index";
        return;
    }
    if (!direct_url_parse(file->bytes.data, file->bytes.length, context->arena, &found)) {
        probe_note(context, "package", row->environment_id,
                   arena_printf(context->arena, "%s/%s", folder, name), -EBADMSG, "", NULL);
        return;
    }
    row->origin = found.origin;
    row->origin_url = found.url;
}

static const char *read_platform(struct probe_context *context, const char *environment_id,
                                 const char *folder, const struct package_file *file)
{
    return is_there(context, environment_id, folder, "WHEEL", file)
               ? wheel_platform(file->bytes.data, file->bytes.length, context->arena)
               : NULL;
}

static bool has_mark(struct probe_context *context, const char *folder)
{
    struct file_stat st;
    char *path = arena_printf(context->arena, "%s/REQUESTED", folder);
    return machine_lstat(context->machine, path, &st) == 0;
}

/* Whether pip has marked anything here: before version 20.2 it did not. */
static bool has_marks(struct probe_context *context, struct package_site *site)
{
    for (size_t i = 0; !site->has_marks.known && i < site->names.count; i++) {
        const char *name = site->names.names[i];
        if (text_ends(name, ".dist-info") &&
            has_mark(context, arena_printf(context->arena, "%s/%s", site->path, name)))
            site->has_marks = known(1);
    }
    if (!site->has_marks.known)
        site->has_marks = known(0);
    return site->has_marks.value;
}

/* pip marks what was asked for. uv marks everything (0.13 does), others nothing: no word of
 * theirs. */
static struct opt is_requested(struct probe_context *context, struct package_site *site,
                               const char *folder, const char *installer)
{
    if (!text_equal(installer, "pip"))
        return UNKNOWN;
    if (has_mark(context, folder))
        return known(1);
    return has_marks(context, site) ? known(0) : UNKNOWN;
}

void package_read_origin(struct probe_context *context, struct package_site *site,
                         const char *folder, const struct package_files *files,
                         struct row_package *row)
{
    const char *id = site->environment_id;
    row->installer = read_installer(context, id, folder, &files->installer);
    row->platform_tag = read_platform(context, id, folder, &files->wheel);
    row->requested = is_requested(context, site, folder, row->installer);
    read_direct_url(context, folder, &files->direct_url, row);
}
