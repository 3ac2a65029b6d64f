/* Simulates the loading of a program and of what it opens, and prints what comes of it as JSON: for
 * tests that compare with the real loader.
 *
 *   simulate [--root DIR] [--program PATH] [--library-path LIST] [--preload LIST] [--symbols]
 *            [--quick] [--from PATH NAME | --global NAME | NAME]...
 *
 * A NAME is opened by the program, or by the loaded object at PATH (simulate's own arguments are
 * taken from no environment: LD_LIBRARY_PATH and LD_PRELOAD are what the options say). --quick
 * leaves out what was tried in vain. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "loader/process.h"

struct simulation {
    struct machine *machine;
    struct arena arena;
    struct loader_world world;
    struct loader_store *store;
    struct loader_process process;
    bool checks_symbols;
};

static json_t *text(const char *value)
{
    return value ? json_stringn_nocheck(value, strlen(value)) : json_null();
}

static json_t *number(size_t value)
{
    return value == SIZE_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *steps(const struct loader_step *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "via", loader_via_name(items[i].via),
                                              "path", text(items[i].path)));
    return list;
}

static json_t *objects(const struct simulation *simulation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < simulation->process.object_count; i++) {
        const struct loader_object *object = &simulation->process.objects[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b}", "path",
                            text(object->path), "origin", text(object->origin), "via",
                            loader_via_name(object->via), "list", text(object->via_list), "owner",
                            number(object->via_owner), "loader", number(object->loader), "problem",
                            text(object->file->problem), "global", object->is_global, "interpreter",
                            object->is_interpreter, "removed", object->is_removed, "preloaded",
                            object->is_preloaded));
    }
    return list;
}

static json_t *requests(const struct simulation *simulation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < simulation->process.request_count; i++) {
        const struct loader_request *request = &simulation->process.requests[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:s, s:o, s:b, s:b, s:o, s:o}", "name",
                            text(request->name), "requester", number(request->requester), "object",
                            number(request->object), "via", loader_via_name(request->via), "error",
                            text(request->error), "first", request->is_first, "needed",
                            request->is_needed, "steps", steps(request->steps, request->step_count),
                            "shadowed", steps(request->shadowed, request->shadowed_count)));
    }
    return list;
}

enum { LETTERS = 'z' - 'A' + 1 };

/* Every versioned reference is looked up, and every other: each letter is a prefix. */
static json_t *missing(struct simulation *simulation)
{
    static const char *const any_soname[] = {"lib", NULL};
    struct loader_prefix prefixes[LETTERS];
    char letters[LETTERS][2];
    json_t *list = json_array();
    for (int i = 0; i < LETTERS; i++) {
        letters[i][0] = (char)('A' + i);
        letters[i][1] = '\0';
        prefixes[i] = (struct loader_prefix){letters[i], any_soname};
    }
    for (size_t i = 0; i < simulation->process.object_count && simulation->checks_symbols; i++) {
        struct loader_symbols symbols;
        if (simulation->process.objects[i].is_removed)
            continue;
        loader_check_symbols(&simulation->process, i, false, prefixes, LETTERS, &symbols);
        for (size_t k = 0; k < symbols.missing_count; k++) {
            const struct loader_missing *item = &symbols.missing[k];
            json_array_append_new(
                list, json_pack("{s:o, s:o, s:o, s:o, s:b}", "user", number(item->user), "provider",
                                number(item->provider), "symbol", text(item->symbol), "version",
                                text(item->version), "fatal", item->is_fatal));
        }
        if (symbols.problem)
            json_array_append_new(
                list, json_pack("{s:o, s:o}", "user", number(i), "problem", text(symbols.problem)));
    }
    return list;
}

static size_t loaded_at(const struct simulation *simulation, const char *path)
{
    for (size_t i = 0; i < simulation->process.object_count; i++)
        if (strcmp(simulation->process.objects[i].path, path) == 0)
            return i;
    return SIZE_MAX;
}

static json_t *open_all(struct simulation *simulation, char **names, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        size_t caller = SIZE_MAX;
        unsigned flags = 0;
        if (strcmp(names[i], "--from") == 0 && i + 2 < count) {
            caller = loaded_at(simulation, names[i + 1]);
            i += 2;
        } else if (strcmp(names[i], "--global") == 0 && i + 1 < count) {
            flags = LOADER_GLOBAL;
            i++;
        }
        json_array_append_new(
            list, number(loader_process_open(&simulation->process, names[i], caller, flags)));
    }
    return list;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static json_t *world_page(const struct loader_world *world)
{
    json_t *levels = json_array(), *folders = json_array();
    for (size_t i = 0; i < world->level_count; i++)
        json_array_append_new(levels, text(world->levels[i]));
    for (size_t i = 0; i < world->default_count; i++)
        json_array_append_new(folders, text(world->defaults[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "lib", text(world->lib), "platform",
                     text(world->platform), "levels", levels, "defaults", folders, "cached",
                     number(world->cached_count), "musl", world->is_musl);
}

static void simulate(struct simulation *simulation, const char *program, char **names, int count)
{
    size_t files;
    uint64_t bytes;
    simulation->store = loader_store_new(simulation->machine, simulation->world.elf_machine);
    double start = now();
    int r = loader_process_start(&simulation->process, &simulation->world, simulation->store,
                                 &simulation->arena, program);
    json_t *opened = open_all(simulation, names, count);
    double loaded = now();
    json_t *absent = missing(simulation);
    double checked = now();
    loader_store_counts(simulation->store, &files, &bytes);
    json_t *page = json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:I, s:I}", "status", r, "world",
        world_page(&simulation->world), "objects", objects(simulation), "requests",
        requests(simulation), "opened", opened, "missing", absent, "ms", loaded - start,
        "symbols_ms", checked - loaded, "files", (json_int_t)files, "bytes", (json_int_t)bytes);
    char *out = json_dumps(page, JSON_INDENT(1) | JSON_ENCODE_ANY);
    puts(out ? out : "null");
    free(out);
    json_decref(page);
    loader_store_free(simulation->store);
}

int main(int argc, char **argv)
{
    struct simulation simulation = {0};
    struct error err;
    const char *root = NULL, *program = NULL, *library_path = NULL, *preload = NULL;
    bool is_quick = false;
    int at = 1;
    for (; at < argc; at++) {
        const char **value = strcmp(argv[at], "--root") == 0           ? &root
                             : strcmp(argv[at], "--program") == 0      ? &program
                             : strcmp(argv[at], "--library-path") == 0 ? &library_path
                             : strcmp(argv[at], "--preload") == 0      ? &preload
                                                                       : NULL;
        if (strcmp(argv[at], "--symbols") == 0)
            simulation.checks_symbols = true;
        else if (strcmp(argv[at], "--quick") == 0)
            is_quick = true;
        else if (value && at + 1 < argc)
            *value = argv[++at];
        else
            break;
    }
    int r = root ? machine_open_root(root, &simulation.machine, &err)
                 : machine_open_live(&simulation.machine, &err);
    if (r < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    loader_world_read(simulation.machine, &simulation.arena, &simulation.world);
    simulation.world.library_path = library_path && *library_path ? library_path : NULL;
    simulation.world.preload = preload && *preload ? preload : NULL;
    simulation.world.keeps_trail = !is_quick;
    simulate(&simulation, program, argv + at, argc - at);
    machine_free(simulation.machine);
    arena_done(&simulation.arena);
    return 0;
}
