#include "library/shown.h"

#include <string.h>

#include "base/path.h"
#include "base/span.h"
#include "base/text.h"

static bool has_dots(const char *path)
{
    return strstr(path, "/.") || strstr(path, "//");
}

/* Takes the last part off an absolute path. */
static void go_up(struct text *path)
{
    while (path->length && path->data[--path->length] != '/')
        ;
    if (path->data)
        path->data[path->length] = '\0';
}

const char *shown_folder(const struct scene *scene, const char *path)
{
    if (*path != '/' || !has_dots(path))
        return path;
    CLEANUP_TEXT struct text out = {0};
    struct span rest = {path, strlen(path)};
    for (struct span part; span_split(&rest, '/', &part);) {
        if (span_equal(part, ".."))
            go_up(&out);
        else if (part.length && !span_equal(part, ".")) {
            text_add_char(&out, '/');
            text_add_bytes(&out, part.data, part.length);
        }
    }
    return out.length ? arena_strdup(scene->context->arena, text_get(&out)) : "/";
}

const char *shown_path(const struct scene *scene, const char *path)
{
    const char *plain = shown_folder(scene, path);
    return plain == path || loader_store_same(scene->store, plain, path) ? plain : path;
}

const char *shown_named(const struct scene *scene, const char *path)
{
    struct arena *arena = scene->context->arena;
    const char *plain = shown_folder(scene, path), *name = path_name(path);
    const char *folder = arena_strndup(arena, path, (size_t)(name - path));
    char *real;
    if (plain == path || loader_store_same_entry(scene->store, plain, path))
        return plain;
    /* what ends in no name is a folder, or not there */
    if (!*name || !strcmp(name, ".") || !strcmp(name, "..") ||
        machine_realpath(scene->context->machine, folder, arena, &real) < 0)
        return path;
    return arena_printf(arena, "%s/%s", strcmp(real, "/") != 0 ? real : "", name);
}

const char *shown_object(struct simulation *simulation, size_t object)
{
    const struct loader_process *process = &simulation->process;
    if (object >= process->object_count)
        return NULL;
    if (!simulation->shown) {
        simulation->shown_count = process->object_count;
        simulation->shown = arena_alloc(simulation->scene->context->arena,
                                        process->object_count * sizeof *simulation->shown);
    }
    if (object >= simulation->shown_count)
        return process->objects[object].path;
    const char **shown = &simulation->shown[object];
    if (!*shown)
        *shown = shown_path(simulation->scene, process->objects[object].path);
    return *shown;
}
