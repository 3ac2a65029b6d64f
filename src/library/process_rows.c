#include "library/process_rows.h"

#include <errno.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "library/shown.h"

enum {
    TRAIL_LINES_MAX = 100,
    UNANSWERED_MAX = 256 /* rows of a process; a broken environment lacks some dozens */
};

static const char not_on_path[] = "not on its path";

static const char *family_name(const struct scene *scene, const char *soname, const char *path)
{
    const struct library_spec *family = scene_family(scene, soname, path);
    return family ? family->name : NULL;
}

static const char *via_of(enum loader_via via)
{
    return via == VIA_NONE || via == VIA_PROGRAM ? NULL : loader_via_name(via);
}

static const char *shown_list(const struct simulation *simulation,
                              const struct loader_object *object)
{
    return object->via_list ? shown_folder(simulation->scene, object->via_list) : NULL;
}

/* Somebody asked for a tree of needs: what one process loads, and no more. */
static bool is_tree(const struct simulation *simulation)
{
    const struct probe_options *options = simulation->scene->context->options;
    return options->framework || options->loaded_file_count;
}

/* --- loaded --- */

static const char *how_loaded(const struct loader_object *object)
{
    return object->via == VIA_PROGRAM || object->is_interpreter ? "program"
           : object->is_preloaded                               ? "preload"
           : object->is_opened                                  ? "open"
                                                                : "need";
}

static void add_loaded(struct process_rows *rows, struct simulation *simulation, size_t number)
{
    const struct scene *scene = simulation->scene;
    const struct loader_object *object = &simulation->process.objects[number];
    const char *soname = object->file->object.soname;
    const char *path = shown_object(simulation, number);
    library_rows_add(rows->libraries, path, object->file);
    if (!string_set_add(&rows->paths, path))
        return;
    facts_add_loaded(scene->context->facts,
                     &(struct row_loaded){
                         .process_id = simulation->process_id,
                         .environment_id = simulation->environment_id,
                         .framework_id = simulation->framework_id,
                         .position = known((int64_t)rows->loaded++),
                         .path = path,
                         .soname = soname ? soname : path_name(object->path),
                         .family = family_name(scene, soname, object->path),
                         .loaded_by = shown_object(simulation, object->loader),
                         .how = how_loaded(object),
                         .via = via_of(object->via),
                         .via_list = shown_list(simulation, object),
                         .via_path = shown_object(simulation, object->via_owner),
                     });
}

/* --- resolution --- */

static const char *reason_of(const struct loader_file *file)
{
    if (file->class == LOADER_ABSENT)
        return file->error == -ENOENT || file->error == -ENOTDIR ? "not there"
               : file->error == -EREMOTE ? "on another machine, not looked at"
                                         : strerror(-file->error);
    return file->reason ? file->reason : "for another kind of machine";
}

static const char *trail_of(struct simulation *simulation, const struct loader_request *request)
{
    CLEANUP_TEXT struct text out = {0};
    for (size_t i = 0; i < request->step_count && i < TRAIL_LINES_MAX; i++) {
        const struct loader_step *step = &request->steps[i];
        text_printf(&out, "%s%s: ", i ? "\n" : "", loader_via_name(step->via));
        if (strchr(step->path, '\n')) /* one line each; the rest is made safe where it is shown */
            text_add_safe(&out, step->path, strlen(step->path), false);
        else
            text_add(&out, step->path);
        text_printf(&out, ": %s", reason_of(step->file));
    }
    if (request->step_count > TRAIL_LINES_MAX)
        text_printf(&out, "\nand %zu more", request->step_count - TRAIL_LINES_MAX);
    return out.length ? arena_strdup(simulation->scene->context->arena, text_get(&out)) : NULL;
}

/* Whether it is not known that its answer is missing. */
static bool is_doubtful(const struct simulation *simulation, const struct loader_request *request)
{
    return request->is_lacking ||
           (request->object == SIZE_MAX && (simulation->process.is_cut || request->left_alone));
}

