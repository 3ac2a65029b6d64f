/* Packages as conda, mamba and pixi record them. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "probe/package.h"
#include "probe/read_conda_meta.h"
#include "probe/site.h"

/* Letters that occur in names, versions and builds of conda packages; others would only harm. */
static bool is_word(const char *text)
{
    size_t length = strlen(text);
    return length && length < 200 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "._-+!*~") == length;
}

static void add_requirements(struct probe_context *context, const char *environment_id,
                             const char *package, const struct conda_meta *meta)
{
    for (size_t i = 0; i < meta->depend_count; i++) {
        const char *specifier = NULL;
        const char *requires = conda_dependency(meta->depends[i], context->arena, &specifier);
        if (requires)
            facts_add_requirement(context->facts, &(struct row_requirement){
                                                      .environment_id = environment_id,
                                                      .package = package,
                                                      .requires = requires,
                                                      .specifier = specifier,
                                                  });
    }
}

/* conda's names are lower case already, and "-" and "_" differ in them. */
static const char *lower_case(struct arena *arena, const char *name)
{
    char *text = arena_strdup(arena, name);
    for (char *c = text; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return text;
}

static void add_package(struct probe_context *context, const char *environment_id,
                        const char *prefix, const char *path, const struct conda_meta *meta)
{
    if (!is_word(meta->name) || !is_word(meta->version)) {
        probe_note_status(context, "package", environment_id, path, "malformed", PACKAGE_FILLS,
                          "no valid name or version");
        return;
    }
    const char *name = lower_case(context->arena, meta->name);
    facts_add_package(context->facts,
                      &(struct row_package){
                          .environment_id = environment_id,
                          .package_id = package_id(context, environment_id, path),
                          .name = name,
                          .version = meta->version,
                          .kind = "conda",
                          .installer = "conda",
                          .build = meta->build && is_word(meta->build) ? meta->build : NULL,
                          .channel = conda_channel(meta->channel, context->arena),
                          .site = prefix,
                          .path = path,
                      });
    add_requirements(context, environment_id, name, meta);
}

static void read_record(struct probe_context *context, const char *environment_id,
                        const char *prefix, const char *path)
{
    struct conda_meta meta;
    int r = conda_meta_read(context->machine, path, context->arena, &meta);
    if (r == -EBADMSG)
        probe_note(context, "package", environment_id, path, r, PACKAGE_FILLS,
                   "no complete JSON with name and version");
    else if (r < 0)
        probe_note(context, "package", environment_id, path, r, PACKAGE_FILLS, NULL);
    else
        add_package(context, environment_id, prefix, path, &meta);
    conda_meta_done(&meta);
}

void package_read_conda(struct probe_context *context, const char *environment_id,
                        const char *prefix)
{
    struct dir_list names;
    char *folder = arena_printf(context->arena, "%s/conda-meta", prefix);
    int r = machine_list(context->machine, folder, SITE_ENTRIES_MAX, context->arena, &names);
    probe_note(context, "package", environment_id, folder, r == 0 && names.cut ? -EFBIG : r,
               PACKAGE_FILLS, NULL);
    for (size_t i = 0; r == 0 && i < names.count; i++)
        if (text_ends(names.names[i], ".json"))
            read_record(context, environment_id, prefix,
                        arena_printf(context->arena, "%s/%s", folder, names.names[i]));
}
