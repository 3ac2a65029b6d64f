#include "library/device_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "library/find_path.h"
#include "library/load_spec.h"
#include "probe/look.h"

enum { OWNERS_MAX = 4096 }; /* vLLM and xformers have below ten files each */

struct finder {
    struct path_finder paths;
    struct device_owners *owners;
    struct place *places;
    size_t place_count;
};

struct framework {
    const char *environment_id, *framework_id, *name, *cuda, *release;
};

static void add_owner(struct device_owners *owners, const struct device_owner *owner)
{
    if (owners->count >= OWNERS_MAX) {
        owners->is_cut = true;
        return;
    }
    owners->items =
        xgrow(owners->items, &owners->capacity, owners->count + 1, sizeof *owners->items);
    owners->items[owners->count++] = *owner;
}

void device_owners_add(struct device_owners *owners, const char *environment_id,
                       const char *framework_id, const char *path)
{
    add_owner(owners, &(struct device_owner){environment_id, framework_id, path, false});
}

void device_owners_done(struct device_owners *owners)
{
    free(owners->items);
}

static const struct place *place_of(const struct finder *finder, const char *id)
{
    for (size_t i = 0; i < finder->place_count; i++)
        if (text_equal(finder->places[i].id, id))
            return &finder->places[i];
    return NULL;
}

struct neighbours {
    struct probe_context *context;
    const char *environment_id;
};

static bool cuda_of(void *data, const char *framework, const char **ret_cuda)
{
    const struct neighbours *neighbours = data;
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(neighbours->context->facts,
                    "SELECT cuda FROM framework WHERE environment_id = ?1 AND name = ?2");
    *ret_cuda = NULL;
    sqlite3_bind_text(query, 1, neighbours->environment_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, framework, -1, SQLITE_STATIC);
    if (!query || sqlite3_step(query) != SQLITE_ROW)
        return false;
    *ret_cuda = ask_column(neighbours->context, query, 0);
    return true;
}

static void add_path(struct finder *finder, const struct framework *framework,
                     const struct place *place, const char *path)
{
    struct probe_context *context = finder->paths.context;
    struct neighbours neighbours = {context, framework->environment_id};
    const struct fill_values values = {context->machine, framework->cuda, cuda_of, &neighbours};
    struct filled filled = fill_path(context->arena, path, &values);
    struct found_paths found = {.count = 0, .doubt = filled.odd_variable};
    if (filled.path)
        find_filled(&finder->paths, place, &filled, false, &found);
    for (size_t i = 0; i < found.count; i++)
        device_owners_add(finder->owners, framework->environment_id, framework->framework_id,
                          found.items[i]);
    if (found.doubt)
        add_owner(finder->owners,
                  &(struct device_owner){framework->environment_id, framework->framework_id,
                                         filled.path ? filled.path : path, true});
}

static void add_framework(struct finder *finder, const struct framework *framework)
{
    struct probe_context *context = finder->paths.context;
    const struct place *place = place_of(finder, framework->environment_id);
    const struct descriptor *descriptor =
        descriptor_named(context->descriptors, context->descriptor_count, framework->name);
    struct load_spec spec;
    struct error err;
    if (!place || !descriptor)
        return;
    if (load_spec_parse(descriptor->json, context->arena, &spec, &err) < 0) {
        /* the rules' fault, not the machine's: what it says of the framework stays unknown */
        probe_note_status(context, "device_code", framework->environment_id, descriptor->file,
                          "malformed", "device_file device_code", err.text);
        return;
    }
    for (size_t i = 0; i < spec.device_count; i++)
        if (load_release_fits(framework->release, spec.device[i].since, spec.device[i].before))
            add_path(finder, framework, place, spec.device[i].path);
}

void device_owners_find(struct probe_context *context, struct reach *reach,
                        struct device_owners *ret)
{
    struct finder finder = {.paths = {context, "device_code", reach}, .owners = ret};
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts,
                    "SELECT environment_id, framework_id, name, cuda, release FROM framework WHERE "
                    "coalesce(variant, 'cuda') = 'cuda' AND name IS NOT NULL AND "
                    "environment_id IS NOT NULL ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        struct framework framework = {
            .environment_id = ask_column(context, query, 0),
            .framework_id = ask_column(context, query, 1),
            .name = ask_column(context, query, 2),
            .cuda = ask_column(context, query, 3),
            .release = ask_column(context, query, 4),
        };
        if (!finder.places)
            places_load(context, "device_code", reach, &finder.places, &finder.place_count);
        add_framework(&finder, &framework);
    }
}
