/* The search for a name without a slash: glibc, _dl_map_object() and open_path() in elf/dl-load.c.
 * What comes after the answer is looked at as well: those copies it keeps from being found. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "loader/search_parts.h"

/* False where the list that the candidate stands in is given up. */
static bool try_file(struct search *search, const struct spot *spot, const char *path,
                     const struct loader_file *file)
{
    struct loader_found *found = search->found;
    if (search->is_over) {
        search_add_shadowed(search, spot, path, file);
        return true;
    }
    switch (file->class) {
    case LOADER_ABSENT:
        if (search->keeps_absent)
            search_add_step(search, spot, path, file);
        if (file->error == -EREMOTE) {
            search_leave(search, path);
            return true;
        }
        found->error = file->error;
        return file->error == -ENOENT || file->error == -EACCES || file->error == -ENOTDIR;
    case LOADER_FOREIGN:
        found->error = -ENOENT;
        found->is_other_class |= file->reason != NULL;
        search_add_step(search, spot, path, file);
        return true;
    case LOADER_FATAL:
        search_add_step(search, spot, path, file);
        search_take(search, spot, path, file);
        return true;
    case LOADER_FITS:
        search_take(search, spot, path, file);
        return true;
    }
    return true;
}

/* What stands in a shadow is not loaded: that it could be is all there is to know. */
static const struct loader_file *look(const struct search *search, const char *path)
{
    struct loader_store *store = search->process->store;
    return search->is_over ? loader_store_look(store, path) : loader_store_get(store, path);
}

static bool try_in(struct search *search, const struct spot *spot, struct loader_folder *folder)
{
    struct loader_store *store = search->process->store;
    char path[PATH_MAX];
    bool lacks = loader_folder_lacks(store, folder, search->name);
    if (lacks && !search->keeps_absent)
        return true;
    const struct loader_file *file = lacks && folder->is_there ? loader_store_absent(store) : NULL;
    size_t length = strlen(folder->path), more = strlen(search->name) + 1;
    if (length + more > sizeof path)
        return true;
    memcpy(path, folder->path, length);
    memcpy(path + length, search->name, more);
    if (!file) {
        file = look(search, path);
        if (file == loader_store_absent(store))
            loader_folder_note_lack(store, folder, search->name);
    }
    return try_file(search, spot, path, file);
}

/* --- lists --- */

static bool may_look(struct search *search)
{
    size_t *looks = &search->process->names->looks;
    if (*looks < LOADER_LOOKS_MAX)
        return ++*looks;
    search->process->is_cut = true;
    return false;
}

static void try_subs(struct search *search, struct spot *spot)
{
    struct loader_process *process = search->process;
    const struct loader_names *names = process->names;
    struct loader_folder *const *folders =
        loader_folder_subs(process->store, spot->element->folder, names->subs, names->sub_count);
    for (size_t i = 0; i < names->sub_count && !search->is_over; i++) {
        spot->sub = names->subs[i];
        if (folders[i])
            try_in(search, spot, folders[i]);
    }
    spot->sub = "";
}

static void try_list(struct search *search, enum loader_via via, size_t owner,
                     const struct loader_list *list)
{
    for (size_t i = 0; list && i < list->count; i++) {
        struct spot spot = {.via = via, .owner = owner, .element = &list->items[i], .sub = ""};
        struct loader_folder *folder = list->items[i].folder;
        if (!may_look(search))
            return;
        if (folder->is_left)
            search_leave(search, folder->path);
        if (!folder->is_there && !search->keeps_absent)
            continue;
        if (folder->is_there && !search->is_over)
            try_subs(search, &spot);
        if (!try_in(search, &spot, folder))
            return;
    }
}

/* The object that loaded this one; SIZE_MAX: the chain ends. Nobody loaded what dlopen() brought:
 * its caller's paths served to find it, and count no more. */
static size_t loader_of(const struct loader_process *process, size_t object)
{
    const struct loader_object *loaded = &process->objects[object];
    size_t program = process->names->program;
    if (object == program || loaded->is_opened || loaded->is_interpreter)
        return SIZE_MAX;
    return loaded->loader == SIZE_MAX ? program : loaded->loader;
}

