#include "library/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "probe/look.h"

enum { SITES_MAX = 256, NAMES_MAX = 20000, PACKAGES_MAX = 256, FILES_MAX = 50000 };

/* --- the environment --- */

static void load_sites(struct probe_context *context, const char *probe, struct place *place)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT path FROM search_path WHERE environment_id = ?1 AND "
                                    "path IS NOT NULL AND present = 1 AND kind IS NOT 'zip' "
                                    "ORDER BY position");
    const char *sites[SITES_MAX];
    sqlite3_bind_text(query, 1, place->id, -1, SQLITE_STATIC);
    while (query && place->site_count < SITES_MAX && sqlite3_step(query) == SQLITE_ROW)
        sites[place->site_count++] = ask_column(context, query, 0);
    if (place->site_count == SITES_MAX && sqlite3_step(query) == SQLITE_ROW)
        probe_note_status(context, probe, place->id, place->prefix, "malformed", "",
                          "it searches more folders than are looked at");
    place->sites = arena_alloc(context->arena, (place->site_count + 1) * sizeof *place->sites);
    if (place->site_count)
        memcpy(place->sites, sites, place->site_count * sizeof *sites);
}

/* It was read, so that a look at it is answered. */
static void set_reach(struct place *place, struct reach *reach)
{
    place->reach = reach;
    reach_visited(reach, place->prefix);
    reach_visited(reach, place->python);
    for (size_t i = 0; i < place->site_count; i++)
        reach_visited(reach, place->sites[i]);
}

void places_load(struct probe_context *context, const char *probe, struct reach *reach,
                 struct place **ret, size_t *ret_count)
{
    struct place *places = NULL;
    size_t count = 0, capacity = 0;
    *ret = NULL;
    *ret_count = 0;
    if (facts_is_empty(context->facts, TABLE_environment))
        return;
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT environment_id, prefix, kind, python_path FROM "
                                    "environment WHERE depth = 'read' AND environment_id IS NOT "
                                    "NULL ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        places = xgrow(places, &capacity, count + 1, sizeof *places);
        places[count++] = (struct place){
            .id = ask_column(context, query, 0),
            .prefix = ask_column(context, query, 1),
            .kind = ask_column(context, query, 2),
            .python = ask_column(context, query, 3),
        };
    }
    *ret = arena_alloc(context->arena, (count + 1) * sizeof **ret);
    *ret_count = count;
    for (size_t i = 0; i < count; i++) {
        load_sites(context, probe, &places[i]);
        set_reach(&places[i], reach);
        (*ret)[i] = places[i];
    }
    free(places);
}

/* --- what lies in it --- */

static size_t length_below(const char *path, const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    while (n > 1 && folder[n - 1] == '/')
        n--;
    return n > 1 && !strncmp(path, folder, n) && path[n] == '/' ? n : 0;
}

bool place_holds(const struct place *place, const char *path, const char **ret_site)
{
    size_t longest = 0;
    *ret_site = NULL;
    for (size_t i = 0; i < place->site_count; i++) {
        size_t n = length_below(path, place->sites[i]);
        if (n > longest) {
            longest = n;
            *ret_site = place->sites[i];
        }
    }
    /* /usr is the prefix of the system's Python, and is not its own */
    bool is_own = !text_equal(place->kind, "system") && !text_equal(place->kind, "user");
    return longest || (is_own && length_below(path, place->prefix));
}

struct listing {
    struct probe_context *context;
    const struct place *place;
    bool is_cut;
    struct own_file *items;
    size_t count, capacity;
};

static bool list_names(struct listing *listing, const char *folder, size_t cap,
                       struct dir_list *ret)
{
    struct probe_context *context = listing->context;
    if (reach_is_out(listing->place->reach, folder))
        return false;
    int code = machine_list(context->machine, folder, cap, context->arena, ret);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "library", listing->place->id, folder, code, "shadowed", NULL);
    listing->is_cut |= code == 0 && ret->cut;
    return code == 0;
}

static void add_folder(struct listing *listing, const char *folder)
{
    struct dir_list list;
    struct arena *arena = listing->context->arena;
    if (!list_names(listing, folder, NAMES_MAX, &list))
        return;
    for (size_t i = 0; i < list.count; i++) {
        if (!text_starts(list.names[i], "lib") || !strstr(list.names[i], ".so"))
            continue;
        if (listing->count == FILES_MAX) {
            listing->is_cut = true;
            return;
        }
        listing->items =
            xgrow(listing->items, &listing->capacity, listing->count + 1, sizeof *listing->items);
        listing->items[listing->count++] = (struct own_file){
            .name = list.names[i],
            .path = arena_printf(arena, "%s/%s", folder, list.names[i]),
        };
    }
}

static void add_wheels(struct listing *listing, const char *site)
{
    struct dir_list list;
    struct arena *arena = listing->context->arena;
    const char *folder = arena_printf(arena, "%s/nvidia", site);
    if (!list_names(listing, folder, PACKAGES_MAX, &list))
        return;
    for (size_t i = 0; i < list.count; i++)
        if (!strchr(list.names[i], '.'))
            add_folder(listing, arena_printf(arena, "%s/%s/lib", folder, list.names[i]));
}

/* By name, then by path: the same on every run. */
static int compare(const void *a, const void *b)
{
    const struct own_file *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : strcmp(left->path, right->path);
}

static void list_files(struct place *place, struct probe_context *context)
{
    struct listing listing = {.context = context, .place = place};
    for (size_t i = 0; i < place->site_count; i++)
        add_wheels(&listing, place->sites[i]);
    if (text_equal(place->kind, "conda") && place->prefix)
        add_folder(&listing, arena_printf(context->arena, "%s/lib", place->prefix));
    place->files = arena_alloc(context->arena, (listing.count + 1) * sizeof *place->files);
    if (listing.count) {
        memcpy(place->files, listing.items, listing.count * sizeof *place->files);
        qsort(place->files, listing.count, sizeof *place->files, compare);
    }
    place->file_count = listing.count;
    place->has_files = true;
    if (listing.is_cut)
        probe_note_status(context, "library", place->id, place->prefix, "malformed", "shadowed",
                          "its library folders hold more files than are looked at");
    free(listing.items);
}

const struct own_file *place_files_named(struct place *place, struct probe_context *context,
                                         const char *name, size_t *ret_count)
{
    if (!place->has_files)
        list_files(place, context);
    size_t low = 0, high = place->file_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(place->files[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_count = 0;
    while (low + *ret_count < place->file_count &&
           !strcmp(place->files[low + *ret_count].name, name))
        ++*ret_count;
    return &place->files[low];
}
