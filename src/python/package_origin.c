/* Where a distribution came from: the small files beside METADATA. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/direct_url.h"
#include "parse/wheel_file.h"
#include "python/package.h"

enum { INSTALLER_MAX = 64, WHEEL_MAX = 8 * 1024, DIRECT_URL_MAX = 64 * 1024 };

/* Installers that write direct_url.json for what comes from elsewhere than an index. */
static const char *const index_installers[] = {"pip", "uv", "uv-pixi", "poetry", "pdm"};

/* False where it is not there; other failures are noted. */
static bool read_file(struct probe_context *context, const char *environment_id, const char *path,
                      size_t cap, bool is_head, struct bytes *ret, int *ret_code)
{
    int r = is_head ? machine_read_head(context->machine, path, cap, ret)
                    : machine_read(context->machine, path, cap, ret);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "package", environment_id, path, r, "", NULL);
    *ret_code = r;
    return r == 0;
}

/* "poetry 1.8.2" is poetry. NULL where it is not told. */
static const char *read_installer(struct probe_context *context, const char *environment_id,
                                  const char *folder)
{
    CLEANUP_BYTES struct bytes text = {0};
    int r;
    char *path = arena_printf(context->arena, "%s/INSTALLER", folder);
    if (!read_file(context, environment_id, path, INSTALLER_MAX, true, &text, &r))
        return NULL;
    size_t length = strcspn(text.data, " \t\r\n");
    return normalise_name(text.data, length, context->arena);
}

static bool is_from_index(const char *installer)
{
    for (size_t i = 0; i < sizeof index_installers / sizeof *index_installers; i++)
        if (text_equal(installer, index_installers[i]))
            return true;
    return false;
}

static void read_direct_url(struct probe_context *context, const char *folder,
                            struct row_package *row)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct direct_url found;
    int r;
    char *path = arena_printf(context->arena, "%s/direct_url.json", folder);
    if (!read_file(context, row->environment_id, path, DIRECT_URL_MAX, false, &text, &r)) {
        if (r == -ENOENT && is_from_index(row->installer))
            row->origin = "index";
        return;
    }
    if (!direct_url_parse(text.data, text.length, context->arena, &found)) {
        probe_note(context, "package", row->environment_id, path, -EBADMSG, "", NULL);
        return;
    }
    row->origin = found.origin;
    row->origin_url = found.url;
}

static const char *read_platform(struct probe_context *context, const char *environment_id,
                                 const char *folder)
{
    CLEANUP_BYTES struct bytes text = {0};
    int r;
    char *path = arena_printf(context->arena, "%s/WHEEL", folder);
    return read_file(context, environment_id, path, WHEEL_MAX, true, &text, &r)
               ? wheel_platform(text.data, text.length, context->arena)
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
                         const char *folder, struct row_package *row)
{
    row->installer = read_installer(context, site->environment_id, folder);
    row->platform_tag = read_platform(context, site->environment_id, folder);
    row->requested = is_requested(context, site, folder, row->installer);
    read_direct_url(context, folder, row);
}
