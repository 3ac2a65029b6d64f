/* Files that two distributions claim: installing one overwrites the other's, removing one takes
 * the other's away (nvidia-cudnn-cu12 and -cu13, onnxruntime and onnxruntime-gpu). */
#include "python/shared_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "parse/record.h"
#include "probe/look.h"

enum { OWNERS_MAX = 10000 };

/* The number of an earlier distribution of this name, else its own. */
static uint32_t number_of(const struct owners *owners, const char *name)
{
    for (size_t i = 0; i < owners->count; i++)
        if (!strcmp(owners->items[i].name, name))
            return owners->items[i].name_number;
    return (uint32_t)owners->count;
}

static void add_owner(struct probe_context *context, struct owners *owners, sqlite3_stmt *query)
{
    struct owner owner = {
        .name = ask_column(context, query, 2),
        .package_id = ask_column(context, query, 3),
    };
    char *folder = ask_column(context, query, 4), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!owner.name || !slash || slash == folder)
        return;
    *slash = '\0';
    owner.folder = folder;
    owner.name_number = number_of(owners, owner.name);
    owners->items =
        xgrow(owners->items, &owners->capacity, owners->count + 1, sizeof *owners->items);
    owners->items[owners->count++] = owner;
}

static void note_room(struct probe_context *context, const struct owners *owners)
{
    probe_note_status(context, "shared_file", owners->environment_id, owners->site, "malformed",
                      "shared_file", "more distributions than are compared");
}

static void note_site(struct probe_context *context, const struct owners *owners)
{
    bool has_record = false;
    for (size_t i = 0; i < owners->count && !has_record; i++)
        has_record = owners->items[i].is_read;
    probe_note_status(context, "shared_file", owners->environment_id, owners->site,
                      has_record ? "ok" : "absent", "shared_file",
                      has_record ? NULL : "no distribution here lists its files");
}

/* The site folder that the query stands at; true when another one follows. */
static bool read_site(struct probe_context *context, sqlite3_stmt *query, size_t *room,
                      uint64_t *bytes_left)
{
    struct owners owners = {.environment_id = ask_column(context, query, 0),
                            .site = ask_column(context, query, 1),
                            .bytes_left = bytes_left};
    bool is_row = true, is_full = false;
    while (is_row && text_equal((const char *)sqlite3_column_text(query, 1), owners.site) &&
           text_equal((const char *)sqlite3_column_text(query, 0), owners.environment_id)) {
        is_full = owners.count == OWNERS_MAX;
        if (!is_full)
            add_owner(context, &owners, query);
        is_row = sqlite3_step(query) == SQLITE_ROW;
    }
    if (is_full)
        note_room(context, &owners);
    shared_file_find(context, &owners, room);
    if (owners.count)
        note_site(context, &owners);
    free(owners.items);
    return is_row;
}

static int run(struct probe_context *context)
{
    /* as they were added: environment by environment, folder by folder */
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT environment_id, site, name, package_id, path FROM "
                                    "package WHERE kind = 'dist' ORDER BY rowid");
    bool is_row = query && sqlite3_step(query) == SQLITE_ROW;
    char *environment_id = NULL;
    size_t room = SHARED_ROWS_MAX;
    uint64_t bytes_left = RECORDS_MAX; /* each may be read three times */
    while (is_row) {
        struct arena arena = {0};
        struct probe_context scratch = *context;
        scratch.arena = &arena;
        if (!text_equal(environment_id, (const char *)sqlite3_column_text(query, 0))) {
            free(environment_id);
            environment_id = xstrdup((const char *)sqlite3_column_text(query, 0));
            room = SHARED_ROWS_MAX;
        }
        probe_progress(context, "comparing packages", 0, 0);
        is_row = read_site(&scratch, query, &room, &bytes_left);
        arena_done(&arena);
    }
    free(environment_id);
    return 0;
}

const struct probe probe_shared_file = {
    .name = "shared_file",
    .phase = PHASE_PASSIVE,
    .reads = "package",
    .writes = "shared_file",
    .run = run,
};
