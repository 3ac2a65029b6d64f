/* Requests and their answers, and the needs of what is loaded. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "loader/process_parts.h"
#include "loader/world_parts.h"

size_t loader_add_object(struct loader_process *process, const struct loader_object *object)
{
    struct loader_names *names = process->names;
    size_t number = process->object_count;
    if (number == LOADER_OBJECTS_MAX) {
        process->is_cut = true;
        return SIZE_MAX;
    }
    process->objects = loader_grow(process->arena, process->objects, &process->object_capacity,
                                   number, sizeof *process->objects);
    names->infos = loader_grow(process->arena, names->infos, &names->info_capacity, number,
                               sizeof *names->infos);
    process->objects[number] = *object;
    names->infos[number] = (struct loader_info){.root = SIZE_MAX};
    process->object_count++;
    if (object->file->object.soname)
        loader_know(process, number, object->file->object.soname);
    loader_map_add(&names->by_base, path_name(object->path), number);
    return number;
}

/* --- one request --- */

struct asking {
    struct loader_process *process;
    size_t number;
    const char *name; /* tokens expanded */
    enum loader_how how;
};

static struct loader_request *request_of(const struct asking *asking)
{
    return &asking->process->requests[asking->number];
}

static void fail(const struct asking *asking, const char *message)
{
    struct loader_process *process = asking->process;
    struct loader_request *request = request_of(asking);
    request->error = message;
    if (asking->how == LOADER_PRELOADED) {
        /* without the name in front, and without what the system says of it */
        const char *why =
            message +
            (text_starts(message, request->name) ? strlen(request->name) + strlen(": ") : 0);
        static const char absent[] = "cannot open shared object file";
        request->error = arena_printf(
            process->arena, "object '%s' from %s cannot be preloaded (%s): ignored.", request->name,
            process->names->preload_source, text_starts(why, absent) ? absent : why);
    }
}

/* A need that nothing answers: the loader itself is in every process, and whoever simulates may
 * know better. */
static bool may_lack(const struct asking *asking)
{
    const struct loader_world *world = asking->process->world;
    const char *interpreter = path_name(world_interpreter(world));
    return asking->how == LOADER_NEEDED &&
           (text_equal(asking->name, interpreter) ||
            (world->may_lack && world->may_lack(world->may_lack_data, asking->name)));
}

static void take_object(const struct asking *asking, size_t object, bool is_first)
{
    struct loader_request *request = request_of(asking);
    request->object = object;
    request->is_first = is_first;
    loader_know(asking->process, object, asking->name);
}

/* A file that was found and is not taken is one that was tried. */
static void add_step(const struct asking *asking, const struct loader_found *found)
{
    struct loader_request *request = request_of(asking);
    struct loader_step *steps =
        arena_alloc(asking->process->arena, (request->step_count + 1) * sizeof *steps);
    if (request->step_count)
        memcpy(steps, request->steps, request->step_count * sizeof *steps);
    steps[request->step_count++] =
        (struct loader_step){.via = found->via, .path = found->path, .file = found->file};
    request->steps = steps;
}

static void load_file(const struct asking *asking, const struct loader_found *found)
{
    struct loader_process *process = asking->process;
    size_t known = loader_known_file(process, found->file);
    if (known != SIZE_MAX) {
        take_object(asking, known, false);
        return;
    }
    const char *refusal = loader_refusal(process, found->file);
    if (refusal) {
        fail(asking, arena_printf(process->arena, "%s: %s", asking->name, refusal));
        add_step(asking, found);
        return;
    }
    const char *slash = strrchr(found->path, '/');
    size_t length = slash > found->path ? (size_t)(slash - found->path) : 1;
    size_t object =
        loader_add_object(process, &(struct loader_object){
                                       .file = found->file,
                                       .path = found->path,
                                       .origin = arena_strndup(process->arena, found->path, length),
                                       .loader = request_of(asking)->requester,
                                       .via = found->via,
                                       .via_list = found->list,
                                       .via_owner = found->owner,
                                       .is_preloaded = asking->how == LOADER_PRELOADED,
                                       .is_opened = asking->how == LOADER_OPENED,
                                       .is_global = process->names->is_starting,
                                       .is_doubtful = found->left_alone != NULL,
                                   });
    if (object == SIZE_MAX) {
        fail(asking,
             arena_printf(process->arena, "%s: more objects than are followed", asking->name));
        return;
    }
    take_object(asking, object, true);
    loader_know(process, object, found->path);
    loader_know(process, object, found->shown);
}

static void take_found(const struct asking *asking, const struct loader_found *found)
{
    struct loader_request *request = request_of(asking);
    request->via = found->file ? found->via : VIA_NONE;
    request->steps = found->steps;
    request->step_count = found->step_count;
    request->shadowed = found->shadowed;
    request->shadowed_count = found->shadowed_count;
    request->left_alone = found->left_alone;
    if (found->left_alone && !asking->process->left_alone)
        asking->process->left_alone = found->left_alone;
    if (found->file && found->file->class == LOADER_FITS)
        load_file(asking, found);
    else if (!found->file && !found->is_other_class && may_lack(asking))
        request->is_lacking = true;
    else if (!found->file && found->left_alone)
        fail(asking, arena_printf(asking->process->arena,
                                  "%s: not found, but not looked for in %s, which lies on another "
                                  "machine",
                                  asking->name, found->left_alone));
    else
        fail(asking, loader_message(asking->process, asking->name, found));
}

