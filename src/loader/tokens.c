/* Dynamic string tokens and lists of folders: glibc, _dl_dst_substitute() and fillin_rpath() in
 * elf/dl-load.c. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "loader/process_parts.h"

/* Length of the token behind a '$', with its braces; 0 where it is not that one. */
static size_t token_length(const char *at, const char *name)
{
    bool is_braced = *at == '{';
    size_t length = strlen(name);
    at += is_braced;
    if (strncmp(at, name, length) != 0)
        return 0;
    unsigned char next = (unsigned char)at[length];
    if (is_braced ? next != '}' : isalnum(next) || next == '_')
        return 0;
    return is_braced ? length + 2 : length;
}

struct token {
    const char *name, *value;
};

const char *loader_expand(const struct loader_world *world, const char *text, const char *origin,
                          struct arena *arena)
{
    const struct token tokens[] = {
        {"ORIGIN", origin}, {"PLATFORM", world->platform}, {"LIB", world->lib}};
    if (!strchr(text, '$'))
        return text;
    CLEANUP_TEXT struct text out = {0};
    while (*text) {
        size_t plain = strcspn(text, "$"), length = 0;
        text_add_bytes(&out, text, plain);
        text += plain;
        if (!*text)
            break;
        for (size_t i = 0; !length && i < sizeof tokens / sizeof tokens[0]; i++) {
            length = token_length(text + 1, tokens[i].name);
            if (length && !tokens[i].value)
                return NULL;
            if (length)
                text_add(&out, tokens[i].value);
        }
        if (!length)
            text_add_char(&out, '$');
        text += 1 + length;
        if (out.length > PATH_MAX)
            return NULL;
    }
    return arena_strdup(arena, text_get(&out));
}

const char *loader_absolute(const struct loader_world *world, const char *path, struct arena *arena)
{
    if (*path == '/')
        return path;
    if (!world->cwd)
        return NULL;
    return arena_printf(arena, "%s/%s", text_equal(world->cwd, "/") ? "" : world->cwd, path);
}

/* --- lists --- */

struct list_reader {
    struct loader_process *process;
    struct loader_list *list;
    size_t capacity;
    const char *origin;
    bool is_guarded; /* $ORIGIN of a privileged program must lead to a default folder */
};

static bool has_folder(const struct loader_list *list, const char *shown)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].shown, shown) == 0)
            return true;
    return false;
}

static void add_folder(struct list_reader *reader, const char *shown)
{
    struct loader_process *process = reader->process;
    struct loader_list *list = reader->list;
    if (has_folder(list, shown))
        return;
    const char *path = loader_absolute(process->world, shown, process->arena);
    process->is_cut |= path && list->count == LOADER_ELEMENTS_MAX;
    if (!path || list->count == LOADER_ELEMENTS_MAX)
        return;
    list->items = loader_grow(process->arena, list->items, &reader->capacity, list->count,
                              sizeof *list->items);
    list->items[list->count++] = (struct loader_element){
        .shown = shown, .folder = loader_store_folder(process->store, path)};
}

static bool is_trusted(const struct loader_world *world, const char *path)
{
    for (size_t i = 0; i < world->default_count; i++)
        if (text_starts(path, world->defaults[i]) && !strstr(path, "/.."))
            return true;
    return false;
}

static void add_element(struct list_reader *reader, const char *element)
{
    struct arena *arena = reader->process->arena;
    if (!*element) {
        add_folder(reader, "");
        return;
    }
    const char *path = loader_expand(reader->process->world, element, reader->origin, arena);
    size_t length = path ? strlen(path) : 0;
    if (!length || length >= PATH_MAX)
        return;
    if (reader->is_guarded && strstr(element, "ORIGIN") &&
        !is_trusted(reader->process->world, path))
        return;
    while (length > 1 && path[length - 1] == '/')
        length--;
    add_folder(reader, arena_printf(arena, "%.*s%s", (int)length, path,
                                    path[length - 1] == '/' ? "" : "/"));
}

static const struct loader_list *read_list(struct loader_process *process, const char *text,
                                           const char *origin, const char *separators,
                                           bool is_guarded)
{
    struct loader_list *list = arena_alloc(process->arena, sizeof *list);
    struct list_reader reader = {
        .process = process, .list = list, .origin = origin, .is_guarded = is_guarded};
    for (;;) {
        size_t length = strcspn(text, separators);
        add_element(&reader, arena_strndup(process->arena, text, length));
        if (!text[length])
            return list;
        text += length + 1;
    }
}

/* Objects of one package mostly have the same text and lie in the same folder. */
const struct loader_list *loader_list_of(struct loader_process *process, const char *text,
                                         const char *origin, const char *separators,
                                         bool is_program)
{
    struct loader_names *names = process->names;
    bool is_guarded = is_program && process->is_secure;
    size_t number;
    if (!*text)
        return NULL;
    const char *key = arena_printf(process->arena, "%s%d%s\n%s", separators, is_guarded,
                                   origin ? origin : "", text);
    if (loader_map_get(&names->lists, key, &number))
        return names->list_items[number];
    const struct loader_list *list = read_list(process, text, origin, separators, is_guarded);
    names->list_items = loader_grow(process->arena, names->list_items, &names->list_capacity,
                                    names->list_count, sizeof(const struct loader_list *));
    loader_map_add(&names->lists, key, names->list_count);
    names->list_items[names->list_count++] = list;
    return list;
}

const struct loader_list *loader_default_list(struct loader_process *process)
{
    struct loader_list *list = arena_alloc(process->arena, sizeof *list);
    struct list_reader reader = {.process = process, .list = list};
    for (size_t i = 0; i < process->world->default_count; i++)
        add_folder(&reader, arena_printf(process->arena, "%s/", process->world->defaults[i]));
    return list;
}

/* An object that has both uses DT_RUNPATH alone. */
const struct loader_info *loader_lists(struct loader_process *process, size_t object)
{
    struct loader_info *info = &process->names->infos[object];
    const struct loader_object *loaded = &process->objects[object];
    const struct elf_object *elf = &loaded->file->object;
    bool is_program = object == process->names->program;
    if (info->is_expanded)
        return info;
    info->is_expanded = true;
    if (elf->runpath)
        info->runpath = loader_list_of(process, elf->runpath, loaded->origin, ":", is_program);
    else if (elf->rpath)
        info->rpath = loader_list_of(process, elf->rpath, loaded->origin, ":", is_program);
    return info;
}
