/* Probes whose work goes on in threads of its own, and rounds in two parts. */
#include <pthread.h>
#include <string.h>

#include "probe/order.h"
#include "probe/round.h"
#include "probe_tree.h"

static struct probe_tree tree;
static pthread_t here;
static bool was_apart; /* the work was done by another thread */
static size_t seen;    /* rows that the reader found */

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_open(&tree);
    here = pthread_self();
    was_apart = false;
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

static int prepare(struct probe_context *context)
{
    context->task = arena_strdup(context->arena, "/work");
    add_mount(context, "/run");
    return 0;
}

static void work(struct probe_context *context)
{
    was_apart = !pthread_equal(pthread_self(), here);
    probe_progress(context, "working", 1, 2);
    for (int i = 0; i < 3; i++)
        add_mount(context, arena_printf(context->arena, "%s%d", (char *)context->task, i));
    probe_note(context, "worker", NULL, "/work", -2, "mount", NULL);
}

static void work_that_asks(struct probe_context *context)
{
    sqlite3_stmt *query = facts_query(context->facts, "SELECT 1 FROM mount");
    cr_expect_null(query);
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

static const struct probe worker = {.name = "worker",
                                    .phase = PHASE_DERIVED,
                                    .writes = "mount",
                                    .run = prepare,
                                    .work = work},
                          asker = {.name = "asker",
                                   .phase = PHASE_DERIVED,
                                   .writes = "mount",
                                   .run = do_nothing,
                                   .work = work_that_asks},
                          refuser = {.name = "refuser",
                                     .phase = PHASE_DERIVED,
                                     .writes = "mount",
                                     .run = refuse,
                                     .work = work},
                          reader = {.name = "reader",
                                    .phase = PHASE_DERIVED,
                                    .reads = "mount",
                                    .run = read_mounts},
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
/* --- work apart --- */

static const char rows_of_work[] = "/run\n/work0\n/work1\n/work2";

Test(probe_round, work_goes_on_apart_and_its_rows_come_in_order)
{
    const struct probe *const probes[] = {&reader, &other, &worker};
    cr_assert_eq(probes_run(probes, 3, &tree.context), 0);
    cr_expect(was_apart);
    cr_expect_eq(seen, 4);
    expect_rows(&tree, "SELECT path FROM mount ORDER BY rowid", rows_of_work);
    expect_rows(&tree, "SELECT name, status, path FROM probe ORDER BY rowid",
                "worker|absent|/work\nall|ok|~");
}

Test(probe_round, nobody_else_runs_so_no_thread_is_started)
{
    const struct probe *const probes[] = {&worker};
    cr_assert_eq(probes_run(probes, 1, &tree.context), 0);
    cr_expect_not(was_apart);
    expect_rows(&tree, "SELECT path FROM mount ORDER BY rowid", rows_of_work);
}

Test(probe_round, work_must_not_ask)
{
    const struct probe *const probes[] = {&asker, &other};
    cr_assert_eq(probes_run(probes, 2, &tree.context), 0);
    cr_expect_lt(facts_failed(tree.facts, &tree.error), 0);
    cr_expect_str_eq(tree.error.text, "facts apart cannot be asked");
}

Test(probe_round, a_refusal_leaves_no_work)
{
    const struct probe *const probes[] = {&refuser, &other};
    cr_assert_lt(probes_run(probes, 2, &tree.context), 0);
    cr_expect_str_eq(tree.error.text, "no");
    expect_rows(&tree, "SELECT count(*) FROM mount", "0");
}

static int parts_left;

static bool do_part(void *caller)
{
    cr_expect_eq(caller, &tree);
    cr_expect(pthread_equal(pthread_self(), here));
    parts_left -= parts_left > 0;
    return parts_left > 0;
}

static void tell(void *watcher, const char *what, size_t done, size_t total)
{
    cr_expect_eq(watcher, &tree);
    cr_expect(pthread_equal(pthread_self(), here));
    cr_expect(strcmp(what, "looking around") == 0 ||
              (strcmp(what, "working") == 0 && done == 1 && total == 2));
}

Test(probe_round, who_waits_works_and_is_told_in_its_own_thread)
{
    const struct probe *const probes[] = {&worker, &other, &answer};
    parts_left = 3;
    tree.context.nvml = (struct nvml_query *)&tree; /* the driver is being asked */
    tree.context.meanwhile = do_part;
    tree.context.caller = &tree;
    tree.context.progress = tell;
    tree.context.watcher = &tree;
    cr_assert_eq(probes_run(probes, 3, &tree.context), 0);
    cr_expect(was_apart);
    cr_expect_eq(parts_left, 0);
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

/* --- facts apart --- */

Test(probe_round, facts_apart_have_limits_and_tell_of_them)
{
    facts_set_limits(tree.facts, 2, 100000);
    struct facts *apart = facts_open_apart(tree.facts);
    for (int i = 0; i < 3; i++)
        facts_add_mount(apart, &(struct row_mount){.path = "/\xff"});
    facts_take(tree.facts, apart);
    facts_free(apart);
    cr_expect(facts_is_cut(tree.facts, TABLE_mount));
    expect_rows(&tree, "SELECT path FROM mount", "/\\xff\n/\\xff");
}

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
