/* What the RECORDs of a site folder claim twice, as rows. A set of distributions that shares
 * thousands of files (two builds of one package) must not hide another one that shares a few. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "python/shared_file.h"
#include "python/shared_set.h"

enum { SETS_MAX = 1000, NAMES_MAX = 6 };

/* Distributions that share files, by the hash of their numbers. */
struct sharers {
    uint64_t key;
    size_t files;
    const struct shared_claim *first; /* the claims of one file: `count` of them */
    size_t count;
};

struct rows {
    struct probe_context *context;
    const struct owners *owners;
    struct sharers *sets;
    size_t set_count, set_capacity, last; /* last: the one used last */
    bool is_cut;
};

static int compare_claims(const void *a, const void *b)
{
    const struct shared_claim *left = a, *right = b;
    int order = strcmp(left->path, right->path);
    if (order == 0)
        order = left->owner < right->owner ? -1 : left->owner > right->owner;
    return order;
}

/* A distribution counts once for a file, also where its RECORD lists it twice. */
static bool is_new_owner(const struct shared_claim *claims, size_t i)
{
    return i == 0 || claims[i].owner != claims[i - 1].owner;
}

/* Whether an earlier claim is of the same name: records of an upgrade that was interrupted. */
static bool is_new_name(const struct shared_claim *claims, size_t i)
{
    for (size_t before = 0; before < i; before++)
        if (claims[before].owner->name_number == claims[i].owner->name_number)
            return false;
    return true;
}

/* Claims of a file come in the order of their owners. */
static struct sharers *find_set(struct rows *rows, const struct shared_claim *claims, size_t count)
{
    uint64_t key = SHARED_HASH_START;
    for (size_t i = 0; i < count; i++)
        if (is_new_owner(claims, i))
            key = shared_hash(key, (const char *)&claims[i].owner->name_number,
                              sizeof claims[i].owner->name_number);
    for (size_t n = 0; n < rows->set_count; n++) {
        size_t i = (rows->last + n) % rows->set_count;
        if (rows->sets[i].key == key) {
            rows->last = i;
            return &rows->sets[i];
        }
    }
    if (rows->set_count == SETS_MAX)
        return NULL;
    rows->sets = xgrow(rows->sets, &rows->set_capacity, rows->set_count + 1, sizeof *rows->sets);
    rows->last = rows->set_count++;
    rows->sets[rows->last] = (struct sharers){.key = key, .first = claims, .count = count};
    return &rows->sets[rows->last];
}

/* Size of the file that is there; -1 where there is none, unknown where that cannot be seen. */
static struct opt size_on_disk(const struct rows *rows, const char *path)
{
    CLEANUP_TEXT struct text full = {0};
    struct file_stat st;
    text_printf(&full, "%s%s%s", *path == '/' ? "" : rows->owners->site, *path == '/' ? "" : "/",
                path);
    int r = machine_stat(rows->context->machine, full.data, &st);
    if (r == 0)
        return known(st.type == FILE_REGULAR ? (int64_t)st.size : -1);
    return r == -ENOENT || r == -ENOTDIR ? known(-1) : UNKNOWN;
}

static void add_row(const struct rows *rows, const struct shared_claim *claim, struct opt size)
{
    bool is_known = size.known && (claim->size.known || size.value < 0);
    facts_add_shared_file(
        rows->context->facts,
        &(struct row_shared_file){
            .environment_id = rows->owners->environment_id,
            .site = rows->owners->site,
            .path = claim->path,
            .package = claim->owner->name,
            .package_id = claim->owner->package_id,
            .size = claim->size,
            .matches =
                is_known ? known(claim->size.known && claim->size.value == size.value) : UNKNOWN,
        });
}

/* The claims of one file. */
static void add_file(struct rows *rows, const struct shared_claim *claims, size_t count,
                     size_t *room)
{
    size_t owners = 0;
    bool is_shared = false;
    for (size_t i = 0; i < count; i++) {
        owners += is_new_owner(claims, i);
        is_shared |= claims[i].owner->name_number != claims[0].owner->name_number;
    }
    if (!is_shared)
        return;
    struct sharers *set = find_set(rows, claims, count);
    if (!set || (set->files++ < SHARED_PATHS_MAX && owners > *room)) {
        rows->is_cut = true;
        return;
    }
    if (set->files > SHARED_PATHS_MAX)
        return;
    struct opt size = size_on_disk(rows, claims[0].path);
    for (size_t i = 0; i < count; i++)
        if (is_new_owner(claims, i))
            add_row(rows, &claims[i], size);
    *room -= owners;
}

/* "2432 files are claimed by a and b; the first 200 are listed" */
static void note_set(const struct rows *rows, const struct sharers *set)
{
    CLEANUP_TEXT struct text names = {0};
    size_t left = 0, named = 0;
    for (size_t i = 0; i < set->count; i++)
        left += is_new_name(set->first, i);
    for (size_t i = 0; i < set->count && named < NAMES_MAX; i++) {
        if (!is_new_name(set->first, i))
            continue;
        left--;
        text_printf(&names, "%s%s", !named ? "" : left ? ", " : " and ", set->first[i].owner->name);
        named++;
    }
    if (left)
        text_printf(&names, " and %zu more", left);
    probe_note_status(rows->context, "shared_file", rows->owners->environment_id,
                      rows->owners->site, "skipped", "",
                      arena_printf(rows->context->arena,
                                   "%zu files are claimed by %s; the first %d are listed",
                                   set->files, text_get(&names), SHARED_PATHS_MAX));
}

bool shared_file_add_rows(struct probe_context *context, const struct owners *owners,
                          struct shared_claim *claims, size_t count, size_t *room)
{
    struct rows rows = {.context = context, .owners = owners};
    if (count > 1)
        qsort(claims, count, sizeof *claims, compare_claims);
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && !strcmp(claims[next].path, claims[i].path))
            next++;
        add_file(&rows, claims + i, next - i, room);
    }
    for (size_t i = 0; i < rows.set_count; i++)
        if (rows.sets[i].files > SHARED_PATHS_MAX)
            note_set(&rows, &rows.sets[i]);
    free(rows.sets);
    return !rows.is_cut;
}
