#include "python/condarc.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

enum { PARTS_MAX = 64, DIRS_MAX = 64 };

/* Files in a folder of settings, in conda's order (SEARCH_PATH in its constants.py); ".mambarc" is
 * mamba's and comes last. */
static const char *const leaves[] = {".condarc", "condarc", "condarc.d", ".mambarc"};

struct visit {
    struct probe_context *context;
    void (*each)(void *data, const char *tool, const char *path);
    void *data;
    const char *scope; /* environment; NULL: the machine */
    bool is_quiet;     /* folders that cannot be read are told elsewhere */
};

static void visit_file(const struct visit *visit, const char *path)
{
    struct file_stat st;
    int r = machine_lstat(visit->context->machine, path, &st);
    /* what is there and cannot be read is for the caller to tell */
    if (r != -ENOENT && r != -ENOTDIR)
        visit->each(visit->data, text_ends(path, ".mambarc") ? "mamba" : "conda", path);
}

/* condarc.d/ *.yml and *.yaml, sorted. */
static void visit_parts(const struct visit *visit, const char *folder)
{
    struct arena *arena = visit->context->arena;
    struct dir_list names;
    int r = machine_list(visit->context->machine, folder, PARTS_MAX, arena, &names);
    if (!visit->is_quiet && ((r < 0 && r != -ENOENT && r != -ENOTDIR) || (r == 0 && names.cut)))
        probe_note(visit->context, "package_setting", visit->scope, folder, r < 0 ? r : -EFBIG,
                   "package_setting", r < 0 ? NULL : "it has more files than are read");
    for (size_t i = 0; r == 0 && i < names.count; i++)
        if (text_ends(names.names[i], ".yml") || text_ends(names.names[i], ".yaml"))
            visit_file(visit, arena_printf(arena, "%s/%s", folder, names.names[i]));
}

static void visit_folder(const struct visit *visit, const char *folder)
{
    struct file_stat st;
    if (!folder || folder[0] != '/' || machine_stat(visit->context->machine, folder, &st) != 0)
        return;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        const char *path = arena_printf(visit->context->arena, "%s/%s",
                                        strcmp(folder, "/") == 0 ? "" : folder, leaves[i]);
        if (text_ends(path, ".d"))
            visit_parts(visit, path);
        else
            visit_file(visit, path);
    }
}

static const char *variable(const struct visit *visit, const char *name)
{
    const char *value = machine_getenv(visit->context->machine, name);
    return value && *value ? value : NULL;
}

/* ROOT of ROOT/bin/conda. */
static const char *root_of(const struct visit *visit, const char *program)
{
    size_t length = program ? strlen(program) : 0;
    for (int i = 0; i < 2 && length; i++)
        while (length && program[--length] != '/')
            ;
    return length ? arena_strndup(visit->context->arena, program, length) : NULL;
}

static void visit_places(const struct visit *visit)
{
    struct arena *arena = visit->context->arena;
    const char *home = machine_home(visit->context->machine);
    const char *config = variable(visit, "XDG_CONFIG_HOME"), *file = variable(visit, "CONDARC");
    visit_folder(visit, "/etc/conda");
    visit_folder(visit, "/var/lib/conda");
    visit_folder(visit, variable(visit, "CONDA_ROOT"));
    visit_folder(visit, root_of(visit, variable(visit, "CONDA_EXE")));
    visit_folder(visit, variable(visit, "MAMBA_ROOT_PREFIX"));
    if (config)
        visit_folder(visit, arena_printf(arena, "%s/conda", config));
    if (home) {
        visit_folder(visit, arena_printf(arena, "%s/.config/conda", home));
        visit_folder(visit, arena_printf(arena, "%s/.conda", home));
        visit_file(visit, arena_printf(arena, "%s/.condarc", home));
        visit_file(visit, arena_printf(arena, "%s/.mambarc", home));
    }
    visit_folder(visit, variable(visit, "CONDA_PREFIX"));
    if (file && file[0] == '/')
        visit_file(visit, file);
}

