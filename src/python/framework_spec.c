#include "python/framework_spec.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/json_file.h"
#include "base/text.h"

const char *const framework_field_names[FIELD_COUNT] = {
    "variant", "cuda", "cuda_tag", "cudnn", "nccl", "version", "channel", "package",
};

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

/* What a kind of source is called, and what it must name. */
static const struct {
    const char *from, *name_key;
    bool needs_pattern, has_path;
} kinds[] = {
    [SOURCE_FILE] = {"file", NULL, false, true},
    [SOURCE_VERSION] = {"version", NULL, true, false},
    [SOURCE_BUILD] = {"build", NULL, true, false},
    [SOURCE_REQUIREMENT] = {"requirement", "requires", false, false},
    [SOURCE_PACKAGE] = {"package", "name", false, false},
    [SOURCE_NEEDED] = {"needed", NULL, true, true},
    [SOURCE_NAME] = {"name", NULL, true, false},
    [SOURCE_NAMES] = {"names", NULL, true, true},
    [SOURCE_LITERAL] = {"literal", NULL, true, true},
};

static int read_path(const json_t *source, struct arena *arena, struct framework_source *ret,
                     struct error *err)
{
    const char *path = json_string_value(json_object_get(source, "path"));
    if (!path || !is_inner_path(path))
        return error_set(err, -EINVAL, "\"path\" is missing or leads out of the site folder");
    const char *star = strchr(path, '*');
    if (star && (strchr(star, '/') || ret->kind == SOURCE_NAMES))
        return error_set(err, -EINVAL, "\"path\" may hold \"*\" in the name of a file alone");
    ret->path = arena_strdup(arena, path);
    const json_t *below = json_object_get(source, "below");
    const char *base = json_string_value(below);
    if (below && !text_equal(base, "prefix") && !text_equal(base, "site"))
        return error_set(err, -EINVAL, "\"below\" is neither \"site\" nor \"prefix\"");
    ret->below_prefix = text_equal(base, "prefix");
    return 0;
}

static int read_place(const json_t *source, const char *from, struct arena *arena,
                      struct framework_source *ret, struct error *err)
{
    size_t kind = 0, count = sizeof kinds / sizeof *kinds;
    while (kind < count && strcmp(from, kinds[kind].from) != 0)
        kind++;
    if (kind == count)
        return error_set(err, -EINVAL, "\"from\": \"%s\" is no kind of source", from);
    ret->kind = (enum source_kind)kind;
    int r = kinds[kind].has_path ? read_path(source, arena, ret, err) : 0;
    if (r == 0)
        r = read_pattern(source, "pattern", kinds[kind].needs_pattern, &ret->pattern, err);
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

static int load(const char *json, json_t **ret, struct error *err)
{
    json_error_t where;
    *ret = json_loads(json, 0, &where);
    return *ret ? 0 : error_set(err, -EINVAL, "line %d: %s", where.line, where.text);
}

/* The names alone of a descriptor whose sources stand last, as they do by custom: they are most of
 * the text, which then need not be read. NULL where that does not work out. */
static json_t *load_head(const char *json)
{
    static const char *const keys[] = {"name", "title", "distributions", "conda"};
    const char *end = strstr(json, "\"sources\"");
    while (end && end > json && strchr(" \t\r\n", end[-1]))
        end--;
    if (!end || end == json || end[-1] != ',')
        return NULL;
    CLEANUP_TEXT struct text head = {0};
    text_add_bytes(&head, json, (size_t)(end - json) - 1);
    text_add_char(&head, '}');
    json_t *root = json_loads(text_get(&head), 0, NULL);
    for (size_t i = 0; root && i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(root, keys[i])) {
            json_decref(root);
            root = NULL;
        }
    return root;
}

int framework_spec_names(const char *json, struct arena *arena, struct framework_spec *ret,
                         struct error *err)
{
    *ret = (struct framework_spec){.json = json, .arena = arena};
    CLEANUP_JSON json_t *root = load_head(json);
    int r = root ? 0 : load(json, &root, err);
    if (r < 0)
        return r;
    const char *name = json_string_value(json_object_get(root, "name"));
    if (!name || !*name)
        return error_set(err, -EINVAL, "\"name\" is missing");
    ret->name = arena_strdup(arena, name);
    ret->title = arena_strdup(arena, json_string_value(json_object_get(root, "title")));
    r = read_names(root, "distributions", arena, &ret->distributions, &ret->distribution_count,
                   err);
    return r < 0 ? r : read_names(root, "conda", arena, &ret->conda, &ret->conda_count, err);
}

int framework_spec_sources(struct framework_spec *spec, struct error *err)
{
    CLEANUP_JSON json_t *root = NULL;
    if (spec->sources)
        return 0;
    int r = load(spec->json, &root, err);
    return r < 0 ? r : read_sources(root, spec->arena, spec, err);
}

int framework_spec_parse(const char *json, struct arena *arena, struct framework_spec *ret,
                         struct error *err)
{
    int r = framework_spec_names(json, arena, ret, err);
    return r < 0 ? r : framework_spec_sources(ret, err);
}

void framework_spec_done(struct framework_spec *spec)
{
    for (size_t i = 0; i < spec->source_count; i++) {
        pattern_free(spec->sources[i].name);
        pattern_free(spec->sources[i].pattern);
    }
    *spec = (struct framework_spec){0};
}
