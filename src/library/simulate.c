#include "library/simulate.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "library/fill.h"
#include "library/find_path.h"
#include "library/name_version.h"

enum { OPENINGS_MAX = 4096 };

int simulation_start(struct simulation *simulation, const char *program, bool is_wanted)
{
    struct scene *scene = simulation->scene;
    struct arena *arena = scene->context->arena;
    char *real_path = NULL;
    int r = program ? machine_realpath(scene->context->machine, program, arena, &real_path) : 0;
    const struct loader_file *file = real_path ? loader_store_get(scene->store, real_path) : NULL;
    /* a recorded tree may have an empty file in its place */
    if (!is_wanted && (r < 0 || !file || file->class != LOADER_FITS))
        real_path = NULL, r = 0;
    if (r == 0)
        r = loader_process_start(&simulation->process, &scene->world, scene->store, arena,
                                 real_path);
    simulation->start_requests = simulation->process.request_count;
    return r == -ELIBACC ? 0 : r; /* a need that is missing is judged like any other */
}

/* --- opening --- */

/* A tree that holds a part of a machine may have an object without the paths of the real one, which
 * lead to the environment's own copy as a rule: nothing is known of another. */
static const char *stand_in(struct simulation *simulation, const char *name, size_t by)
{
    const struct scene *scene = simulation->scene;
    const struct loader_process *process = &simulation->process;
    size_t count;
    if (!scene->is_partial || !simulation->place || by == SIZE_MAX || strchr(name, '/') ||
        process->objects[by].file->object.rpath || process->objects[by].file->object.runpath ||
        loader_process_find(process, name) != SIZE_MAX)
        return name;
    const struct own_file *files =
        place_files_named(simulation->place, scene->context, name, &count);
    return count ? files[0].path : name;
}

static struct opening *open_by(struct simulation *simulation, const char *name, size_t by,
                               unsigned flags)
{
    struct loader_process *process = &simulation->process;
    if (simulation->opening_count == OPENINGS_MAX) {
        process->is_cut = true;
        return NULL;
    }
    if (simulation->opening_count == simulation->opening_capacity) {
        size_t capacity = simulation->opening_capacity * 2 + 32;
        struct opening *more =
            arena_alloc(simulation->scene->context->arena, capacity * sizeof *more);
        if (simulation->opening_count)
            memcpy(more, simulation->openings, simulation->opening_count * sizeof *more);
        simulation->openings = more;
        simulation->opening_capacity = capacity;
    }
    size_t first = process->request_count;
    size_t request = loader_process_open(process, stand_in(simulation, name, by), by, flags);
    struct opening *opening = &simulation->openings[simulation->opening_count++];
    *opening = (struct opening){
        .request = request,
        .first = first,
        .end = process->request_count,
        .binds_now = by == SIZE_MAX,
        .by = SIZE_MAX,
    };
    return opening;
}

static bool has_loaded(const struct simulation *simulation, const struct opening *opening)
{
    return opening && simulation->process.requests[opening->request].object != SIZE_MAX;
}

bool simulation_open(struct simulation *simulation, const char *name, bool optional)
{
    struct opening *opening = open_by(simulation, name, SIZE_MAX, 0);
    if (opening)
        opening->optional = optional;
    return has_loaded(simulation, opening);
}

/* --- steps --- */

static const char *soname_of(const struct loader_object *object)
{
    const char *soname = object->file->object.soname;
    return soname ? soname : path_name(object->path);
}

static size_t find_by_prefix(const struct simulation *simulation, const char *prefix)
{
    const struct loader_process *process = &simulation->process;
    for (size_t i = 0; i < process->object_count; i++)
        if (!process->objects[i].is_removed && text_starts(soname_of(&process->objects[i]), prefix))
            return i;
    return SIZE_MAX;
}

struct attempt {
    struct simulation *simulation;
    const struct load_step *step;
    struct fill_values values;
    const char *major; /* of the framework's CUDA */
    const char *cudnn; /* the major of its cuDNN */
    const char *variant;
    size_t by;
};

