/* Rows of a process, tied together by their paths. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/deps.h"

enum {
    ROWS_MAX = 200 * 1000, /* of a snapshot; the loader's own limit is far below */
    UNREAD_MAX = 100
};

struct reader {
    struct facts *facts;
    const char *process;
    struct arena *arena;
    struct error *err;
};

/* The process's rows of a table. */
static int read_rows(const struct reader *r, enum table_id id, const void **ret, size_t *ret_count)
{
    int code = facts_rows(r->facts, id, "process_id", r->process, r->arena, ret, ret_count, r->err);
    if (code == 0 && *ret_count > ROWS_MAX)
        code = error_set(r->err, -EFBIG, "more than %d rows of one process", ROWS_MAX);
    return code;
}

static int flag_of(struct opt number)
{
    return number.known ? number.value != 0 : DEPS_NONE;
}

/* --- the order of rows --- */

struct placed {
    struct opt position;
    const void *row;
};

/* Unknown positions first, and of one position what was written down first. */
static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->position.known != y->position.known)
        return x->position.known ? 1 : -1;
    if (x->position.known && x->position.value != y->position.value)
        return x->position.value > y->position.value ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_placed(struct placed *placed, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_placed(&placed[i - 1], &placed[i]) > 0) {
            qsort(placed, count, sizeof *placed, compare_placed);
            return;
        }
}

/* --- the process --- */

static int read_framework(const struct reader *r, const char *id, struct deps_process *ret)
{
    const void *rows;
    size_t count;
    if (!id)
        return 0;
    int code =
        facts_rows(r->facts, TABLE_framework, "framework_id", id, r->arena, &rows, &count, r->err);
    if (code < 0 || !count)
        return code;
    const struct row_framework *framework = rows;
    ret->framework = framework->name;
    ret->title = framework->title;
    ret->version = framework->version;
    return 0;
}

static int read_process(const struct reader *r, struct deps_process *ret)
{
    const void *rows;
    size_t count;
    int code = read_rows(r, TABLE_process, &rows, &count);
    if (code < 0)
        return code;
    if (!count)
        return error_set(r->err, -ENOENT, "no process %s", r->process);
    const struct row_process *process = rows;
    *ret = (struct deps_process){
        .id = process->process_id,
        .environment = process->environment_id,
        .program = process->program,
        .library_path = process->library_path,
        .preload = process->preload,
        .outcome = process->outcome,
        .error = process->error,
        .objects = process->objects.known ? (long)process->objects.value : DEPS_NONE,
    };
    return read_framework(r, process->framework_id, ret);
}

/* --- what loads --- */

static struct deps_object object_of(const struct row_loaded *row,
                                    const struct deps_libraries *libraries)
{
    struct deps_object object = {
        .path = row->path,
        .soname = row->soname,
        .family = row->family,
        .loaded_by = row->loaded_by,
        .how = row->how,
        .via = row->via,
        .via_list = row->via_list,
        .via_path = row->via_path,
        .inside = DEPS_NONE,
        .parent = DEPS_NONE,
        .child = DEPS_NONE,
        .last_child = DEPS_NONE,
        .next = DEPS_NONE,
    };
    deps_libraries_describe(libraries, row->environment_id, &object);
    return object;
}

static int read_objects(const struct reader *r, struct deps *ret)
{
    const void *rows;
    struct deps_libraries libraries;
    size_t count;
    int code = read_rows(r, TABLE_loaded, &rows, &count);
    if (code == 0)
        code = deps_libraries_read(r->facts, r->arena, &libraries, r->err);
    if (code < 0)
        return code;
    const struct row_loaded *loaded = rows;
    struct placed *placed = arena_alloc(r->arena, (count + 1) * sizeof *placed);
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){loaded[i].position, &loaded[i]};
    sort_placed(placed, count);
    ret->objects = arena_alloc(r->arena, (count + 1) * sizeof *ret->objects);
    for (size_t i = 0; i < count; i++)
        ret->objects[ret->object_count++] = object_of(placed[i].row, &libraries);
    return 0;
}

static struct deps_request request_of(const struct row_resolution *row)
{
    return (struct deps_request){
        .needed_by = row->needed_by,
        .name = row->name,
        .how = row->how,
        .required = flag_of(row->required),
        .found_path = row->found_path,
        .via = row->via,
        .family = row->family,
        .trail = row->trail,
        .error = row->error,
        .purpose = row->purpose,
        .requester = DEPS_NONE,
        .object = DEPS_NONE,
        .next = DEPS_NONE,
    };
}

