#include "probe/probe.h"

#include <errno.h>
#include <string.h>

#include "probe/order.h"

/* Several times what a cluster's login node with fifty environments has. */
enum { ROWS_MAX = 400 * 1000, BYTES_MAX = 64 * 1024 * 1024 };

static void note_cut(struct probe_context *context, const struct table_spec *table,
                     const char *scope)
{
    probe_note_status(
        context, "all", scope, NULL, "malformed", table->name,
        arena_printf(context->arena,
                     "there is more for the table %s than is kept: rows were left out",
                     table->name));
}

/* A table that was cut says nothing of what it lacks: in no environment, if it is of those. */
static void note_cut_tables(struct probe_context *context)
{
    facts_set_limits(context->facts, 0, 0);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        if (!facts_is_cut(context->facts, (enum table_id)i))
            continue;
        note_cut(context, table, NULL);
        if (!table->per_environment)
            continue;
        CLEANUP_STATEMENT sqlite3_stmt *query =
            facts_query(context->facts, "SELECT prefix FROM environment WHERE depth = 'read'");
        while (query && sqlite3_step(query) == SQLITE_ROW)
            note_cut(context, table, (const char *)sqlite3_column_text(query, 0));
    }
}

/* How long one of them took, for the row that sums up. */
struct cost {
    const char *name;
    double ms;
};

/* "library 8.1 ms, package 3.0 ms": the dearest first, those of at least a millisecond. */
static const char *dearest(struct arena *arena, struct cost *costs, size_t count)
{
    enum { SHOWN_MAX = 6 };
    const char *words = NULL;
    for (int n = 0; n < SHOWN_MAX; n++) {
        size_t most = 0;
        for (size_t i = 1; i < count; i++)
            if (costs[i].ms > costs[most].ms)
                most = i;
        if (!count || costs[most].ms < 1)
            break;
        words = arena_printf(arena, "%s%s%s %.1f ms", words ? words : "", words ? ", " : "",
                             costs[most].name, costs[most].ms);
        costs[most].ms = 0;
    }
    return words;
}

int probes_run(const struct probe *const *probes, size_t count, struct probe_context *context)
{
    const struct probe **order = arena_alloc(context->arena, (count + 1) * sizeof *order);
    struct cost *costs = arena_alloc(context->arena, (count + 1) * sizeof *costs);
    probes_order(probes, count, order);
    double start = machine_clock_ms(context->machine);
    int code = 0;
    facts_set_limits(context->facts, ROWS_MAX, BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        costs[i] = (struct cost){order[i]->name, 0};
        if (order[i]->waits && context->nvml && context->meanwhile && code == 0)
            context->meanwhile(context->caller);
        /* after a refusal the question under way must still be taken back */
        if (code == 0 || order[i]->waits) {
            probe_progress(context, "looking around", i, count);
            double before = machine_clock_ms(context->machine);
            int failure = order[i]->run(context);
            costs[i].ms = machine_clock_ms(context->machine) - before;
            code = code ? code : failure;
        }
    }
    note_cut_tables(context);
    bool live = machine_kind(context->machine) == MACHINE_LIVE;
    double ms = machine_clock_ms(context->machine) - start;
    facts_add_probe(context->facts,
                    &(struct row_probe){
                        .name = "all",
                        .scope = "machine",
                        .status = "ok",
                        .detail = live ? dearest(context->arena, costs, count) : NULL,
                        .ms = live ? known((int64_t)(ms + 0.5)) : UNKNOWN,
                    });
    return code;
}

static const char *status_of(int code)
{
    switch (-code) {
    case 0:
        return "ok";
    case ENOENT:
    case ENOTDIR: /* a file where a folder on the way should be: nothing lies there */
        return "absent";
    case EACCES:
    case EPERM:
        return "denied";
    case ENODATA:
        return "skipped"; /* the record has no such part */
    default:
        return "malformed";
    }
}

static const char *detail_of(int code)
{
    switch (-code) {
    case 0:
    case ENOENT:
    case ENOTDIR:
        return NULL;
    case EFBIG:
        return "it is larger than any such file is";
    case EINVAL:
        return "it is not a regular file";
    case EISDIR:
        return "it is a folder";
    case ELOOP:
        return "its links lead in a circle";
    case EBADMSG:
        return "it does not hold what such a file holds";
    case ENODATA:
        return "the record does not hold this";
    default:
        return strerror(-code);
    }
}

static void add_note(struct probe_context *context, const struct row_probe *row)
{
    struct row_probe full = *row;
    if (!full.scope)
        full.scope = "machine";
    facts_add_probe(context->facts, &full);
}

void probe_note(struct probe_context *context, const char *name, const char *scope,
                const char *path, int code, const char *fills, const char *detail)
{
    add_note(context,
             &(struct row_probe){
                 .name = name,
                 .scope = scope,
                 .status = status_of(code),
                 .path = path,
                 .error = code && code != -ENODATA && code != -EBADMSG ? known(-code) : UNKNOWN,
                 .detail = detail ? detail : detail_of(code),
                 .fills = fills,
             });
}

void probe_note_status(struct probe_context *context, const char *name, const char *scope,
                       const char *path, const char *status, const char *fills, const char *detail)
{
    add_note(context, &(struct row_probe){
                          .name = name,
                          .scope = scope,
                          .status = status,
                          .path = path,
                          .detail = detail,
                          .fills = fills,
                      });
}
