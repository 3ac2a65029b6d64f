#include "probe/framework_spec.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/text.h"

const char *const framework_field_names[FIELD_COUNT] = {
    "variant", "cuda", "cuda_tag", "cudnn", "nccl", "version", "channel",
};

static void decref(json_t **json)
{
    json_decref(*json);
}

static int read_names(const json_t *root, const char *key, struct arena *arena, const char ***ret,
                      size_t *ret_count, struct error *err)
{
    const json_t *list = json_object_get(root, key), *item;
    size_t i;
    if (list && !json_is_array(list))
        return error_set(err, -EINVAL, "\"%s\" is not a list", key);
    *ret_count = 0;
    *ret = arena_alloc(arena, (json_array_size(list) + 1) * sizeof **ret);
    json_array_foreach (list, i, item) {
        if (!json_is_string(item))
            return error_set(err, -EINVAL, "\"%s\" holds what is not text", key);
        (*ret)[(*ret_count)++] = arena_strdup(arena, json_string_value(item));
    }
    return 0;
}

static int field_of(const char *name)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (!strcmp(name, framework_field_names[i]))
            return i;
    return -1;
}

/* "set" or "when": fields and their values. */
static int read_fields(json_t *source, const char *key, struct arena *arena,
                       const char *ret[FIELD_COUNT], struct error *err)
{
    json_t *fields = json_object_get(source, key), *value;
    const char *name;
    bool may_be_null = !strcmp(key, "when");
    if (fields && !json_is_object(fields))
        return error_set(err, -EINVAL, "\"%s\" is not an object", key);
    json_object_foreach (fields, name, value) {
        int field = field_of(name);
        if (field < 0)
            return error_set(err, -EINVAL, "\"%s\": no field is called \"%s\"", key, name);
        if (!json_is_string(value) && !(may_be_null && json_is_null(value)))
            return error_set(err, -EINVAL, "\"%s\": \"%s\" is not text", key, name);
        ret[field] = json_is_null(value) ? "" : arena_strdup(arena, json_string_value(value));
    }
    return 0;
}

static int read_pattern(const json_t *source, const char *key, bool is_needed, struct pattern **ret,
                        struct error *err)
{
    const json_t *value = json_object_get(source, key);
    if (!value && !is_needed)
        return 0;
    if (!json_is_string(value))
        return error_set(err, -EINVAL, "\"%s\" is missing or not text", key);
    return pattern_compile(json_string_value(value), ret, err);
}

/* Below the site folder, and nowhere else. */
static bool is_inner_path(const char *path)
{
    if (!*path || *path == '/')
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return false;
    }
    return true;
}

static int read_place(const json_t *source, const char *from, struct arena *arena,
                      struct framework_source *ret, struct error *err)
{
    static const struct {
        const char *from, *name_key;
        bool needs_pattern;
    } kinds[] = {
        [SOURCE_FILE] = {"file", NULL, false},
        [SOURCE_VERSION] = {"version", NULL, true},
        [SOURCE_BUILD] = {"build", NULL, true},
        [SOURCE_REQUIREMENT] = {"requirement", "requires", false},
        [SOURCE_PACKAGE] = {"package", "name", false},
        [SOURCE_NEEDED] = {"needed", NULL, true},
    };
    size_t kind = 0, count = sizeof kinds / sizeof *kinds;
    while (kind < count && strcmp(from, kinds[kind].from) != 0)
        kind++;
    if (kind == count)
        return error_set(err, -EINVAL, "\"from\": \"%s\" is no kind of source", from);
    ret->kind = (enum source_kind)kind;
    if (kind == SOURCE_FILE || kind == SOURCE_NEEDED) {
        const char *path = json_string_value(json_object_get(source, "path"));
        if (!path || !is_inner_path(path))
            return error_set(err, -EINVAL, "\"path\" is missing or leads out of the site folder");
        ret->path = arena_strdup(arena, path);
    }
    int r = read_pattern(source, "pattern", kinds[kind].needs_pattern, &ret->pattern, err);
    if (r == 0 && kinds[kind].name_key)
        r = read_pattern(source, kinds[kind].name_key, true, &ret->name, err);
    return r;
}

static int read_source(json_t *source, struct arena *arena, struct framework_source *ret,
                       struct error *err)
{
    const char *from = json_string_value(json_object_get(source, "from"));
    if (!from)
        return error_set(err, -EINVAL, "\"from\" is missing");
    int r = read_place(source, from, arena, ret, err);
    if (r == 0)
        r = read_fields(source, "set", arena, ret->set, err);
    return r < 0 ? r : read_fields(source, "when", arena, ret->when, err);
}

static int read_sources(const json_t *root, struct arena *arena, struct framework_spec *ret,
                        struct error *err)
{
    const json_t *list = json_object_get(root, "sources");
    if (!json_is_array(list))
        return error_set(err, -EINVAL, "\"sources\" is missing or not a list");
    size_t count = json_array_size(list);
    ret->sources = arena_alloc(arena, (count + 1) * sizeof *ret->sources);
    for (size_t i = 0; i < count; i++) {
        ret->source_count = i + 1; /* first, so that a half-read one is released */
        int r = read_source(json_array_get(list, i), arena, &ret->sources[i], err);
        if (r < 0)
            return error_prefix(err, r, "source %zu", i + 1);
    }
    return 0;
}

int framework_spec_parse(const char *json, struct arena *arena, struct framework_spec *ret,
                         struct error *err)
{
    *ret = (struct framework_spec){0};
    json_error_t where;
    CLEANUP(decref) json_t *root = json_loads(json, 0, &where);
    if (!root)
        return error_set(err, -EINVAL, "line %d: %s", where.line, where.text);
    const char *name = json_string_value(json_object_get(root, "name"));
    if (!name || !*name)
        return error_set(err, -EINVAL, "\"name\" is missing");
    ret->name = arena_strdup(arena, name);
    int r = read_names(root, "distributions", arena, &ret->distributions, &ret->distribution_count,
                       err);
    if (r == 0)
        r = read_names(root, "conda", arena, &ret->conda, &ret->conda_count, err);
    return r < 0 ? r : read_sources(root, arena, ret, err);
}

void framework_spec_done(struct framework_spec *spec)
{
    for (size_t i = 0; i < spec->source_count; i++) {
        pattern_free(spec->sources[i].name);
        pattern_free(spec->sources[i].pattern);
    }
    *spec = (struct framework_spec){0};
}
