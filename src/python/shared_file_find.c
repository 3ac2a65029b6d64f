/* Compares the RECORDs of a site folder. An environment can have 200 of them with 100000 lines,
 * and hardly any file has two owners: so the first time only folders are compared (most lines lie
 * in the folder of the line before), then the files of the few folders that two distributions use,
 * and only then names are kept; of RECORDs that cannot matter any more nothing is read again. The
 * site itself and the folders outside (scripts in ../../../bin) have many users and few files:
 * there files are compared at once. The first time, which is most of the work, RECORDs are read in
 * several threads, and what they say is compared in the order of the distributions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/parallel.h"
#include "python/shared_read.h"
#include "python/shared_set.h"

enum { CLAIMS_MAX = 100000, CLAIM_BYTES_MAX = 32 * 1024 * 1024 };

/* Of all RECORDs of a site folder; ten times those of a large environment. */
#define BYTES_MAX ((uint64_t)128 << 20)

/* At once, and of one of them: TensorFlow's has 3 MB and 2000 folders. What has more is read
 * alone. */
enum { BATCH = 64, KEYS_MAX = 64 * 1024, ALONE = 4 * 1024 * 1024 };

enum stage { STAGE_FOLDERS, STAGE_FILES, STAGE_CLAIMS };

struct search {
    struct probe_context *context;
    struct owners *owners;
    struct shared_set folders, files;
    struct shared_claim *claims;
    size_t claim_count, claim_capacity, claim_bytes;
    bool is_cut;      /* there were more claims than are kept */
    uint64_t bytes;   /* read so far in this stage */
    bool is_too_much; /* BYTES_MAX was met: the other RECORDs were not read */
    /* while one RECORD is read */
    enum stage stage;
    struct owner *owner;
};

static struct owner *first_of_name(const struct search *search, uint32_t number)
{
    return &search->owners->items[number];
}

/* --- one RECORD at a time --- */

/* Adds a folder; whoever shares one has its files looked at later. */
static void add_folder(struct search *search, const struct owner *owner, uint64_t hash)
{
    uint32_t number = owner->name_number;
    const struct shared_slot *slot = shared_set_add(&search->folders, hash, number);
    if (slot && slot->is_shared)
        first_of_name(search, slot->owner)->shares_folder =
            first_of_name(search, number)->shares_folder = true;
}

static void add_file(struct search *search, const struct owner *owner, uint64_t key)
{
    uint32_t number = owner->name_number;
    const struct shared_slot *slot = shared_set_add(&search->files, key, number);
    if (slot && slot->is_shared)
        first_of_name(search, slot->owner)->shares_file =
            first_of_name(search, number)->shares_file = true;
}

static void add_claim(struct search *search, const struct shared_folder *folder, struct span leaf,
                      struct opt size)
{
    if (search->claim_count == CLAIMS_MAX || search->claim_bytes > CLAIM_BYTES_MAX) {
        search->is_cut = true;
        return;
    }
    search->claim_bytes += folder->length + 1 + leaf.length;
    search->claims = xgrow(search->claims, &search->claim_capacity, search->claim_count + 1,
                           sizeof *search->claims);
    search->claims[search->claim_count++] = (struct shared_claim){
        .path = arena_printf(search->context->arena, "%s%s%.*s", folder->path,
                             *folder->path ? "/" : "", (int)leaf.length, leaf.data),
        .owner = search->owner,
        .size = size,
    };
}

static bool wants(void *data, const struct shared_folder *folder)
{
    struct search *search = data;
    if (folder->is_common)
        return search->stage != STAGE_FILES;
    if (search->stage != STAGE_FOLDERS)
        return shared_set_has_shared(&search->folders, folder->hash);
    add_folder(search, search->owner, folder->hash);
    return false;
}

static void take_file(void *data, const struct shared_folder *folder, struct span leaf,
                      uint64_t key, struct opt size)
{
    struct search *search = data;
    if (search->stage != STAGE_CLAIMS)
        add_file(search, search->owner, key);
    else if (shared_set_has_shared(&search->files, key))
        add_claim(search, folder, leaf, size);
}

static void count_bytes(struct search *search, uint64_t bytes)
{
    uint64_t *left = search->owners->bytes_left;
    search->bytes += bytes;
    *left -= bytes < *left ? bytes : *left;
}

static void read_alone(struct search *search, struct owner *owner, enum stage stage,
                       struct shared_read *ret)
{
    struct shared_reader reader = {
        .owners = search->owners,
        .owner = owner,
        .most = UINT64_MAX,
        .wants = wants,
        .file = take_file,
        .data = search,
    };
    search->stage = stage;
    search->owner = owner;
    shared_read(search->context->machine, &reader, ret);
}

/* False, and told, where too much was read to go on. */
static bool may_read(struct search *search)
{
    bool may = search->bytes < BYTES_MAX && *search->owners->bytes_left;
    search->is_too_much |= !may;
    return may;
}

