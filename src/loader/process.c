#include "loader/process.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "loader/process_parts.h"

/* --- starting --- */

static void make_subs(struct loader_process *process)
{
    const struct loader_world *world = process->world;
    struct loader_names *names = process->names;
    names->subs = arena_alloc(process->arena,
                              (world->level_count + world->legacy_count + 1) * sizeof *names->subs);
    for (size_t i = 0; i < world->level_count; i++)
        names->subs[names->sub_count++] =
            arena_printf(process->arena, "glibc-hwcaps/%s/", world->levels[i]);
    for (size_t i = 0; i < world->legacy_count; i++)
        names->subs[names->sub_count++] = arena_printf(process->arena, "%s/", world->legacy[i]);
}

static void make_names(struct loader_process *process)
{
    struct loader_names *names = arena_alloc(process->arena, sizeof *names);
    names->by_name.arena = names->by_base.arena = names->lists.arena = process->arena;
    names->program = SIZE_MAX;
    process->names = names;
    make_subs(process);
    names->defaults = loader_default_list(process);
}

/* Another user's rights: set-user-ID and set-group-ID programs. File capabilities do the same, and
 * are not looked at. */
static bool is_privileged(const struct loader_world *world, const char *path)
{
    struct file_stat st;
    struct machine_user user;
    machine_user(world->machine, &user);
    if (!user.known || machine_stat(world->machine, path, &st) < 0)
        return false;
    bool is_own_group = user.gid_count && user.gids[0] == st.gid;
    return (st.mode & 04000 && st.uid != user.uid) || (st.mode & 02000 && !is_own_group);
}

static const char *folder_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    return length ? arena_strndup(arena, path, length) : "/";
}

static void add_interpreter(struct loader_process *process, const char *path)
{
    const struct loader_file *file = loader_store_get(process->store, path);
    if (file->class != LOADER_FITS)
        return;
    size_t number = loader_add_object(process, &(struct loader_object){
                                                   .file = file,
                                                   .path = path,
                                                   .origin = folder_of(path, process->arena),
                                                   .loader = SIZE_MAX,
                                                   .via = VIA_PATH,
                                                   .via_owner = SIZE_MAX,
                                                   .is_global = true,
                                                   .is_interpreter = true,
                                               });
    if (number != SIZE_MAX)
        loader_know(process, number, path);
}

static int add_program(struct loader_process *process, const char *path)
{
    const struct loader_file *file = loader_store_get(process->store, path);
    char *real = NULL;
    if (file->class != LOADER_FITS)
        return file->class == LOADER_ABSENT ? file->error : -ENOEXEC;
    const char *interpreter = file->object.interpreter;
    if (interpreter && strstr(interpreter, "/ld-musl-"))
        return -ENOTSUP;
    int r = machine_realpath(process->world->machine, path, process->arena, &real);
    process->is_secure = is_privileged(process->world, path);
    process->names->program = 0;
    loader_add_object(process, &(struct loader_object){
                                   .file = file,
                                   .path = path,
                                   .origin = folder_of(r == 0 ? real : path, process->arena),
                                   .loader = SIZE_MAX,
                                   .via = VIA_PROGRAM,
                                   .via_owner = SIZE_MAX,
                                   .is_global = true,
                               });
    if (interpreter)
        add_interpreter(process, interpreter);
    return 0;
}

static void preload_list(struct loader_process *process, const char *list, const char *source)
{
    process->names->preload_source = source;
    while (list && *list) {
        size_t length = strcspn(list, " :");
        const char *name = arena_strndup(process->arena, list, length);
        /* a privileged program takes no paths, and what it takes it seeks in other ways */
        if (length && length < PATH_MAX && !process->is_secure)
            loader_ask(process, name, SIZE_MAX, LOADER_PRELOADED);
        list += length + (list[length] != '\0');
    }
}

/* A program without a loader; one that can lie anywhere has a dynamic section all the same. */
static bool is_static(const struct loader_file *file)
{
    const struct elf_object *object = &file->object;
    return !object->is_dynamic || (!object->interpreter && object->flags_1 & DF_1_PIE);
}

int loader_process_start(struct loader_process *process, const struct loader_world *world,
                         struct loader_store *store, struct arena *arena, const char *path)
{
    *process = (struct loader_process){.world = world, .store = store, .arena = arena};
    make_names(process);
    if (world->is_musl)
        return -ENOTSUP;
    int r = path ? add_program(process, path) : 0;
    if (r < 0)
        return r;
    if (path && is_static(process->objects[0].file))
        return 0;
    struct loader_names *names = process->names;
    if (world->library_path && !process->is_secure)
        names->library_path = loader_list_of(process, world->library_path,
                                             path ? process->objects[0].origin : NULL, ":;", false);
    names->is_starting = true;
    preload_list(process, world->preload, "LD_PRELOAD");
    preload_list(process, world->file_preload, "/etc/ld.so.preload");
    size_t failed = loader_load_needs(process, 0);
    names->is_starting = false;
    return failed == SIZE_MAX ? 0 : -ELIBACC;
}

/* --- opening --- */

static void make_global(struct loader_process *process, size_t object)
{
    size_t *items;
    size_t count = loader_closure(process, object, process->arena, &items);
    for (size_t i = 0; i < count; i++)
        process->objects[items[i]].is_global = true;
}

static void set_root(struct loader_process *process, size_t first, size_t object)
{
    for (size_t i = first; i < process->object_count; i++)
        process->names->infos[i].root = object;
}

static void take_out(struct loader_process *process, size_t first)
{
    for (size_t i = first; i < process->object_count; i++)
        process->objects[i].is_removed = true;
}

size_t loader_process_open(struct loader_process *process, const char *name, size_t caller,
                           unsigned flags)
{
    size_t first = process->object_count;
    size_t number = loader_ask(process, name, caller, LOADER_OPENED);
    size_t object = process->requests[number].object;
    if (object == SIZE_MAX)
        return number;
    size_t failed = loader_load_needs(process, first);
    set_root(process, first, object);
    if (failed != SIZE_MAX) {
        take_out(process, first);
        process->requests[number].object = SIZE_MAX;
        process->requests[number].error = process->requests[failed].error;
    } else if (flags & LOADER_GLOBAL) {
        make_global(process, object);
    }
    return number;
}
