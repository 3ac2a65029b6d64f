#include "library/find_path.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/text.h"

enum { NAMES_MAX = 20000 };

/* "311" of ".../lib/python3.11/site-packages"; the length is 0 where the folder tells none. */
static size_t python_of(const char *folder, char *ret, size_t size)
{
    static const char name[] = "/python3.";
    const char *at = strstr(folder, name);
    size_t n = 0;
    if (!at || !isdigit((unsigned char)at[sizeof name - 1]))
        return 0;
    ret[n++] = '3';
    for (at += sizeof name - 1; isdigit((unsigned char)*at) && n + 1 < size; at++)
        ret[n++] = *at;
    ret[n] = '\0';
    return n;
}

/* Whether a compiled module "_C.cpython-312-x86_64-linux-gnu.so" is for another Python. */
static bool is_for_other(const char *name, const char *python, size_t length)
{
    static const char tag[] = ".cpython-";
    const char *at = strstr(name, tag);
    if (!at || !length)
        return false;
    at += sizeof tag - 1;
    return strncmp(at, python, length) != 0 || isdigit((unsigned char)at[length]);
}

static void add(struct found_paths *ret, const char *path)
{
    if (ret->count < FOUND_PATHS_MAX)
        ret->items[ret->count++] = path;
}

static void find_fitting(struct scene *scene, const char *path, struct found_paths *ret)
{
    struct arena *arena = scene->context->arena;
    const char *slash = strrchr(path, '/');
    const char *folder = arena_strndup(arena, path, (size_t)(slash - path));
    char python[8];
    size_t length = python_of(folder, python, sizeof python);
    struct dir_list list;
    if (machine_list(scene->context->machine, folder, NAMES_MAX, arena, &list) < 0)
        return;
    for (size_t i = 0; i < list.count; i++)
        if (fnmatch(slash + 1, list.names[i], FNM_NOESCAPE) == 0 &&
            !is_for_other(list.names[i], python, length))
            add(ret, arena_printf(arena, "%s/%s", folder, list.names[i]));
}

/* One that may not be read is there as well. */
static bool is_there(const struct loader_file *file)
{
    return file->class != LOADER_ABSENT || (file->error != -ENOENT && file->error != -ENOTDIR);
}

static void find_below(struct scene *scene, const char *base, const char *path,
                       struct found_paths *ret)
{
    path += text_starts(path, "./") ? 2 : 0;
    const char *full = arena_printf(scene->context->arena, "%s/%s", base, path);
    if (strchr(path, '*'))
        find_fitting(scene, full, ret);
    else if (is_there(loader_store_get(scene->store, full)))
        add(ret, full);
}

void find_paths(struct scene *scene, const struct place *place, const char *path, bool below_prefix,
                struct found_paths *ret)
{
    ret->count = 0;
    if (!place)
        return;
    if (below_prefix && place->prefix)
        find_below(scene, place->prefix, path, ret);
    for (size_t i = 0; !below_prefix && i < place->site_count && !ret->count; i++)
        find_below(scene, place->sites[i], path, ret);
}

void find_paths_of_cuda(struct scene *scene, const char *path, struct found_paths *ret)
{
    static const char *const variables[] = {"CUDA_PATH", "CUDA_HOME"};
    ret->count = 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *folder = machine_getenv(scene->context->machine, variables[i]);
        if (!folder || *folder != '/')
            continue;
        find_below(scene, folder, path, ret);
        return;
    }
}
