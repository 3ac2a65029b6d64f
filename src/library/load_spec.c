#include "library/load_spec.h"

#include <errno.h>
#include <string.h>

#include "base/json_file.h"
#include "base/text.h"
#include "base/version.h"
#include "library/fill.h"
#include "library/json_get.h"

/* Relative, and never out of the folder that it is below. */
static bool is_inner_path(const char *path)
{
    if (*path == '/')
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return false;
    }
    return true;
}

static int check_path(const char *path, bool may_be_name, struct error *err)
{
    const char *star = strchr(path, '*'), *slash = strrchr(path, '/');
    if (!slash && !may_be_name)
        return error_set(err, -EINVAL, "\"%s\" is no path: it has no \"/\"", path);
    if (!is_inner_path(path))
        return error_set(err, -EINVAL, "\"%s\" leads out of the folders that are searched", path);
    if (star && (!slash || star < slash))
        return error_set(err, -EINVAL, "\"%s\" has a \"*\" elsewhere than in the name of a file",
                         path);
    return fill_check(path, err);
}

static int check_paths(const char *const *paths, size_t count, struct error *err)
{
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++)
        r = check_path(paths[i], true, err);
    return r;
}

static int read_paths(json_t *json, struct arena *arena, struct load_step *ret, struct error *err)
{
    const char *key = ret->kind == LOAD_OPEN ? "open" : "first";
    int r = json_get_texts(json, key, ret->kind == LOAD_OPEN, arena, &ret->paths, &ret->path_count,
                           err);
    if (r == 0 && !ret->path_count)
        r = error_set(err, -EINVAL, "\"%s\" is empty", key);
    return r < 0 ? r : check_paths(ret->paths, ret->path_count, err);
}

static int read_below(json_t *json, struct arena *arena, struct load_step *ret, struct error *err)
{
    const char *below;
    int r = json_get_text(json, "below", false, arena, &below, err);
    if (r < 0)
        return r;
    ret->below_prefix = text_equal(below, "prefix");
    ret->below_cuda_home = text_equal(below, "cuda_home");
    ret->below_default_toolkit = text_equal(below, "default_toolkit");
    if (below && !ret->below_prefix && !ret->below_cuda_home && !ret->below_default_toolkit)
        return error_set(err, -EINVAL,
                         "\"below\" is none of \"prefix\", \"cuda_home\" and \"default_toolkit\"");
    return 0;
}

static int read_binding(json_t *json, struct arena *arena, struct load_step *ret, struct error *err)
{
    const char *binds;
    int r = json_get_text(json, "binds", false, arena, &binds, err);
    if (r < 0 || !binds)
        return r;
    ret->binding = text_equal(binds, "lazy") ? BIND_LAZY : BIND_NOW;
    if (ret->binding == BIND_NOW && !text_equal(binds, "now"))
        return error_set(err, -EINVAL, "\"binds\" is none of \"now\" and \"lazy\"");
    return 0;
}

static int read_open(json_t *json, struct arena *arena, struct load_step *ret, struct error *err)
{
    static const char *const keys[] = {
        "open",   "first", "optional", "global", "binds",   "expected", "for",    "by", "if",
        "failed", "below", "cuda",     "cudnn",  "variant", "since",    "before", NULL};
    int r;
    if ((r = json_get_only(json, keys, err)) || (r = read_paths(json, arena, ret, err)) ||
        (r = json_get_bool(json, "optional", &ret->optional, err)) ||
        (r = json_get_bool(json, "global", &ret->global, err)) ||
        (r = read_binding(json, arena, ret, err)) ||
        (r = json_get_bool(json, "expected", &ret->expected, err)) ||
        (r = json_get_text(json, "for", false, arena, &ret->purpose, err)) ||
        (r = json_get_text(json, "by", false, arena, &ret->by, err)) ||
        (r = json_get_text(json, "if", false, arena, &ret->only_if, err)) ||
        (r = json_get_text(json, "failed", false, arena, &ret->failed, err)) ||
        (r = json_get_text(json, "cuda", false, arena, &ret->cuda, err)) ||
        (r = json_get_text(json, "cudnn", false, arena, &ret->cudnn, err)) ||
        (r = json_get_text(json, "variant", false, arena, &ret->variant, err)))
        return r;
    if (ret->purpose && ret->optional)
        return error_set(err, -EINVAL, "\"for\" and \"optional\" exclude each other");
    return read_below(json, arena, ret, err);
}

static int read_release(json_t *json, const char *key, struct arena *arena, const char **ret,
                        struct error *err)
{
    int64_t number;
    int r = json_get_text(json, key, false, arena, ret, err);
    if (r < 0 || !*ret || version_key(VERSION_KERNEL, *ret, &number))
        return r;
    return error_set(err, -EINVAL, "\"%s\": \"%s\" is no version", key, *ret);
}