static void read_again(struct search *search, enum stage stage)
{
    search->bytes = 0;
    for (size_t i = 0; i < search->owners->count; i++) {
        struct owner *owner = &search->owners->items[i];
        const struct owner *first = first_of_name(search, owner->name_number);
        struct shared_read read;
        if (!owner->is_read || !(stage == STAGE_FILES ? first->shares_folder : first->shares_file))
            continue;
        if (may_read(search)) {
            read_alone(search, owner, stage, &read);
            count_bytes(search, read.bytes);
        }
    }
}

/* --- many at once --- */

struct keys {
    uint64_t *items;
    size_t count, capacity;
};

/* What one RECORD holds. */
struct found {
    struct search *search; /* not changed by threads */
    const struct owner *owner;
    struct keys folders, files; /* the latter of common folders alone */
    bool is_cut;                /* it has more */
    struct shared_read read;
};

static void add_key(struct found *found, struct keys *keys, uint64_t key)
{
    if (keys->count == KEYS_MAX) {
        found->is_cut = true;
        return;
    }
    keys->items = xgrow(keys->items, &keys->capacity, keys->count + 1, sizeof *keys->items);
    keys->items[keys->count++] = key;
}

static bool find_folder(void *data, const struct shared_folder *folder)
{
    struct found *found = data;
    if (!folder->is_common)
        add_key(found, &found->folders, folder->hash);
    return folder->is_common;
}

static void find_file(void *data, const struct shared_folder *folder, struct span leaf,
                      uint64_t key, struct opt size)
{
    struct found *found = data;
    (void)folder, (void)leaf, (void)size;
    add_key(found, &found->files, key);
}

static void find(void *data, size_t number)
{
    struct found *found = &((struct found *)data)[number];
    struct shared_reader reader = {
        .owners = found->search->owners,
        .owner = found->owner,
        .most = ALONE,
        .wants = find_folder,
        .file = find_file,
        .data = found,
    };
    shared_read(found->search->context->machine, &reader, &found->read);
}

static void note_end(struct search *search, const struct owner *owner,
                     const struct shared_read *read)
{
    CLEANUP_TEXT struct text path = {0};
    const char *id = search->owners->environment_id;
    shared_record_path(owner, &path);
    const char *what = record_end_fault(&read->end);
    if (read->code == 0 && what)
        probe_note_status(search->context, "shared_file", id, path.data, "malformed", "shared_file",
                          what);
    else if (read->code != 0 && read->code != -ENOENT && read->code != -ENOTDIR)
        /* Debian's packages have none */
        probe_note(search->context, "shared_file", id, path.data, read->code, "shared_file", NULL);
}

/* As if it were read now. */
static void take_found(struct search *search, struct owner *owner, struct found *found)
{
    if (found->is_cut || found->read.is_longer) {
        count_bytes(search, found->read.bytes); /* it is read twice */
        read_alone(search, owner, STAGE_FOLDERS, &found->read);
    } else {
        for (size_t i = 0; i < found->folders.count; i++)
            add_folder(search, owner, found->folders.items[i]);
        for (size_t i = 0; i < found->files.count; i++)
            add_file(search, owner, found->files.items[i]);
    }
    count_bytes(search, found->read.bytes);
    owner->is_read = found->read.code == 0;
    note_end(search, owner, &found->read);
}

static void read_batch(struct search *search, struct owner *owners, size_t count)
{
    CLEANUP_FREE struct found *found = xcalloc(count, sizeof *found);
    for (size_t i = 0; i < count; i++)
        found[i] = (struct found){.search = search, .owner = &owners[i]};
    parallel_for_most(PARALLEL_FEW, count, find, found);
    for (size_t i = 0; i < count; i++) {
        if (may_read(search))
            take_found(search, &owners[i], &found[i]);
        free(found[i].folders.items);
        free(found[i].files.items);
    }
}

static void read_first(struct search *search)
{
    size_t count = search->owners->count;
    for (size_t i = 0; i < count && may_read(search); i += BATCH)
        read_batch(search, &search->owners->items[i], count - i < BATCH ? count - i : BATCH);
}

/* --- all of it --- */

static void add_rows(struct search *search, size_t *room)
{
    if (!shared_file_add_rows(search->context, search->owners, search->claims, search->claim_count,
                              room))
        search->is_cut = true;
    if (search->is_too_much)
        probe_note_status(search->context, "shared_file", search->owners->environment_id,
                          search->owners->site, "malformed", "shared_file",
                          "its distributions list more files than are compared");
    if (search->is_cut || search->folders.is_full || search->files.is_full)
        probe_note_status(search->context, "shared_file", search->owners->environment_id,
                          search->owners->site, "malformed", "shared_file",
                          "more files with several owners than are listed");
}

void shared_file_find(struct probe_context *context, struct owners *owners, size_t *room)
{
    /* a file has two owners at least, and so two claims */
    struct search search = {
        .context = context, .owners = owners, .files.shared_max = CLAIMS_MAX / 2};
    read_first(&search);
    read_again(&search, STAGE_FILES);
    read_again(&search, STAGE_CLAIMS);
    add_rows(&search, room);
    free(search.claims);
    shared_set_done(&search.folders);
    shared_set_done(&search.files);
}
