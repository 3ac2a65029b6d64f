/* Rounds of probes, in one part and in two. */
#include <string.h>

#include "probe/order.h"
#include "probe/round.h"
#include "probe_tree.h"

static struct probe_tree tree;
static size_t seen; /* rows that the reader found */

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_open(&tree);
    seen = 0;
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_round, .init = start, .fini = finish);

static void add_mount(struct probe_context *context, const char *path)
{
    facts_add_mount(context->facts, &(struct row_mount){.path = path});
}

/* --- probes --- */

static int work(struct probe_context *context)
{
    probe_progress(context, "working", 1, 2);
    for (int i = 0; i < 3; i++)
        add_mount(context, arena_printf(context->arena, "/work%d", i));
    probe_note(context, "worker", NULL, "/work", -2, "mount", NULL);
    return 0;
}

static int refuse(struct probe_context *context)
{
    return error_set(context->error, -22, "no");
}

static int read_mounts(struct probe_context *context)
{
    sqlite3_stmt *query = facts_query(context->facts, "SELECT path FROM mount");
    while (query && sqlite3_step(query) == SQLITE_ROW)
        seen++;
    sqlite3_finalize(query);
    return 0;
}

static int do_nothing(struct probe_context *context)
{
    (void)context;
    return 0;
}

static const struct probe
    worker = {.name = "worker", .phase = PHASE_DERIVED, .writes = "mount", .run = work},
    refuser = {.name = "refuser", .phase = PHASE_PASSIVE, .run = refuse},
    reader = {.name = "reader", .phase = PHASE_DERIVED, .reads = "mount", .run = read_mounts},
    other = {.name = "other", .phase = PHASE_PASSIVE, .run = do_nothing};

static int asked, answered;

static int ask_driver(struct probe_context *context)
{
    asked++;
    facts_add_nvml(context->facts, &(struct row_nvml){.source = "nvml"});
    return 0;
}

static int take_answer(struct probe_context *context)
{
    (void)context;
    answered++;
    return 0;
}

static const struct probe question = {.name = "ask",
                                      .phase = PHASE_ACTIVE,
                                      .writes = "nvml",
                                      .run = ask_driver},
                          answer = {.name = "answer",
                                    .phase = PHASE_ACTIVE,
                                    .reads = "nvml",
                                    .run = take_answer,
                                    .waits = true};
/* --- one part --- */

static const char rows_of_work[] = "/work0\n/work1\n/work2";

Test(probe_round, who_reads_comes_after_who_writes)
{
    const struct probe *const probes[] = {&reader, &other, &worker};
    cr_assert_eq(probes_run(probes, 3, &tree.context), 0);
    cr_expect_eq(seen, 3);
    expect_rows(&tree, "SELECT path FROM mount ORDER BY rowid", rows_of_work);
    expect_rows(&tree, "SELECT name, status, path FROM probe ORDER BY rowid",
                "worker|absent|/work\nall|ok|~");
}

Test(probe_round, nothing_runs_after_a_refusal)
{
    const struct probe *const probes[] = {&worker, &refuser};
    cr_assert_lt(probes_run(probes, 2, &tree.context), 0);
    cr_expect_str_eq(tree.error.text, "no");
    expect_rows(&tree, "SELECT count(*) FROM mount", "0");
}

static int done_meanwhile;

static void do_meanwhile(void *caller)
{
    cr_expect_eq(caller, &tree);
    done_meanwhile++;
}

static void tell(void *watcher, const char *what, size_t done, size_t total)
{
    cr_expect_eq(watcher, &tree);
    cr_expect(strcmp(what, "looking around") == 0 ||
              (strcmp(what, "working") == 0 && done == 1 && total == 2));
}

Test(probe_round, who_waits_works_and_is_told)
{
    const struct probe *const probes[] = {&worker, &other, &answer};
    done_meanwhile = 0;
    tree.context.nvml = (struct nvml_query *)&tree; /* the driver is being asked */
    tree.context.meanwhile = do_meanwhile;
    tree.context.caller = &tree;
    tree.context.progress = tell;
    tree.context.watcher = &tree;
    cr_assert_eq(probes_run(probes, 3, &tree.context), 0);
    cr_expect_eq(done_meanwhile, 1);
}

/* --- two parts --- */

static const struct probe *const parts[] = {&answer, &worker, &question};

Test(probe_round, driver_is_asked_in_the_first_part)
{
    sqlite3 *db;
    asked = answered = 0;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    struct facts *early = facts_open_lazy(db);
    tree.context.facts = early;
    struct probe_round *round = probe_round_begin(parts, 3, &tree.context);
    cr_expect_eq(asked, 1);
    cr_expect_eq(answered, 0);
    expect_rows(&tree, "SELECT count(*) FROM nvml", "0");
    tree.context.facts = tree.facts;
    facts_take(tree.facts, early);
    facts_free(early);
    sqlite3_close(db);
    cr_assert_eq(probe_round_end(round), 0);
    cr_expect_eq(asked, 1);
    cr_expect_eq(answered, 1);
    expect_rows(&tree, "SELECT source FROM nvml", "nvml");
    expect_rows(&tree, "SELECT path FROM mount ORDER BY rowid", rows_of_work);
}

Test(probe_round, what_was_asked_is_taken_back)
{
    asked = answered = 0;
    probe_round_cancel(probe_round_begin(parts, 3, &tree.context));
    probe_round_cancel(NULL);
    cr_expect_eq(asked, 1);
    cr_expect_eq(answered, 1);
    expect_rows(&tree, "SELECT count(*) FROM mount", "0");
}

/* --- what the first part found --- */

Test(probe_round, facts_are_taken_whether_their_tables_are_made_or_not)
{
    sqlite3 *db;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    struct facts *lazy = facts_open_lazy(db);
    facts_add_mount(lazy, &(struct row_mount){.path = "/made"});
    facts_add_nvml(lazy, &(struct row_nvml){.source = "nvml", .code = known(9)});
    cr_assert_eq(facts_make(lazy, TABLE_mount, &tree.error), 0);
    facts_add_mount(lazy, &(struct row_mount){.path = "/later"});
    facts_take(tree.facts, lazy);
    facts_free(lazy);
    sqlite3_close(db);
    expect_rows(&tree, "SELECT path FROM mount ORDER BY rowid", "/made\n/later");
    expect_rows(&tree, "SELECT source, code, message FROM nvml", "nvml|9|~");
    cr_expect_eq(facts_failed(tree.facts, &tree.error), 0);
}