static void try_rpaths(struct search *search)
{
    struct loader_process *process = search->process;
    size_t program = process->names->program, object = search->requester;
    bool did_program = false;
    if (object != SIZE_MAX && process->objects[object].file->object.runpath)
        return;
    for (; object != SIZE_MAX && may_look(search); object = loader_of(process, object)) {
        try_list(search, VIA_RPATH, object, loader_lists(process, object)->rpath);
        did_program |= object == program;
    }
    if (!did_program && program != SIZE_MAX)
        try_list(search, VIA_RPATH, program, loader_lists(process, program)->rpath);
}

/* --- the cache --- */

static bool is_default(const struct loader_world *world, const char *path)
{
    for (size_t i = 0; i < world->default_count; i++) {
        size_t length = strlen(world->defaults[i]);
        if (strncmp(path, world->defaults[i], length) == 0 && path[length] == '/')
            return true;
    }
    return false;
}

/* Another entry is not tried where the file of the best is gone. */
static void try_cache(struct search *search, bool without_defaults)
{
    struct loader_process *process = search->process;
    const struct loader_world *world = process->world;
    struct spot spot = {.via = VIA_CACHE, .owner = SIZE_MAX, .sub = ""};
    size_t number;
    if (!world->cache_index || !loader_map_get(world->cache_index, search->name, &number))
        return;
    const struct loader_cached *entry = &world->cached[number];
    if (*entry->path == '/' && !(without_defaults && is_default(world, entry->path)))
        try_file(search, &spot, entry->path, look(search, entry->path));
}

/* --- all of it --- */

static void run(struct search *search)
{
    struct loader_process *process = search->process;
    size_t requester = search->requester;
    uint64_t flags = requester == SIZE_MAX ? 0 : process->objects[requester].file->object.flags_1;
    try_rpaths(search);
    try_list(search, VIA_LIBRARY_PATH, SIZE_MAX, process->names->library_path);
    if (requester != SIZE_MAX)
        try_list(search, VIA_RUNPATH, requester, loader_lists(process, requester)->runpath);
    try_cache(search, flags & DF_1_NODEFLIB);
    if (!(flags & DF_1_NODEFLIB))
        try_list(search, VIA_DEFAULT, SIZE_MAX, process->names->defaults);
}

/* No folder has a file of such a name, and asking all of them would take its time. */
static bool is_too_long(const char *name)
{
    return strnlen(name, NAME_MAX + 1) > NAME_MAX;
}

static size_t requester_of(const struct loader_process *process, size_t requester)
{
    return requester == SIZE_MAX ? process->names->program : requester;
}

void loader_search(struct loader_process *process, const char *name, size_t requester,
                   struct loader_found *ret)
{
    struct search search = {
        .process = process,
        .name = name,
        .requester = requester_of(process, requester),
        .keeps_absent = process->world->keeps_trail,
        .found = ret,
    };
    const struct loader_found nothing = {.owner = SIZE_MAX};
    *ret = nothing;
    if (is_too_long(name)) {
        ret->error = -ENAMETOOLONG;
        return;
    }
    run(&search);
    if (ret->file || search.keeps_absent)
        return;
    if (process->is_cut || process->names->kept == LOADER_KEPT_MAX) {
        ret->error = ret->error ? ret->error : -ENOENT;
        return;
    }
    /* once more, to tell where it was looked for: all of it is known by now */
    search.keeps_absent = true;
    search.step_capacity = 0;
    *ret = nothing;
    run(&search);
}

void loader_search_others(struct loader_process *process, const char *name, size_t requester,
                          const struct loader_file *answer, struct loader_found *ret)
{
    struct search search = {
        .process = process,
        .name = name,
        .requester = requester_of(process, requester),
        .is_over = true,
        .found = ret,
    };
    *ret = (struct loader_found){.file = answer, .owner = SIZE_MAX};
    if (!is_too_long(name))
        run(&search);
}