void condarc_each_place(struct probe_context *context,
                        void (*each)(void *data, const char *tool, const char *path), void *data)
{
    visit_places(&(struct visit){.context = context, .each = each, .data = data});
}

void condarc_each_place_in(struct probe_context *context, const char *prefix,
                           void (*each)(void *data, const char *tool, const char *path), void *data)
{
    visit_folder(&(struct visit){.context = context, .each = each, .data = data, .scope = prefix},
                 prefix);
}

/* --- envs_dirs --- */

struct dirs {
    struct probe_context *context;
    const char *items[DIRS_MAX];
    size_t count;
};

/* "~/envs", "$HOME/envs", "${DATA}/envs". NULL where a variable is not known or the result is no
 * absolute path. */
static const char *expand(struct probe_context *context, const char *text)
{
    CLEANUP_TEXT struct text out = {0};
    const char *home = machine_home(context->machine);
    if (text[0] == '~' && (!text[1] || text[1] == '/')) {
        if (!home)
            return NULL;
        text_add(&out, home);
        text++;
    }
    while (*text) {
        size_t plain = strcspn(text, "$");
        text_add_bytes(&out, text, plain);
        text += plain;
        if (!*text)
            break;
        bool is_braced = text[1] == '{';
        const char *start = text + 1 + is_braced;
        size_t length = strspn(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
                                      "0123456789");
        const char *name = arena_strndup(context->arena, start, length);
        const char *value = length ? machine_getenv(context->machine, name) : NULL;
        if (!value || (is_braced && start[length] != '}'))
            return NULL;
        text_add(&out, value);
        text = start + length + is_braced;
    }
    return text_get(&out)[0] == '/' ? arena_strdup(context->arena, text_get(&out)) : NULL;
}

static void add_dir(struct dirs *dirs, const char *text)
{
    const char *path = expand(dirs->context, text);
    for (size_t i = 0; path && i < dirs->count; i++)
        if (!strcmp(dirs->items[i], path))
            return;
    if (path && dirs->count < DIRS_MAX)
        dirs->items[dirs->count++] = path;
}

static void take_value(void *data, const struct condarc_value *value)
{
    struct dirs *dirs = data;
    if (!strcmp(value->name, "envs_dirs"))
        add_dir(dirs, value->value);
}

struct places {
    const char *paths[DIRS_MAX];
    size_t count;
};

static void take_place(void *data, const char *tool, const char *path)
{
    struct places *places = data;
    (void)tool;
    if (places->count < DIRS_MAX)
        places->paths[places->count++] = path;
}

static void read_file(struct dirs *dirs, const char *path)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct arena arena = {0};
    if (machine_read(dirs->context->machine, path, CONDARC_SIZE_MAX, &text) == 0)
        condarc_parse(text.data, text.length, &arena, take_value, dirs);
    arena_done(&arena);
}

void condarc_read_envs_dirs(struct probe_context *context, struct condarc_dirs *ret)
{
    static const char *const variables[] = {"CONDA_ENVS_DIRS", "CONDA_ENVS_PATH"};
    struct dirs dirs = {.context = context};
    struct places places = {0};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *list = machine_getenv(context->machine, variables[i]);
        while (list && *list) {
            size_t length = strcspn(list, ":");
            add_dir(&dirs, arena_strndup(context->arena, list, length));
            list += length + (list[length] == ':');
        }
    }
    visit_places(
        &(struct visit){.context = context, .each = take_place, .data = &places, .is_quiet = true});
    for (size_t i = places.count; i-- > 0;) /* later files count more */
        read_file(&dirs, places.paths[i]);
    ret->count = dirs.count;
    ret->items = arena_alloc(context->arena, (dirs.count + 1) * sizeof *ret->items);
    memcpy(ret->items, dirs.items, dirs.count * sizeof *ret->items);
}
