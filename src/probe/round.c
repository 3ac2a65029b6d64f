#include "probe/round.h"

#include <errno.h>

#include "probe/order.h"

/* Several times what a cluster's login node with fifty environments has, and a snapshot that is
 * read again: half of JSON_FILE_CAP, since what is told of it comes on top. */
enum { ROWS_MAX = 400 * 1000, BYTES_MAX = 128 * 1024 * 1024 };

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

struct probe_round {
    struct probe_context *context;
    const struct probe **order;
    struct cost *costs;
    size_t count, at;
    int code;
    double ms; /* of the first part */
};

static int run_next(struct probe_round *round)
{
    struct probe_context *context = round->context;
    size_t at = round->at++;
    const struct probe *probe = round->order[at];
    /* where the driver has to be awaited anyway, the caller can do something */
    if (probe->waits && context->nvml && context->meanwhile && round->code == 0)
        context->meanwhile(context->caller);
    double before = machine_clock_ms(context->machine);
    int code = probe->run(context);
    round->costs[at].ms += machine_clock_ms(context->machine) - before;
    return code;
}

static void run_up_to(struct probe_round *round, size_t end)
{
    struct probe_context *context = round->context;
    while (round->at < end) {
        /* after a refusal the question under way must still be taken back */
        if (round->code < 0 && !round->order[round->at]->waits) {
            round->at++;
            continue;
        }
        probe_progress(context, "looking around", round->at, round->count);
        int code = run_next(round);
        round->code = round->code ? round->code : code;
    }
}

struct probe_round *probe_round_begin(const struct probe *const *probes, size_t count,
                                      struct probe_context *context)
{
    struct arena *arena = context->arena;
    struct probe_round *round = arena_alloc(arena, sizeof *round);
    double start = machine_clock_ms(context->machine);
    *round = (struct probe_round){
        .context = context,
        .order = arena_alloc(arena, (count + 1) * sizeof *round->order),
        .costs = arena_alloc(arena, (count + 1) * sizeof *round->costs),
        .count = count,
    };
    size_t urgent = probes_order(probes, count, round->order);
    for (size_t i = 0; i < count; i++)
        round->costs[i].name = round->order[i]->name;
    facts_set_limits(context->facts, ROWS_MAX, BYTES_MAX);
    run_up_to(round, urgent);
    round->ms = machine_clock_ms(context->machine) - start;
    return round;
}

void probe_round_cancel(struct probe_round *round)
{
    if (!round)
        return;
    round->code = -ECANCELED;
    run_up_to(round, round->count);
}

int probe_round_end(struct probe_round *round)
{
    struct probe_context *context = round->context;
    double start = machine_clock_ms(context->machine);
    facts_set_limits(context->facts, ROWS_MAX, BYTES_MAX);
    run_up_to(round, round->count);
    note_cut_tables(context);
    bool live = machine_kind(context->machine) == MACHINE_LIVE;
    double ms = round->ms + machine_clock_ms(context->machine) - start;
    facts_add_probe(context->facts,
                    &(struct row_probe){
                        .name = "all",
                        .scope = "machine",
                        .status = "ok",
                        .detail = live ? dearest(context->arena, round->costs, round->count) : NULL,
                        .ms = live ? known((int64_t)(ms + 0.5)) : UNKNOWN,
                    });
    return round->code;
}

int probes_run(const struct probe *const *probes, size_t count, struct probe_context *context)
{
    return probe_round_end(probe_round_begin(probes, count, context));
}