/* What fails without it: of whatever was asked for when that was opened. */
static const char *purpose_of(const struct simulation *simulation, size_t number)
{
    for (size_t i = 0; i < simulation->opening_count; i++)
        if (simulation->openings[i].first <= number && number < simulation->openings[i].end)
            return simulation->openings[i].purpose;
    return NULL;
}

static void add_resolution(struct process_rows *rows, struct simulation *simulation, size_t number,
                           const char *how)
{
    const struct scene *scene = simulation->scene;
    const struct loader_request *request = &simulation->process.requests[number];
    facts_add_resolution(scene->context->facts,
                         &(struct row_resolution){
                             .process_id = simulation->process_id,
                             .environment_id = simulation->environment_id,
                             .framework_id = simulation->framework_id,
                             .position = known((int64_t)rows->resolutions++),
                             .needed_by = shown_object(simulation, request->requester),
                             .name = request->name,
                             .how = how,
                             .required = is_doubtful(simulation, request)
                                             ? UNKNOWN
                                             : known(simulation->is_required[number]),
                             .found_path = shown_object(simulation, request->object),
                             .via = via_of(request->via),
                             .family = family_name(scene, NULL, request->name),
                             .trail = trail_of(simulation, request),
                             .error = request->error || request->via == VIA_LOADED
                                          ? request->error
                                          : simulation_cut(simulation, request->object),
                             .purpose = purpose_of(simulation, number),
                         });
}

/* --- shadowed --- */

/* A tree tells that it is there, and nothing else of it. */
static void add_library(struct process_rows *rows, const struct simulation *simulation,
                        const char *path, const struct loader_file *file)
{
    if (!is_tree(simulation))
        library_rows_add(rows->libraries, path, file);
}

/* Whoever asks for the name first stands for all. */
static void add_shadowed(struct process_rows *rows, struct simulation *simulation,
                         const struct loader_request *request, const char *path, const char *via)
{
    const struct loader_object *winner = &simulation->process.objects[request->object];
    struct arena *arena = simulation->scene->context->arena;
    if (!string_set_add(&rows->shadows, arena_printf(arena, "%s\n%s", request->name, path)))
        return;
    facts_add_shadowed(simulation->scene->context->facts,
                       &(struct row_shadowed){
                           .process_id = simulation->process_id,
                           .environment_id = simulation->environment_id,
                           .framework_id = simulation->framework_id,
                           .name = request->name,
                           .needed_by = shown_object(simulation, request->requester),
                           .path = path,
                           .via = via,
                           .winner = shown_object(simulation, request->object),
                           .winner_via = via_of(winner->via),
                           .winner_list = shown_list(simulation, winner),
                           .family = family_name(simulation->scene, NULL, request->name),
                       });
}

static bool is_among(const struct loader_request *request, const struct loader_file *file)
{
    for (size_t i = 0; i < request->shadowed_count; i++)
        if (request->shadowed[i].file == file)
            return true;
    return false;
}

/* Copies in the environment that the search would never have come to. */
static void add_unreached(struct process_rows *rows, struct simulation *simulation,
                          const struct loader_request *request)
{
    struct scene *scene = simulation->scene;
    const struct loader_object *winner = &simulation->process.objects[request->object];
    const char *site;
    size_t count;
    if (!simulation->place || place_holds(simulation->place, winner->path, &site) ||
        !scene_family(scene, NULL, request->name))
        return;
    const struct own_file *files =
        place_files_named(simulation->place, scene->context, request->name, &count);
    for (size_t i = 0; i < count; i++) {
        const struct loader_file *file = loader_store_look(scene->store, files[i].path);
        if (file == winner->file || file->class != LOADER_FITS || is_among(request, file))
            continue;
        add_library(rows, simulation, files[i].path, file);
        add_shadowed(rows, simulation, request, files[i].path, not_on_path);
    }
}

/* Copies in the environment of what the search does not find: whoever installed them did not put
 * them on its way. */