static int read_step(json_t *json, struct arena *arena, struct load_step *ret, struct error *err)
{
    static const char *const after_keys[] = {"after", "since", "before", NULL};
    if (!json_is_object(json))
        return error_set(err, -EINVAL, "it is not an object");
    bool is_after = json_object_get(json, "after"), is_open = json_object_get(json, "open"),
         is_first = json_object_get(json, "first");
    if (is_after + is_open + is_first != 1)
        return error_set(err, -EINVAL, "it has not one of \"after\", \"open\" and \"first\"");
    ret->kind = is_after ? LOAD_AFTER : is_open ? LOAD_OPEN : LOAD_FIRST;
    int r;
    if ((r = read_release(json, "since", arena, &ret->since, err)) ||
        (r = read_release(json, "before", arena, &ret->before, err)))
        return r;
    if (!is_after)
        return read_open(json, arena, ret, err);
    r = json_get_only(json, after_keys, err);
    return r < 0 ? r : json_get_text(json, "after", true, arena, &ret->after, err);
}

static int read_steps(const json_t *root, struct arena *arena, struct load_spec *ret,
                      struct error *err)
{
    const json_t *list = json_object_get(root, "load");
    if (list && !json_is_array(list))
        return error_set(err, -EINVAL, "\"load\" is not a list");
    size_t count = json_array_size(list);
    if (count > LOAD_STEPS_MAX)
        return error_set(err, -EINVAL, "\"load\" has more than %d steps", LOAD_STEPS_MAX);
    ret->steps = arena_alloc(arena, (count + 1) * sizeof *ret->steps);
    ret->step_count = count;
    for (size_t i = 0; i < count; i++) {
        int r = read_step(json_array_get(list, i), arena, &ret->steps[i], err);
        if (r < 0)
            return error_prefix(err, r, "\"load\", step %zu", i + 1);
    }
    return 0;
}

/* Texts, or objects with a "path" and bounds. */
static int read_device_path(json_t *json, struct arena *arena, struct device_path *ret,
                            struct error *err)
{
    static const char *const keys[] = {"path", "since", "before", NULL};
    int r;
    if (json_is_string(json)) {
        ret->path = arena_strdup(arena, json_string_value(json));
        return check_path(ret->path, false, err);
    }
    if (!json_is_object(json))
        return error_set(err, -EINVAL, "it is neither text nor an object");
    if ((r = json_get_only(json, keys, err)) ||
        (r = json_get_text(json, "path", true, arena, &ret->path, err)) ||
        (r = read_release(json, "since", arena, &ret->since, err)) ||
        (r = read_release(json, "before", arena, &ret->before, err)))
        return r;
    return check_path(ret->path, false, err);
}

static int read_device(const json_t *root, struct arena *arena, struct load_spec *ret,
                       struct error *err)
{
    const json_t *list = json_object_get(root, "device");
    size_t count = json_array_size(list);
    if (list && !json_is_array(list))
        return error_set(err, -EINVAL, "\"device\" is not a list");
    if (count > LOAD_NAMES_MAX)
        return error_set(err, -EINVAL, "\"device\" has more than %d paths", LOAD_NAMES_MAX);
    ret->device = arena_alloc(arena, (count + 1) * sizeof *ret->device);
    ret->device_count = count;
    for (size_t i = 0; i < count; i++) {
        int r = read_device_path(json_array_get(list, i), arena, &ret->device[i], err);
        if (r < 0)
            return error_prefix(err, r, "\"device\", path %zu", i + 1);
    }
    return 0;
}

bool load_release_fits(const char *release, const char *since, const char *before)
{
    int64_t have, bound;
    bool is_known = version_key(VERSION_KERNEL, release, &have);
    if (since && version_key(VERSION_KERNEL, since, &bound) && is_known && have < bound)
        return false;
    return !before || (version_key(VERSION_KERNEL, before, &bound) && is_known && have < bound);
}

int load_spec_parse(const char *json, struct arena *arena, struct load_spec *ret, struct error *err)
{
    CLEANUP_JSON json_t *root = NULL;
    *ret = (struct load_spec){0};
    int r;
    if ((r = json_get_root(json, &root, err)) ||
        (r = json_get_text(root, "name", true, arena, &ret->name, err)) ||
        (r = read_steps(root, arena, ret, err)) || (r = read_device(root, arena, ret, err)))
        return r;
    return 0;
}

const struct descriptor *descriptor_named(const struct descriptor *descriptors, size_t count,
                                          const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(descriptors[i].file, '/');
        const char *base = slash ? slash + 1 : descriptors[i].file;
        if (!strncmp(base, name, length) && !strcmp(base + length, ".json"))
            return &descriptors[i];
    }
    return NULL;
}