static void ask_path(const struct asking *asking)
{
    struct loader_process *process = asking->process;
    struct loader_found found = {
        .via = VIA_PATH, .shown = asking->name, .owner = SIZE_MAX, .error = -ENOENT};
    found.path = loader_absolute(process->world, asking->name, process->arena);
    const struct loader_file *file = found.path && strlen(found.path) < PATH_MAX
                                         ? loader_store_get(process->store, found.path)
                                         : NULL;
    if (file && (file->class == LOADER_FITS || file->class == LOADER_FATAL)) {
        found.file = file;
    } else if (file) {
        found.is_other_class = file->class == LOADER_FOREIGN && file->reason;
        found.error = file->class == LOADER_ABSENT ? file->error : -ENOENT;
        found.left_alone = found.error == -EREMOTE ? found.path : NULL;
    }
    if (file && file->class != LOADER_FITS) {
        found.steps = arena_alloc(process->arena, sizeof *found.steps);
        found.steps[found.step_count++] =
            (struct loader_step){.via = VIA_PATH, .path = found.path, .file = file};
    }
    take_found(asking, &found);
}

/* A name that is known is not looked for; what would be found otherwise is worth telling. */
static bool ask_known(const struct asking *asking)
{
    struct loader_process *process = asking->process;
    size_t object = loader_known(process, asking->name);
    if (object == SIZE_MAX)
        return false;
    take_object(asking, object, false);
    request_of(asking)->via = VIA_LOADED;
    if (strchr(asking->name, '/'))
        return true;
    struct loader_found others;
    size_t requester = request_of(asking)->requester;
    loader_search_others(process, asking->name, requester, process->objects[object].file, &others);
    request_of(asking)->shadowed = others.shadowed;
    request_of(asking)->shadowed_count = others.shadowed_count;
    return true;
}

static void answer(struct asking *asking)
{
    struct loader_process *process = asking->process;
    size_t requester = request_of(asking)->requester;
    if (strchr(asking->name, '$') && (asking->how == LOADER_NEEDED || strchr(asking->name, '/'))) {
        size_t object = requester == SIZE_MAX ? process->names->program : requester;
        asking->name = loader_expand(process->world, asking->name,
                                     object == SIZE_MAX ? NULL : process->objects[object].origin,
                                     process->arena);
        if (!asking->name || !*asking->name) {
            asking->name = request_of(asking)->name;
            fail(asking, arena_printf(process->arena, "%s: empty dynamic string token substitution",
                                      asking->name));
            return;
        }
    }
    if (ask_known(asking))
        return;
    if (strchr(asking->name, '/')) {
        ask_path(asking);
        return;
    }
    struct loader_found found;
    loader_search(process, asking->name, requester, &found);
    take_found(asking, &found);
}

size_t loader_ask(struct loader_process *process, const char *name, size_t requester,
                  enum loader_how how)
{
    size_t number = process->request_count;
    process->requests = loader_grow(process->arena, process->requests, &process->request_capacity,
                                    number, sizeof *process->requests);
    process->requests[number] = (struct loader_request){
        .requester = requester == process->names->program ? SIZE_MAX : requester,
        .name = name,
        .is_needed = how == LOADER_NEEDED,
        .object = SIZE_MAX,
    };
    process->request_count++;
    struct asking asking = {.process = process, .number = number, .name = name, .how = how};
    if (!process->world->is_musl)
        answer(&asking);
    return number;
}

/* --- needs --- */

static void add_dep(struct loader_process *process, size_t object, size_t dep)
{
    struct loader_info *info = &process->names->infos[object];
    info->deps = loader_grow(process->arena, info->deps, &info->dep_capacity, info->dep_count,
                             sizeof *info->deps);
    info->deps[info->dep_count++] = dep;
}

size_t loader_load_needs(struct loader_process *process, size_t first)
{
    size_t failed = SIZE_MAX;
    for (size_t i = first; i < process->object_count; i++) {
        const struct elf_object *elf = &process->objects[i].file->object;
        /* the interpreter was there before, and needs nothing */
        for (size_t k = 0; k < elf->needed_count && !process->objects[i].is_interpreter; k++) {
            if (process->request_count >= LOADER_REQUESTS_MAX) {
                process->is_cut = true;
                return failed;
            }
            size_t number = loader_ask(process, elf->needed[k], i, LOADER_NEEDED);
            const struct loader_request *request = &process->requests[number];
            if (request->object != SIZE_MAX)
                add_dep(process, i, request->object);
            else if (!request->is_lacking && failed == SIZE_MAX)
                failed = number;
        }
    }
    return failed;
}

size_t loader_closure(const struct loader_process *process, size_t object, struct arena *arena,
                      size_t **ret)
{
    size_t count = 0;
    bool *is_in = arena_alloc(arena, process->object_count + 1);
    size_t *items = arena_alloc(arena, (process->object_count + 1) * sizeof *items);
    items[count++] = object;
    is_in[object] = true;
    for (size_t i = 0; i < count; i++) {
        const struct loader_info *info = &process->names->infos[items[i]];
        for (size_t k = 0; k < info->dep_count; k++) {
            if (is_in[info->deps[k]])
                continue;
            is_in[info->deps[k]] = true;
            items[count++] = info->deps[k];
        }
    }
    *ret = items;
    return count;
}
