/* Packages as conda, mamba and pixi record them. */
#include <errno.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "parse/address.h"
#include "python/package.h"
#include "python/read_conda_meta.h"
#include "python/site.h"

#define CONDA_FILLS PACKAGE_FILLS " constraint_spec"

enum { PINNED_MAX = 64 * 1024 };

/* Letters that occur in names, versions and builds of conda packages; others would only harm. */
static bool is_word(const char *text)
{
    size_t length = strlen(text);
    return length && length < 200 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                        "._-+!*~") == length;
}

static void add_requirements(struct probe_context *context, const char *environment_id,
                             const char *package, const struct conda_words *depends)
{
    for (size_t i = 0; i < depends->count; i++) {
        const char *specifier = NULL;
        const char *requires = conda_dependency(depends->items[i], context->arena, &specifier);
        if (requires && specifier)
            specifier = address_scrub(specifier, context->arena);
        if (requires)
            facts_add_requirement(context->facts, &(struct row_requirement){
                                                      .environment_id = environment_id,
                                                      .package = package,
                                                      .requires = requires,
                                                      .specifier = specifier,
                                                  });
    }
}

static bool add_constraint(struct probe_context *context, const char *environment_id,
                           const char *package, const char *text)
{
    struct conda_spec spec;
    if (!conda_spec_parse(address_scrub(text, context->arena), context->arena, &spec))
        return false;
    facts_add_constraint_spec(context->facts, &(struct row_constraint_spec){
                                                  .environment_id = environment_id,
                                                  .package = package,
                                                  .constrains = spec.name,
                                                  .specifier = spec.specifier,
                                                  .build = spec.build,
                                              });
    return true;
}

/* conda-meta/pinned: a specification a line; comments begin with "#". */
static void read_pins(struct probe_context *context, const char *environment_id, const char *folder)
{
    CLEANUP_BYTES struct bytes text = {0};
    char *path = arena_printf(context->arena, "%s/pinned", folder);
    int r = machine_read(context->machine, path, PINNED_MAX, &text);
    struct span line;
    size_t cursor = 0;
    while (r == 0 && span_line(text.data, text.length, &cursor, &line)) {
        line.length = line.length ? strcspn(line.data, "#\r\n") : 0;
        line = span_trim(line);
        if (line.length && !add_constraint(context, environment_id, "pinned",
                                           arena_strndup(context->arena, line.data, line.length)))
            r = -EBADMSG;
    }
    if (r != -ENOENT && r != -ENOTDIR)
        probe_note(context, "package", environment_id, path, r, "constraint_spec",
                   r == -EBADMSG ? "a line of it is no specification of a package" : NULL);
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

/* Of a channel's folder noarch, or built as such; old records tell neither. */
static struct opt is_noarch(const struct conda_meta *meta)
{
    if (meta->noarch || text_equal(meta->subdir, "noarch"))
        return known(1);
    return meta->subdir ? known(0) : UNKNOWN;
}

static void add_package(struct probe_context *context, const char *environment_id,
                        const char *prefix, const char *path, const struct conda_meta *meta)
{
    if (!is_word(meta->name) || !is_word(meta->version)) {
        probe_note_status(context, "package", environment_id, path, "malformed", CONDA_FILLS,
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
                          .requested = meta->requested,
                          .noarch = is_noarch(meta),
                      });
    add_requirements(context, environment_id, name, &meta->depends);
    for (size_t i = 0; i < meta->constrains.count; i++)
        add_constraint(context, environment_id, name, meta->constrains.items[i]);
}

static void read_record(struct probe_context *context, const char *environment_id,
                        const char *prefix, const char *path, struct package_budget *budget)
{
    struct conda_meta meta;
    int r = conda_meta_read(context->machine, path, context->arena, &meta, &budget->bytes);
    if (r == -EBADMSG)
        probe_note(context, "package", environment_id, path, r, CONDA_FILLS,
                   "no complete JSON with name and version");
    else if (r < 0)
        probe_note(context, "package", environment_id, path, r, CONDA_FILLS, NULL);
    else
        add_package(context, environment_id, prefix, path, &meta);
    conda_meta_done(&meta);
}

void package_read_conda(struct probe_context *context, const char *environment_id,
                        const char *prefix, struct package_budget *budget)
{
    struct dir_list names;
    char *folder = arena_printf(context->arena, "%s/conda-meta", prefix);
    int r = machine_list(context->machine, folder, SITE_ENTRIES_MAX, context->arena, &names);
    probe_note(context, "package", environment_id, folder, r == 0 && names.cut ? -EFBIG : r,
               CONDA_FILLS, NULL);
    for (size_t i = 0; r == 0 && i < names.count; i++) {
        struct arena arena = {0};
        struct probe_context scratch = package_scratch(context, &arena);
        bool is_record = text_ends(names.names[i], ".json");
        if (is_record && !package_afford(budget)) {
            package_note_budget(context, environment_id, folder);
            return;
        }
        probe_progress(context, "reading packages", i, names.count);
        if (is_record)
            read_record(&scratch, environment_id, prefix,
                        arena_printf(&arena, "%s/%s", folder, names.names[i]), budget);
        arena_done(&arena);
    }
    if (r == 0)
        read_pins(context, environment_id, folder);
}