static int read_requests(const struct reader *r, struct deps *ret)
{
    const void *rows;
    size_t count;
    int code = read_rows(r, TABLE_resolution, &rows, &count);
    if (code < 0)
        return code;
    const struct row_resolution *resolutions = rows;
    struct placed *placed = arena_alloc(r->arena, (count + 1) * sizeof *placed);
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){resolutions[i].position, &resolutions[i]};
    sort_placed(placed, count);
    ret->requests = arena_alloc(r->arena, (count + 1) * sizeof *ret->requests);
    for (size_t i = 0; i < count; i++)
        ret->requests[ret->request_count++] = request_of(placed[i].row);
    return 0;
}

/* --- what is wrong with it --- */

/* Those of known libraries first. */
static int read_shadowed(const struct reader *r, struct deps *ret)
{
    const void *rows;
    size_t count;
    int code = read_rows(r, TABLE_shadowed, &rows, &count);
    if (code < 0)
        return code;
    ret->shadowed = arena_alloc(r->arena, (count + 1) * sizeof *ret->shadowed);
    for (int is_other = 0; is_other < 2; is_other++)
        for (size_t i = 0; i < count; i++) {
            const struct row_shadowed *row = (const struct row_shadowed *)rows + i;
            if ((row->family == NULL) == (is_other == 1))
                ret->shadowed[ret->shadowed_count++] = (struct deps_shadowed){
                    .name = row->name,
                    .needed_by = row->needed_by,
                    .path = row->path,
                    .via = row->via,
                    .winner = row->winner,
                    .winner_via = row->winner_via,
                    .winner_list = row->winner_list,
                    .family = row->family,
                };
        }
    return 0;
}

static int read_symbols(const struct reader *r, struct deps *ret)
{
    const void *rows;
    size_t count;
    int code = read_rows(r, TABLE_missing_symbol, &rows, &count);
    if (code < 0)
        return code;
    ret->symbols = arena_alloc(r->arena, (count + 1) * sizeof *ret->symbols);
    for (size_t i = 0; i < count; i++) {
        const struct row_missing_symbol *row = (const struct row_missing_symbol *)rows + i;
        ret->symbols[ret->symbol_count++] = (struct deps_symbol){
            .path = row->path,
            .symbol = row->symbol,
            .version = row->version,
            .provider = row->provider,
            .family = row->family,
            .fatal = flag_of(row->fatal),
        };
    }
    return 0;
}

static bool is_unread(const struct row_probe *row)
{
    return text_equal(row->status, "denied") || text_equal(row->status, "malformed") ||
           text_equal(row->status, "timeout");
}

/* A folder is read for several steps. */
static bool is_told(const struct deps_unread *told, size_t count, const struct row_probe *row)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal(told[i].path, row->path) && text_equal(told[i].status, row->status) &&
            text_equal(told[i].detail, row->detail))
            return true;
    return false;
}

static int read_unread(const struct reader *r, struct deps *ret)
{
    const void *rows;
    size_t count;
    int code =
        facts_rows(r->facts, TABLE_probe, "name", "library", r->arena, &rows, &count, r->err);
    if (code < 0)
        return code;
    struct deps_unread *unread = arena_alloc(r->arena, UNREAD_MAX * sizeof *unread);
    for (size_t i = 0; i < count && ret->unread_count < UNREAD_MAX; i++) {
        const struct row_probe *row = (const struct row_probe *)rows + i;
        if (is_unread(row) && !is_told(unread, ret->unread_count, row))
            unread[ret->unread_count++] = (struct deps_unread){row->path, row->status, row->detail};
    }
    ret->unread = unread;
    return 0;
}

int deps_read(struct facts *facts, const char *process_id, struct arena *arena, struct deps *ret,
              struct error *err)
{
    struct reader r = {facts, process_id, arena, err};
    int code;
    *ret = (struct deps){0};
    if ((code = read_process(&r, &ret->process)) || (code = read_objects(&r, ret)) ||
        (code = read_requests(&r, ret)) || (code = read_shadowed(&r, ret)) ||
        (code = read_symbols(&r, ret)) || (code = read_unread(&r, ret)))
        return code;
    deps_tie(ret, arena);
    return 0;
}

bool deps_is_missing(const struct deps_request *request)
{
    return !request->found_path && !request->is_consequence;
}

bool deps_is_broken(const struct deps *deps)
{
    return text_equal(deps->process.outcome, "fails") || deps->symbol_count;
}
