#include "library/find_path.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"

enum { NAMES_MAX = 20000 };

/* "311" of ".../lib/python3.11/site-packages", "314t" of a free-threaded one; the length is 0 where
 * the folder tells none. */
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
    if (*at == 't' && n + 1 < size)
        ret[n++] = 't';
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
    return strncmp(at, python, length) != 0 || isdigit((unsigned char)at[length]) ||
           at[length] == 't';
}

/* The names in a folder that fit, each of them. */
static void find_fitting(const struct path_finder *finder, const char *path,
                         struct found_paths *ret)
{
    struct probe_context *context = finder->context;
    const char *slash = strrchr(path, '/');
    const char *folder = arena_strndup(context->arena, path, (size_t)(slash - path));
    char python[8];
    size_t length = python_of(folder, python, sizeof python);
    struct dir_list list;
    int code = machine_list(context->machine, folder, NAMES_MAX, context->arena, &list);
    if (code < 0) {
        if (code != -ENOENT && code != -ENOTDIR) {
            probe_note(context, finder->probe, NULL, folder, code, NULL, NULL);
            ret->doubt = "the folder cannot be read";
        }
        return;
    }
    bool is_cut = list.cut;
    for (size_t i = 0; i < list.count; i++) {
        if (fnmatch(slash + 1, list.names[i], FNM_NOESCAPE) != 0 ||
            is_for_other(list.names[i], python, length))
            continue;
        is_cut |= ret->count == FOUND_PATHS_MAX;
        if (ret->count < FOUND_PATHS_MAX)
            ret->items[ret->count++] = arena_printf(context->arena, "%s/%s", folder, list.names[i]);
    }
    if (!is_cut)
        return;
    ret->doubt = "the folder holds more files than are looked at";
    probe_note_status(context, finder->probe, NULL, path, "malformed", "",
                      "more files of that name than are looked at");
}

/* One that may not be read is there as well. */
static bool is_there(const struct path_finder *finder, const char *path)
{
    struct file_stat st;
    int r = machine_stat(finder->context->machine, path, &st);
    return r == 0 || (r != -ENOENT && r != -ENOTDIR);
}

static void find_below(const struct path_finder *finder, const char *base, const char *path,
                       struct found_paths *ret)
{
    path += text_starts(path, "./") ? 2 : 0;
    const char *full = arena_printf(finder->context->arena, "%s/%s", base, path);
    bool is_out = reach_is_out(finder->reach, full);
    if (!is_out && strchr(path, '*'))
        find_fitting(finder, full, ret);
    else if (is_out || is_there(finder, full))
        ret->items[ret->count++] = full;
}

void find_paths(const struct path_finder *finder, const struct place *place, const char *path,
                bool below_prefix, struct found_paths *ret)
{
    ret->count = 0;
    ret->doubt = NULL;
    if (!place)
        return;
    if (below_prefix && place->prefix)
        find_below(finder, place->prefix, path, ret);
    for (size_t i = 0; !below_prefix && i < place->site_count && !ret->count; i++)
        find_below(finder, place->sites[i], path, ret);
}

/* --- names with a number --- */

/* "6" of "lib_cuda126.so" for "lib_cuda12*.so"; -1 where anything but a number stands there. */
static long number_in(const char *name, size_t at, size_t tail)
{
    size_t length = strlen(name);
    if (length <= at + tail || length - at - tail > 6)
        return -1;
    return strspn(name + at, "0123456789") == length - at - tail ? strtol(name + at, NULL, 10) : -1;
}

/* Whether a number serves better than another (-1: none): lower ones, then the nearest. */
static bool is_nearer(long number, long other, long wanted)
{
    if (number < 0 || other < 0)
        return number >= 0;
    bool is_low = number <= wanted, other_is_low = other <= wanted;
    return is_low != other_is_low ? is_low : is_low ? number > other : number < other;
}

static const char *nearest_of(const struct found_paths *found, const struct filled *filled)
{
    size_t at = filled->minor_at - (size_t)(path_name(filled->path) - filled->path);
    size_t tail = strlen(filled->path) - filled->minor_at - filled->minor_length;
    long wanted = number_in(path_name(filled->path), at, tail), best = -1;
    const char *ret = NULL;
    for (size_t i = 0; i < found->count; i++) {
        long number = number_in(path_name(found->items[i]), at, tail);
        if (!is_nearer(number, best, wanted))
            continue;
        best = number;
        ret = found->items[i];
    }
    return ret;
}

void find_filled(const struct path_finder *finder, const struct place *place,
                 const struct filled *filled, bool below_prefix, struct found_paths *ret)
{
    find_paths(finder, place, filled->path, below_prefix, ret);
    if (ret->count || !filled->minor_length)
        return;
    const char *pattern =
        arena_printf(finder->context->arena, "%.*s*%s", (int)filled->minor_at, filled->path,
                     filled->path + filled->minor_at + filled->minor_length);
    find_paths(finder, place, pattern, below_prefix, ret);
    const char *nearest = ret->doubt ? NULL : nearest_of(ret, filled);
    ret->items[0] = nearest;
    ret->count = nearest != NULL;
}

const char *find_expected(const struct path_finder *finder, const struct place *place,
                          const char *path)
{
    struct probe_context *context = finder->context;
    if (!place || strchr(path, '*') || machine_is_partial(context->machine))
        return NULL;
    for (size_t i = 0; i < place->site_count; i++) {
        const char *full = arena_printf(context->arena, "%s/%s", place->sites[i], path);
        const char *folder =
            arena_strndup(context->arena, full, (size_t)(strrchr(full, '/') - full));
        if (is_there(finder, folder))
            return full;
    }
    return NULL;
}

void find_paths_of_cuda(const struct path_finder *finder, const char *path, struct found_paths *ret)
{
    static const char *const variables[] = {"CUDA_PATH", "CUDA_HOME"};
    ret->count = 0;
    ret->doubt = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *folder = machine_getenv(finder->context->machine, variables[i]);
        if (!folder || *folder != '/')
            continue;
        find_below(finder, folder, path, ret);
        return;
    }
}

void find_paths_of_toolkit(const struct path_finder *finder, const char *path,
                           struct found_paths *ret)
{
    ret->count = 0;
    ret->doubt = NULL;
    find_below(finder, "/usr/local/cuda", path, ret);
}
