/* Which libraries the frameworks of each environment load, and whether they fit: worked out from
 * the files as the loader of the machine would do it. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "library/process_rows.h"
#include "library/shown.h"
#include "library/symbols.h"
#include "probe/look.h"

static const char probe_name[] = "library";
enum { FRAMEWORKS_MAX = 256 };

struct framework {
    const char *id, *name, *cuda, *cudnn, *variant, *release;
    bool is_run; /* in the process at hand */
};

/* Those of one environment. */
struct framework_list {
    struct framework *items;
    size_t count;
};

struct run {
    struct scene scene;
    struct library_rows libraries;
    struct place *places;
    struct framework_list *lists; /* of each place */
    size_t place_count;
    struct place *named;            /* that --env names; NULL: none */
    struct framework_list *at_hand; /* of the environment that is simulated */
    size_t done, total;             /* processes */
};

/* --- any process --- */

static void tell_progress(struct run *run)
{
    const struct probe_context *context = run->scene.context;
    if (context->progress)
        context->progress(context->watcher, "reading libraries", run->done, run->total);
    run->done++;
}

static void start_simulation(struct run *run, struct simulation *simulation, struct place *place,
                             const char *process_id, const char *framework_id)
{
    *simulation = (struct simulation){
        .scene = &run->scene,
        .place = place,
        .process_id = process_id,
        .environment_id = place ? place->id : NULL,
        .framework_id = framework_id,
        .outcome = "unknown",
        .failed_request = SIZE_MAX,
    };
}

/* Judges and writes down all that there is to say of it. */
static void finish(struct run *run, struct simulation *simulation)
{
    struct process_rows rows = {.libraries = &run->libraries};
    simulation_open_inner(simulation);
    simulation_judge(simulation);
    library_rows_enter(&run->libraries, simulation->place);
    process_rows_add(&rows, simulation);
    symbols_check(simulation);
    process_row_add(simulation, known((int64_t)rows.loaded));
    process_rows_done(&rows);
}

/* --- frameworks --- */

struct import {
    struct run *run;
    struct simulation *simulation;
};

static struct framework *framework_named(struct run *run, const char *name)
{
    for (size_t i = 0; i < run->at_hand->count; i++)
        if (text_equal(run->at_hand->items[i].name, name))
            return &run->at_hand->items[i];
    return NULL;
}

static bool cuda_of(void *data, const char *name, const char **ret_cuda)
{
    const struct import *import_ = data;
    const struct framework *framework = framework_named(import_->run, name);
    *ret_cuda = framework ? framework->cuda : NULL;
    return framework != NULL;
}

/* Each framework once, so two that name each other come to an end. */
static void import(void *data, const char *name)
{
    struct import *import_ = data;
    struct framework *framework = framework_named(import_->run, name);
    if (!framework || framework->is_run)
        return;
    framework->is_run = true;
    const struct load_spec *spec = scene_load_spec(&import_->run->scene, name);
    if (spec)
        simulation_run(import_->simulation, spec,
                       &(struct imported){framework->cuda, framework->cudnn, framework->variant,
                                          framework->release, import, cuda_of, data});
}

static void simulate_framework(struct run *run, struct place *place, struct framework *framework)
{
    struct simulation simulation;
    struct import data = {run, &simulation};
    const struct load_spec *spec = scene_load_spec(&run->scene, framework->name);
    if (!spec || !spec->step_count)
        return;
    tell_progress(run);
    start_simulation(run, &simulation, place, framework->id, framework->id);
    if (simulation_start(&simulation, place->python, false) < 0) {
        process_row_add(&simulation, UNKNOWN);
        return;
    }
    for (size_t i = 0; i < run->at_hand->count; i++)
        run->at_hand->items[i].is_run = false;
    import(&data, framework->name);
    finish(run, &simulation);
}

static void load_frameworks(struct run *run, const struct place *place, struct framework_list *ret)
{
    struct framework found[FRAMEWORKS_MAX];
    size_t count = 0;
    struct probe_context *context = run->scene.context;
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT framework_id, name, cuda, release, cudnn, variant FROM framework "
                        "WHERE environment_id = ?1 AND framework_id IS NOT NULL AND "
                        "name IS NOT NULL ORDER BY rowid");
    sqlite3_bind_text(query, 1, place->id, -1, SQLITE_STATIC);
    while (query && count < FRAMEWORKS_MAX && sqlite3_step(query) == SQLITE_ROW)
        found[count++] = (struct framework){
            .id = ask_column(context, query, 0),
            .name = ask_column(context, query, 1),
            .cuda = ask_column(context, query, 2),
            .release = ask_column(context, query, 3),
            .cudnn = ask_column(context, query, 4),
            .variant = ask_column(context, query, 5),
        };
    if (count == FRAMEWORKS_MAX && sqlite3_step(query) == SQLITE_ROW)
        probe_note_status(context, probe_name, place->id, place->prefix, "malformed",
                          "process loaded resolution",
                          "more frameworks than are looked at in one environment");
    ret->items = arena_alloc(context->arena, (count + 1) * sizeof *found);
    ret->count = count;
    if (count)
        memcpy(ret->items, found, count * sizeof *found);
}

static void simulate_environment(struct run *run, size_t number, const char *only)
{
    run->at_hand = &run->lists[number];
    for (size_t i = 0; i < run->at_hand->count; i++)
        if (!only || text_equal(run->at_hand->items[i].name, only))
            simulate_framework(run, &run->places[number], &run->at_hand->items[i]);
}

