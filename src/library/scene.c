#include "library/scene.h"

#include <string.h>

#include "base/path.h"
#include "library/symbol_memo.h"

static const char probe_name[] = "library";

/* A library that no descriptor knows need not be in a tree that holds only a part of a machine:
 * nobody put the C library there. */
static bool may_be_left_out(void *data, const char *name)
{
    const struct scene *scene = data;
    return scene->is_partial && !scene_family(scene, NULL, name);
}

static void note_broken(struct probe_context *context, const char *file, const char *sentence)
{
    probe_note_status(context, probe_name, NULL, file, "malformed", "library", sentence);
}

static void read_libraries(struct scene *scene)
{
    struct probe_context *context = scene->context;
    struct library_set *known = &scene->known;
    known->items = arena_alloc(context->arena, (context->library_count + 1) * sizeof *known->items);
    for (size_t i = 0; i < context->library_count; i++) {
        struct error err = {0};
        if (library_spec_parse(context->libraries[i].json, context->arena,
                               &known->items[known->count], &err) == 0)
            known->count++;
        else
            note_broken(context, context->libraries[i].file, err.text);
    }
}

static void make_room(struct scene *scene)
{
    const struct library_set *known = &scene->known;
    size_t count = 0;
    for (size_t i = 0; i < known->count; i++)
        count += known->items[i].symbol_count;
    scene->prefixes = arena_alloc(scene->context->arena, (count + 1) * sizeof *scene->prefixes);
    scene->are_needed =
        arena_alloc(scene->context->arena, (known->count + 1) * sizeof *scene->are_needed);
}

/* The same few names are asked about again and again. SIZE_MAX: no known library's. */
static size_t number_of_name(const struct scene *scene, const char *name)
{
    size_t number;
    if (!name)
        return SIZE_MAX;
    if (!loader_map_get(scene->families, name, &number)) {
        const struct library_spec *family = library_set_find(&scene->known, name);
        number = family ? (size_t)(family - scene->known.items) : SIZE_MAX;
        loader_map_add(scene->families, arena_strdup(scene->context->arena, name), number);
    }
    return number;
}

static size_t number_of(const struct scene *scene, const char *soname, const char *path)
{
    size_t number = number_of_name(scene, soname);
    return number != SIZE_MAX || !path ? number : number_of_name(scene, path_name(path));
}

const struct loader_prefix *scene_prefixes(struct scene *scene, const struct loader_object *object,
                                           size_t *ret_count)
{
    const struct elf_object *elf = &object->file->object;
    size_t own = number_of(scene, elf->soname, object->path);
    bool *is_needed = scene->are_needed;
    memset(is_needed, 0, scene->known.count);
    for (size_t i = 0; i < elf->needed_count; i++) {
        size_t number = number_of_name(scene, elf->needed[i]);
        if (number != SIZE_MAX && number != own)
            is_needed[number] = true;
    }
    *ret_count = 0;
    for (size_t i = 0; i < scene->known.count; i++)
        for (size_t k = 0; is_needed[i] && k < scene->known.items[i].symbol_count; k++)
            scene->prefixes[(*ret_count)++] = (struct loader_prefix){
                .prefix = scene->known.items[i].symbols[k],
                .sonames = scene->known.items[i].sonames,
            };
    return scene->prefixes;
}

static bool is_out(void *data, const char *path)
{
    return reach_is_out(data, path);
}

/* The loader's own folders are looked at in any case, like the root: nothing starts without. */
static void guard(struct scene *scene)
{
    reach_read(scene->context, NULL, &scene->reach);
    for (size_t i = 0; i < scene->world.default_count; i++)
        reach_visited(&scene->reach, scene->world.defaults[i]);
    loader_store_guard(scene->store, is_out, &scene->reach);
}

void scene_start(struct scene *scene, struct probe_context *context)
{
    const char *now = machine_getenv(context->machine, "LD_BIND_NOW");
    *scene = (struct scene){
        .context = context,
        .is_partial = machine_is_partial(context->machine),
        .env_known = machine_env_known(context->machine),
        .binds_at_load = now && *now,
    };
    read_libraries(scene);
    make_room(scene);
    scene->families = arena_alloc(context->arena, sizeof *scene->families);
    scene->families->arena = context->arena;
    scene->specs =
        arena_alloc(context->arena, (context->descriptor_count + 1) * sizeof *scene->specs);
    scene->spec_states = arena_alloc(context->arena, context->descriptor_count + 1);
    loader_world_read(context->machine, context->arena, &scene->world);
    scene->world.may_lack = may_be_left_out;
    scene->world.may_lack_data = scene;
    scene->store = loader_store_new(context->machine, scene->world.elf_machine);
    guard(scene);
    scene->memo = symbol_memo_new(context->arena);
}

void scene_done(struct scene *scene)
{
    loader_store_free(scene->store);
    reach_done(&scene->reach);
    symbol_memo_free(scene->memo);
    scene->store = NULL;
    scene->memo = NULL;
}

enum { NOT_READ, READ, BROKEN };

const struct load_spec *scene_load_spec(struct scene *scene, const char *framework)
{
    struct probe_context *context = scene->context;
    const struct descriptor *found =
        descriptor_named(context->descriptors, context->descriptor_count, framework);
    if (!found)
        return NULL;
    size_t i = (size_t)(found - context->descriptors);
    if (scene->spec_states[i] == NOT_READ) {
        struct error err = {0};
        bool is_read = load_spec_parse(found->json, context->arena, &scene->specs[i], &err) == 0;
        scene->spec_states[i] = is_read ? READ : BROKEN;
        if (!is_read)
            note_broken(context, found->file, err.text);
    }
    return scene->spec_states[i] == READ ? &scene->specs[i] : NULL;
}

const struct library_spec *scene_family(const struct scene *scene, const char *soname,
                                        const char *path)
{
    size_t number = number_of(scene, soname, path);
    return number == SIZE_MAX ? NULL : &scene->known.items[number];
}
