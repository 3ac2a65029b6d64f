#include "library/device_find.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "library/load_spec.h"
#include "library/place.h"
#include "probe/look.h"

/* vLLM and xformers have below ten files each; a folder of a package has some thousand names. */
enum { NAMES_MAX = 20000, FILES_OF_ONE_PATH = 64, OWNERS_MAX = 4096 };

struct finder {
    struct probe_context *context;
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
    if (owners->count >= OWNERS_MAX)
        return;
    owners->items =
        xgrow(owners->items, &owners->capacity, owners->count + 1, sizeof *owners->items);
    owners->items[owners->count++] = (struct device_owner){environment_id, framework_id, path};
}

void device_owners_done(struct device_owners *owners)
{
    free(owners->items);
}

/* "{cuda_major}" filled in; NULL where it is not known. */
static const char *fill_path(struct arena *arena, const char *path, const char *cuda)
{
    static const char token[] = "{cuda_major}";
    const char *at = strstr(path, token);
    if (!at)
        return path;
    if (!cuda)
        return NULL;
    return arena_printf(arena, "%.*s%.*s%s", (int)(at - path), path, (int)strcspn(cuda, "."), cuda,
                        at + strlen(token));
}

/* The names in a folder that fit, each of them. */
static size_t add_fitting(struct finder *finder, const struct framework *framework,
                          const char *folder, const char *glob)
{
    struct dir_list list;
    struct arena *arena = finder->context->arena;
    int code = machine_list(finder->context->machine, folder, NAMES_MAX, arena, &list);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(finder->context, "device_code", framework->environment_id, folder, code, NULL,
                   NULL);
    size_t added = 0;
    for (size_t i = 0; code == 0 && i < list.count && added < FILES_OF_ONE_PATH; i++)
        if (fnmatch(glob, list.names[i], FNM_NOESCAPE) == 0) {
            device_owners_add(finder->owners, framework->environment_id, framework->framework_id,
                              arena_printf(arena, "%s/%s", folder, list.names[i]));
            added++;
        }
    return added;
}

/* Of the folders that Python searches the first that has it wins. "./NAME" lies in one itself. */
static void add_path(struct finder *finder, const struct framework *framework,
                     const struct place *place, const char *path)
{
    struct arena *arena = finder->context->arena;
    path += text_starts(path, "./") ? 2 : 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool is_glob = strchr(name, '*');
    for (size_t i = 0; i < place->site_count; i++) {
        const char *full = arena_printf(arena, "%s/%s", place->sites[i], path);
        const char *folder = arena_strndup(arena, full, strlen(full) - strlen(name) - 1);
        if (is_glob && add_fitting(finder, framework, folder, name))
            return;
        if (!is_glob && machine_exists(finder->context->machine, full)) {
            device_owners_add(finder->owners, framework->environment_id, framework->framework_id,
                              full);
            return;
        }
    }
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
    struct probe_context *context = finder->context;
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
    for (size_t i = 0; i < spec.device_count; i++) {
        const char *path = fill_path(context->arena, spec.device[i], framework->cuda);
        if (path)
            add_path(finder, framework, place, path);
    }
}

void device_owners_find(struct probe_context *context, struct device_owners *ret)
{
    struct finder finder = {.context = context, .owners = ret};
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
            places_load(context, &finder.places, &finder.place_count);
        add_framework(&finder, &framework);
    }
}