static bool open_one(const struct attempt *attempt, const char *name)
{
    struct opening *opening =
        open_by(attempt->simulation, name, attempt->by, attempt->step->global ? LOADER_GLOBAL : 0);
    if (opening) {
        opening->optional =
            attempt->step->optional || attempt->step->purpose || attempt->step->kind == LOAD_FIRST;
        if (attempt->step->binding != BIND_AS_USUAL)
            opening->binds_now = attempt->step->binding == BIND_NOW;
        if (attempt->step->kind == LOAD_OPEN)
            opening->purpose = attempt->step->purpose;
    }
    return has_loaded(attempt->simulation, opening);
}

/* What was not opened may be what a later object needs. */
static void leave_open(struct simulation *simulation, const char *why)
{
    simulation->process.is_cut = true;
    simulation->unopened = simulation->unopened ? simulation->unopened : why;
}

static void find_files(const struct attempt *attempt, const struct filled *filled,
                       struct found_paths *ret)
{
    const struct simulation *simulation = attempt->simulation;
    const struct path_finder finder = {simulation->scene->context, "library",
                                       &simulation->scene->reach};
    if (attempt->step->below_cuda_home)
        find_paths_of_cuda(&finder, filled->path, ret);
    else if (attempt->step->below_default_toolkit)
        find_paths_of_toolkit(&finder, filled->path, ret);
    else
        find_filled(&finder, simulation->place, filled, attempt->step->below_prefix, ret);
    if (ret->count || ret->doubt || !attempt->step->expected)
        return;
    ret->items[0] = find_expected(&finder, simulation->place, filled->path);
    ret->count = ret->items[0] != NULL;
}

/* Whether one of the files that the path stands for was loaded. Of an "open" all are opened. */
static bool open_path(const struct attempt *attempt, const char *path)
{
    struct simulation *simulation = attempt->simulation;
    struct arena *arena = simulation->scene->context->arena;
    struct filled filled = fill_path(arena, path, &attempt->values);
    if (filled.lacks)
        simulation->lacks = filled.lacks;
    if (filled.odd_variable)
        leave_open(simulation, arena_printf(arena,
                                            "which of its libraries it opens is decided by the "
                                            "variable %s, whose value is no part of a file's name",
                                            filled.odd_variable));
    if (!filled.path)
        return false;
    if (!strchr(filled.path, '/'))
        return open_one(attempt, filled.path);
    struct found_paths found;
    bool any = false;
    find_files(attempt, &filled, &found);
    if (found.doubt)
        leave_open(simulation, arena_printf(arena, "%s: %s", filled.path, found.doubt));
    for (size_t i = 0; i < found.count && !(any && attempt->step->kind == LOAD_FIRST); i++)
        any |= open_one(attempt, found.items[i]);
    return any;
}

/* The first alternative that loads is enough, and counts; where none does, the first that was tried
 * failed. */
static void open_first(const struct attempt *attempt)
{
    struct simulation *simulation = attempt->simulation;
    const struct load_step *step = attempt->step;
    size_t before = simulation->opening_count, counts = before;
    for (size_t i = 0; i < step->path_count; i++)
        if (open_path(attempt, step->paths[i])) {
            counts = simulation->opening_count - 1;
            break;
        }
    if (simulation->opening_count > before) {
        simulation->openings[counts].optional = step->optional || step->purpose;
        simulation->openings[counts].purpose = step->purpose;
    }
}

/* Asked for by its name or by its path, and not there. */
static bool has_failed(const struct simulation *simulation, const char *prefix)
{
    const struct loader_process *process = &simulation->process;
    if (find_by_prefix(simulation, prefix) != SIZE_MAX)
        return false;
    for (size_t i = 0; i < process->request_count; i++) {
        if (text_starts(path_name(process->requests[i].name), prefix))
            return true;
    }
    return false;
}

/* A module that no descriptor knows need not be in a tree that holds a part of a machine. */
static bool may_be_left_out(const struct scene *scene, const char *soname)
{
    return scene->is_partial && !library_set_find(&scene->known, soname);
}

