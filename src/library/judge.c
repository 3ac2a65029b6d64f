/* What of a process's loading is required, and what comes of it. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "library/shown.h"
#include "library/simulate.h"

static bool is_unanswered(const struct loader_request *request)
{
    return request->object == SIZE_MAX && !request->is_lacking;
}

/* --- what is required --- */

static bool is_object_required(const struct simulation *simulation, size_t object)
{
    /* SIZE_MAX is the program, which is there or not simulated */
    return object >= simulation->process.object_count || simulation->needs_object[object];
}

static bool require(struct simulation *simulation, size_t number)
{
    const struct loader_request *request = &simulation->process.requests[number];
    if (simulation->is_required[number])
        return false;
    simulation->is_required[number] = true;
    if (request->object < simulation->process.object_count)
        simulation->needs_object[request->object] = true;
    return true;
}

/* What an opening that failed had asked for is required where it is itself: its objects are gone.
 * Else a need is where the object that has it is, which another opening may require. */
static bool require_of(struct simulation *simulation, const struct opening *opening)
{
    const struct loader_process *process = &simulation->process;
    bool is_needed = !opening->optional && is_object_required(simulation, opening->by);
    bool has_failed = process->requests[opening->request].object == SIZE_MAX;
    bool any = false;
    for (size_t i = opening->first; i < opening->end; i++) {
        bool is_own = i == opening->request || has_failed;
        if (is_own ? is_needed : is_object_required(simulation, process->requests[i].requester))
            any |= require(simulation, i);
    }
    return any;
}

/* At the start the loader goes on where a preload is missing. */
static bool require_of_start(struct simulation *simulation)
{
    bool any = false;
    for (size_t i = 0; i < simulation->start_requests; i++) {
        const struct loader_request *request = &simulation->process.requests[i];
        if (request->is_needed && is_object_required(simulation, request->requester))
            any |= require(simulation, i);
    }
    return any;
}

static void find_required(struct simulation *simulation)
{
    struct arena *arena = simulation->scene->context->arena;
    const struct loader_process *process = &simulation->process;
    simulation->is_required = arena_alloc(arena, process->request_count + 1);
    simulation->needs_object = arena_alloc(arena, process->object_count + 1);
    if (process->object_count && process->objects[0].via == VIA_PROGRAM)
        simulation->needs_object[0] = true;
    for (bool any = true; any;) {
        any = require_of_start(simulation);
        for (size_t i = 0; i < simulation->opening_count; i++)
            any |= require_of(simulation, &simulation->openings[i]);
    }
}

/* --- the outcome --- */

/* The need that made an opening fail, or the opening itself. */
static size_t cause_of(const struct simulation *simulation, const struct opening *opening)
{
    for (size_t i = opening->first; i < opening->end; i++)
        if (i != opening->request && is_unanswered(&simulation->process.requests[i]))
            return i;
    return opening->request;
}

static bool is_in_conda(const struct simulation *simulation, const char *name)
{
    struct place *place = simulation->place;
    size_t count;
    if (!place || !place->prefix || !text_equal(place->kind, "conda"))
        return false;
    const struct own_file *files =
        place_files_named(place, simulation->scene->context, name, &count);
    size_t length = strlen(place->prefix);
    for (size_t i = 0; i < count; i++)
        if (text_starts(files[i].path, place->prefix) &&
            text_starts(files[i].path + length, "/lib/"))
            return true;
    return false;
}

/* Whether "not found" may be wrong, because part of where the loader looks is not known: variables
 * (an image has none), the cache, or the RPATH of a conda environment's Python that is not there.
 */
static bool may_be_found(const struct simulation *simulation, size_t number)
{
    const struct scene *scene = simulation->scene;
    const struct loader_process *process = &simulation->process;
    const struct loader_request *request = &process->requests[number];
    bool has_program = process->object_count && process->objects[0].via == VIA_PROGRAM;
    if (request->left_alone)
        return true;
    if (request->via != VIA_NONE || strchr(request->name, '/'))
        return false;
    if (process->is_cut)
        return true;
    return !scene->env_known || scene->world.cache_problem ||
           (scene->world.cache_error < 0 && scene->world.cache_error != -ENOENT) ||
           (!has_program && is_in_conda(simulation, request->name));
}

