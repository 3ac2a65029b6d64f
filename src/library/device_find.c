#include "library/device_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "library/fill.h"
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
    const char *environment_id, *framework_id, *name, *cuda;
};

void device_owners_add(struct device_owners *owners, const char *environment_id,
                       const char *framework_id, const char *path)
{
    if (owners->count >= OWNERS_MAX) {
        owners->is_cut = true;
        return;
    }
    owners->items =
        xgrow(owners->items, &owners->capacity, owners->count + 1, sizeof *owners->items);
    owners->items[owners->count++] = (struct device_owner){environment_id, framework_id, path};
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
    const char *major = cuda_major_of(context->arena, framework->cuda);
    for (size_t i = 0; i < spec.device_count; i++) {
        const char *path = fill_cuda_major(context->arena, spec.device[i], major);
        struct found_paths found = {.count = 0};
        if (path)
            find_paths(&finder->paths, place, path, false, &found);
        for (size_t k = 0; k < found.count; k++)
            device_owners_add(finder->owners, framework->environment_id, framework->framework_id,
                              found.items[k]);
    }
}

void device_owners_find(struct probe_context *context, struct reach *reach,
                        struct device_owners *ret)
{
    struct finder finder = {.paths = {context, "device_code", reach}, .owners = ret};
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT environment_id, framework_id, name, cuda FROM framework WHERE "
                        "coalesce(variant, 'cuda') = 'cuda' AND name IS NOT NULL AND "
                        "environment_id IS NOT NULL ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        struct framework framework = {
            .environment_id = ask_column(context, query, 0),
            .framework_id = ask_column(context, query, 1),
            .name = ask_column(context, query, 2),
            .cuda = ask_column(context, query, 3),
        };
        if (!finder.places)
            places_load(context, "device_code", reach, &finder.places, &finder.place_count);
        add_framework(&finder, &framework);
    }
}