static void run_step(struct attempt *attempt)
{
    struct simulation *simulation = attempt->simulation;
    const struct load_step *step = attempt->step;
    if (step->cuda && !text_equal(step->cuda, attempt->major))
        return;
    if (step->cudnn && !text_equal(step->cudnn, attempt->cudnn))
        return;
    if (step->variant && attempt->variant && !text_equal(step->variant, attempt->variant))
        return;
    if (step->only_if && find_by_prefix(simulation, step->only_if) == SIZE_MAX &&
        !may_be_left_out(simulation->scene, step->only_if))
        return;
    if (step->failed && !has_failed(simulation, step->failed))
        return;
    attempt->by = step->by ? find_by_prefix(simulation, step->by) : SIZE_MAX;
    if (step->by && attempt->by == SIZE_MAX)
        return;
    if (step->kind == LOAD_FIRST) {
        open_first(attempt);
        return;
    }
    for (size_t i = 0; i < step->path_count; i++)
        open_path(attempt, step->paths[i]);
}

void simulation_run(struct simulation *simulation, const struct load_spec *spec,
                    const struct imported *imported)
{
    const struct probe_context *context = simulation->scene->context;
    struct attempt attempt = {
        .simulation = simulation,
        .values = {context->machine, imported->cuda, imported->cuda_of, imported->data},
        .major = cuda_major_of(context->arena, imported->cuda),
        .cudnn = cuda_major_of(context->arena, imported->cudnn),
        .variant = imported->variant,
    };
    for (size_t i = 0; i < spec->step_count; i++) {
        attempt.step = &spec->steps[i];
        if (!load_release_fits(imported->release, attempt.step->since, attempt.step->before))
            continue;
        if (attempt.step->kind == LOAD_AFTER)
            imported->after(imported->data, attempt.step->after);
        else
            run_step(&attempt);
    }
}

/* --- what libraries open by themselves --- */

/* "9" of "libcudnn.so.9.1"; NULL where the soname has no number. */
static const char *major_in(struct arena *arena, const char *soname)
{
    const char *at = strstr(soname, ".so.");
    return at && isdigit((unsigned char)at[4]) ? arena_strndup(arena, at + 4, strcspn(at + 4, "."))
                                               : NULL;
}

/* The name with its words filled in; NULL where the caller's name does not tell one of them. */
static const char *inner_name(struct arena *arena, const char *name, const char *major,
                              const char *version)
{
    if ((strstr(name, "{major}") && !major) || (strstr(name, "{version}") && !version))
        return NULL;
    if (major)
        name = fill_token(arena, name, "{major}", major);
    return version ? fill_token(arena, name, "{version}", version) : name;
}

static void open_names(struct simulation *simulation, size_t object,
                       const struct library_open *open, const char *soname)
{
    struct scene *scene = simulation->scene;
    const char *real_path =
        loader_store_realpath(scene->store, simulation->process.objects[object].path);
    const char *version = real_path ? version_in_name(real_path) : NULL;
    const char *major = major_in(scene->context->arena, soname);
    /* a tree that holds a part of a machine has what is needed, and seldom what is opened */
    bool optional = open->optional || scene->is_partial, loaded = false;
    size_t asked = SIZE_MAX; /* of alternatives, the one that counts: a soname, if there is one */
    for (size_t i = 0; i < open->name_count && !(open->is_first && loaded); i++) {
        const char *name = inner_name(scene->context->arena, open->names[i], major, version);
        struct opening *opening = name ? open_by(simulation, name, object, 0) : NULL;
        if (!opening)
            continue;
        opening->by = object;
        opening->optional = optional || open->is_first;
        loaded = has_loaded(simulation, opening);
        if (asked == SIZE_MAX && !strstr(open->names[i], "{version}"))
            asked = (size_t)(opening - simulation->openings);
    }
    if (open->is_first && !loaded && asked != SIZE_MAX)
        simulation->openings[asked].optional = optional;
}

void simulation_open_inner(struct simulation *simulation)
{
    const struct loader_process *process = &simulation->process;
    for (size_t i = 0; i < process->object_count; i++) {
        const char *soname = soname_of(&process->objects[i]);
        const struct library_spec *family =
            scene_family(simulation->scene, soname, process->objects[i].path);
        for (size_t k = 0; family && k < family->open_count; k++)
            if (!process->objects[i].is_removed && text_starts(soname, family->opens[k].by))
                open_names(simulation, i, &family->opens[k], soname);
    }
}