static void add_stranded(struct process_rows *rows, struct simulation *simulation,
                         const struct loader_request *request)
{
    struct scene *scene = simulation->scene;
    size_t count;
    if (request->object != SIZE_MAX || !simulation->place || strchr(request->name, '/'))
        return;
    const struct own_file *files =
        place_files_named(simulation->place, scene->context, request->name, &count);
    for (size_t i = 0; i < count; i++) {
        const struct loader_file *file = loader_store_look(scene->store, files[i].path);
        if (file->class == LOADER_FITS && !file->is_cut)
            add_library(rows, simulation, files[i].path, file);
    }
}

static void add_losers(struct process_rows *rows, struct simulation *simulation,
                       const struct loader_request *request)
{
    /* where places were left alone it is not known whose shadow they stand in */
    if (request->object >= simulation->process.object_count ||
        simulation->process.objects[request->object].is_doubtful)
        return;
    for (size_t i = 0; i < request->shadowed_count; i++) {
        const struct loader_step *loser = &request->shadowed[i];
        const char *path = shown_path(simulation->scene, loser->path);
        add_library(rows, simulation, path, loser->file);
        add_shadowed(rows, simulation, request, path, loader_via_name(loser->via));
    }
    if (request->is_first && !strchr(request->name, '/'))
        add_unreached(rows, simulation, request);
}

/* --- the process --- */

/* Most requests are for the C library and its like, which is there already: they are rows where
 * somebody asked for a tree of needs. */
static bool has_row(const struct simulation *simulation, const struct loader_request *request)
{
    return request->via != VIA_LOADED || is_tree(simulation) ||
           scene_family(simulation->scene, NULL, request->name);
}

static bool has_room(struct process_rows *rows, const struct simulation *simulation, size_t number)
{
    if (simulation->process.requests[number].object != SIZE_MAX || is_tree(simulation))
        return true;
    if (rows->unanswered[simulation->is_required[number]]++ < UNANSWERED_MAX)
        return true;
    rows->left_out++;
    return false;
}

static void note_left_out(struct process_rows *rows, const struct simulation *simulation)
{
    struct probe_context *context = simulation->scene->context;
    if (rows->left_out)
        probe_note_status(
            context, "library", simulation->environment_id, simulation->process_id, "malformed", "",
            arena_printf(context->arena, "%zu more requests that nothing answers", rows->left_out));
    rows->left_out = 0;
}

void process_rows_add(struct process_rows *rows, struct simulation *simulation)
{
    const struct loader_process *process = &simulation->process;
    for (size_t i = 0; i < process->object_count; i++)
        if (!process->objects[i].is_removed)
            add_loaded(rows, simulation, i);
    for (size_t i = 0; i < process->request_count; i++) {
        const char *how = process->requests[i].is_needed   ? "need"
                          : i < simulation->start_requests ? "preload"
                                                           : "open";
        if (has_row(simulation, &process->requests[i]) && has_room(rows, simulation, i)) {
            add_resolution(rows, simulation, i, how);
            add_stranded(rows, simulation, &process->requests[i]);
        }
        add_losers(rows, simulation, &process->requests[i]);
    }
    note_left_out(rows, simulation);
}

void process_rows_done(struct process_rows *rows)
{
    string_set_done(&rows->paths);
    string_set_done(&rows->shadows);
}

void process_row_add(struct simulation *simulation, struct opt objects)
{
    const struct loader_process *process = &simulation->process;
    const struct loader_world *world = &simulation->scene->world;
    bool has_program = process->object_count && process->objects[0].via == VIA_PROGRAM;
    facts_add_process(simulation->scene->context->facts,
                      &(struct row_process){
                          .process_id = simulation->process_id,
                          .environment_id = simulation->environment_id,
                          .framework_id = simulation->framework_id,
                          .program = has_program ? shown_object(simulation, 0) : NULL,
                          .library_path = world->library_path,
                          .preload = world->preload,
                          .outcome = simulation->outcome,
                          .error = simulation->error,
                          .objects = objects,
                      });
}