static bool any_loaded(const struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->opening_count; i++)
        if (simulation->process.requests[simulation->openings[i].request].object != SIZE_MAX)
            return true;
    return false;
}

const char *simulation_cut(const struct simulation *simulation, size_t object)
{
    const struct scene *scene = simulation->scene;
    if (object >= simulation->process.object_count || scene->is_partial ||
        !simulation->process.objects[object].file->is_cut)
        return NULL;
    return arena_printf(scene->context->arena, "%s: %s",
                        shown_path(scene, simulation->process.objects[object].path),
                        simulation->process.objects[object].file->problem);
}

/* The loader takes such a file without a word, and the process dies, whether it needs it or not. */
static bool dies_of_cut(struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->process.object_count; i++)
        if (!simulation->process.objects[i].is_removed &&
            (simulation->error = simulation_cut(simulation, i)))
            return true;
    return false;
}

/* Why not all is known of what it loads; NULL where it is. */
static const char *doubt(const struct simulation *simulation)
{
    const struct loader_process *process = &simulation->process;
    if (simulation->unopened)
        return simulation->unopened;
    if (process->is_cut)
        return "its libraries lead to more files and folders than are followed";
    for (size_t i = 0; i < process->object_count; i++) {
        const struct loader_object *object = &process->objects[i];
        /* what a file needs is not known where its tables are broken */
        if (simulation->needs_object[i] && object->file->problem)
            return arena_printf(simulation->scene->context->arena, "%s: %s", object->path,
                                object->file->problem);
        /* the C library and its like stand in few folders, and hardly on another machine */
        if (simulation->needs_object[i] && object->is_doubtful && !object->is_removed &&
            scene_family(simulation->scene, object->file->object.soname, object->path))
            return arena_printf(simulation->scene->context->arena,
                                "%s is not what loads if %s has another, which lies on another "
                                "machine and was not looked at",
                                object->path, process->left_alone);
    }
    return NULL;
}

static void fail(struct simulation *simulation, size_t cause, size_t whose)
{
    const struct loader_request *requests = simulation->process.requests;
    bool is_open = may_be_found(simulation, cause);
    simulation->outcome = is_open ? "unknown" : "fails";
    simulation->failed_request = cause;
    simulation->error = is_open && simulation->process.is_cut ? doubt(simulation)
                        : requests[cause].error               ? requests[cause].error
                                                              : requests[whose].error;
}

void simulation_judge(struct simulation *simulation)
{
    const struct loader_process *process = &simulation->process;
    find_required(simulation);
    simulation->failed_request = SIZE_MAX;
    simulation->outcome = any_loaded(simulation) || !simulation->framework_id ? "loads" : "nothing";
    for (size_t i = 0; i < simulation->start_requests; i++)
        if (simulation->is_required[i] && is_unanswered(&process->requests[i])) {
            fail(simulation, i, i);
            return;
        }
    for (size_t i = 0; i < simulation->opening_count; i++) {
        const struct opening *opening = &simulation->openings[i];
        if (simulation->is_required[opening->request] &&
            process->requests[opening->request].object == SIZE_MAX) {
            fail(simulation, cause_of(simulation, opening), opening->request);
            return;
        }
    }
    if (dies_of_cut(simulation))
        simulation->outcome = "fails";
    else if ((simulation->error = doubt(simulation)))
        simulation->outcome = "unknown";
    else if (text_equal(simulation->outcome, "nothing") && simulation->lacks)
        simulation->error = arena_printf(
            simulation->scene->context->arena,
            "which of its libraries it opens is decided by the CUDA of %s, which is not there",
            simulation->lacks);
}