/* --- an ordinary program --- */

/* Each name in a process of its own: a stub that answers to "libcuda.so" must not pass for
 * libcuda.so.1, which is its soname. */
static void simulate_program(struct run *run)
{
    static const char *const names[] = {"libcuda.so.1", "libnvidia-ml.so.1", "libcuda.so"};
    struct process_rows rows = {.libraries = &run->libraries};
    struct simulation simulation;
    tell_progress(run);
    library_rows_enter(&run->libraries, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        start_simulation(run, &simulation, NULL, "program", NULL);
        if (simulation_start(&simulation, NULL, false) < 0)
            break;
        simulation_open(&simulation, names[i], true);
        simulation_judge(&simulation);
        process_rows_add(&rows, &simulation);
    }
    process_row_add(&simulation, run->scene.world.is_musl ? UNKNOWN : known((int64_t)rows.loaded));
    process_rows_done(&rows);
}

/* --- a file that was named --- */

/* The environment that --env names, in whose process a file is opened. */
static struct place *named_place(struct run *run)
{
    if (!run->place_count)
        return NULL;
    const char *id = ask_text(run->scene.context, "SELECT environment_id FROM environment WHERE "
                                                  "instr(found_by, '--env') AND depth = 'read' "
                                                  "ORDER BY rowid");
    for (size_t i = 0; i < run->place_count; i++)
        if (text_equal(run->places[i].id, id))
            return &run->places[i];
    return NULL;
}

static void simulate_file(struct run *run, const char *named)
{
    struct simulation simulation;
    struct arena *arena = run->scene.context->arena;
    const char *path = shown_named(&run->scene, named);
    const struct loader_file *file = loader_store_get(run->scene.store, path);
    bool is_program =
        file->class == LOADER_FITS &&
        (file->object.interpreter || file->type == ET_EXEC || file->object.flags_1 & DF_1_PIE);
    struct place *place = is_program ? NULL : run->named;
    tell_progress(run);
    start_simulation(run, &simulation, place, path, NULL);
    int r = simulation_start(&simulation,
                             is_program ? path
                             : place    ? place->python
                                        : NULL,
                             is_program);
    if (r < 0) {
        bool is_musl = r == -ENOTSUP;
        simulation.outcome = is_musl ? "unknown" : "fails";
        if (!is_musl)
            simulation.error =
                arena_printf(arena, "%s: %s", path, file->reason ? file->reason : strerror(-r));
        process_row_add(&simulation, is_musl ? UNKNOWN : known(0));
        return;
    }
    if (!is_program)
        simulation_open(&simulation, path, false);
    finish(run, &simulation);
}

/* --- all of them --- */

static void note_world(const struct run *run)
{
    struct probe_context *context = run->scene.context;
    const struct loader_world *world = &run->scene.world;
    static const char fills[] = "loaded resolution";
    if (world->is_musl)
        probe_note_status(context, probe_name, NULL, NULL, "skipped", "",
                          "the C library here is musl, whose loader works otherwise");
    else if (world->cache_problem)
        probe_note_status(context, probe_name, NULL, "/etc/ld.so.cache", "malformed", fills,
                          world->cache_problem);
    else
        probe_note(context, probe_name, NULL, "/etc/ld.so.cache", world->cache_error, fills, NULL);
}

/* What was named is looked at wherever it lies. */
static void visit_named(struct run *run)
{
    const struct probe_options *options = run->scene.context->options;
    for (size_t i = 0; i < options->loaded_file_count; i++)
        reach_visited(&run->scene.reach, options->loaded_files[i]);
}

static void note_reach(struct run *run)
{
    reach_note(
        &run->scene.reach, probe_name, "loaded resolution shadowed missing_symbol",
        "this place lies on another machine, as others may: libraries were not looked for in "
        "it, so that what is not found elsewhere is not known; --all-envs looks there, too");
}

static int run_probe(struct probe_context *context)
{
    const struct probe_options *options = context->options;
    CLEANUP_FREE struct run *run = xcalloc(1, sizeof *run);
    scene_start(&run->scene, context);
    library_rows_start(&run->libraries, &run->scene);
    places_load(context, probe_name, &run->scene.reach, &run->places, &run->place_count);
    run->lists = arena_alloc(context->arena, (run->place_count + 1) * sizeof *run->lists);
    for (size_t i = 0; i < run->place_count; i++) {
        load_frameworks(run, &run->places[i], &run->lists[i]);
        run->total += run->lists[i].count;
    }
    bool has_files = options->loaded_file_count > 0;
    if (has_files)
        run->named = named_place(run);
    run->total = has_files ? options->loaded_file_count : 1 + run->total;
    visit_named(run);
    note_world(run);
    for (size_t i = 0; i < options->loaded_file_count; i++)
        simulate_file(run, options->loaded_files[i]);
    for (size_t i = 0; i < run->place_count && (!has_files || options->framework); i++)
        simulate_environment(run, i, options->framework);
    if (!has_files && !options->framework)
        simulate_program(run);
    note_reach(run);
    library_rows_done(&run->libraries);
    scene_done(&run->scene);
    return 0;
}

const struct probe probe_library = {
    .name = "library",
    .phase = PHASE_DERIVED,
    .reads = "environment search_path package framework",
    .writes = "process library loaded resolution shadowed symbol_check missing_symbol",
    .run = run_probe,
};
