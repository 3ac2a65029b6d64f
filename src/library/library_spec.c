#include <errno.h>
#include <string.h>

#include "base/json_file.h"
#include "base/pattern.h"
#include "base/text.h"
#include "library/json_get.h"
#include "library/load_spec.h"

static int check_literal(const char *literal, struct error *err)
{
    struct pattern *pattern = NULL;
    if (!literal)
        return 0;
    int r = strstr(literal, "(?<version>")
                ? pattern_compile(literal, &pattern, err)
                : error_set(err, -EINVAL, "it has no group (?<version>...)");
    pattern_free(pattern);
    return r < 0 ? error_prefix(err, r, "\"literal\"") : 0;
}

static int check_names(const struct library_open *open, struct error *err)
{
    for (size_t i = 0; i < open->name_count; i++) {
        const char *name = open->names[i];
        if (strchr(name, '/') || strchr(name, '*'))
            return error_set(err, -EINVAL, "\"%s\" is no bare name", name);
        for (const char *at = name; (at = strchr(at, '{')); at++)
            if (!text_starts(at, "{major}") && !text_starts(at, "{version}"))
                return error_set(err, -EINVAL,
                                 "\"%s\": the only words in braces are {major} and {version}",
                                 name);
    }
    return 0;
}

static int read_open(json_t *json, struct arena *arena, struct library_open *ret, struct error *err)
{
    static const char *const keys[] = {"by", "open", "first", "optional", NULL};
    int r;
    if (!json_is_object(json))
        return error_set(err, -EINVAL, "it is not an object");
    ret->is_first = json_object_get(json, "first") != NULL;
    if (ret->is_first == (json_object_get(json, "open") != NULL))
        return error_set(err, -EINVAL, "it has not one of \"open\" and \"first\"");
    const char *list = ret->is_first ? "first" : "open";
    if ((r = json_get_only(json, keys, err)) ||
        (r = json_get_text(json, "by", true, arena, &ret->by, err)) ||
        (r = json_get_texts(json, list, true, arena, &ret->names, &ret->name_count, err)) ||
        (r = json_get_bool(json, "optional", &ret->optional, err)))
        return r;
    if (!ret->name_count)
        return error_set(err, -EINVAL, "\"%s\" is missing or empty", list);
    return check_names(ret, err);
}

static int read_opens(const json_t *root, struct arena *arena, struct library_spec *ret,
                      struct error *err)
{
    const json_t *list = json_object_get(root, "opens");
    if (list && !json_is_array(list))
        return error_set(err, -EINVAL, "\"opens\" is not a list");
    size_t count = json_array_size(list);
    if (count > LOAD_STEPS_MAX)
        return error_set(err, -EINVAL, "\"opens\" has more than %d entries", LOAD_STEPS_MAX);
    ret->opens = arena_alloc(arena, (count + 1) * sizeof *ret->opens);
    ret->open_count = count;
    for (size_t i = 0; i < count; i++) {
        int r = read_open(json_array_get(list, i), arena, &ret->opens[i], err);
        if (r < 0)
            return error_prefix(err, r, "\"opens\", entry %zu", i + 1);
    }
    return 0;
}

static int check_schema(const json_t *root, struct error *err)
{
    return json_integer_value(json_object_get(root, "schema")) == 1
               ? 0
               : error_set(err, -EINVAL, "\"schema\" is not 1");
}

int library_spec_parse(const char *json, struct arena *arena, struct library_spec *ret,
                       struct error *err)
{
    static const char *const keys[] = {"schema",  "name",    "title",        "origin", "sonames",
                                       "symbols", "literal", "version_data", "opens",  NULL};
    CLEANUP_JSON json_t *root = NULL;
    *ret = (struct library_spec){0};
    int r;
    if ((r = json_get_root(json, &root, err)) || (r = json_get_only(root, keys, err)) ||
        (r = check_schema(root, err)) ||
        (r = json_get_text(root, "name", true, arena, &ret->name, err)) ||
        (r = json_get_texts(root, "sonames", false, arena, &ret->sonames, &ret->soname_count,
                            err)) ||
        (r = json_get_texts(root, "symbols", false, arena, &ret->symbols, &ret->symbol_count,
                            err)) ||
        (r = json_get_text(root, "literal", false, arena, &ret->literal, err)) ||
        (r = check_literal(ret->literal, err)) ||
        (r = json_get_texts(root, "version_data", false, arena, &ret->version_data,
                            &ret->version_data_count, err)))
        return r;
    if (!ret->soname_count)
        return error_set(err, -EINVAL, "\"sonames\" is missing or empty");
    ret->beginnings = arena_alloc(arena, ret->soname_count * sizeof *ret->beginnings);
    for (size_t i = 0; i < ret->soname_count; i++)
        ret->beginnings[i] = prefix_of(ret->sonames[i]);
    return read_opens(root, arena, ret, err);
}

const struct library_spec *library_set_find(const struct library_set *set, const char *name)
{
    const struct library_spec *best = NULL;
    size_t longest = 0;
    uint64_t head = name ? prefix_head(name) : 0;
    for (size_t i = 0; name && i < set->count; i++)
        for (size_t k = 0; k < set->items[i].soname_count; k++) {
            const struct prefix *beginning = &set->items[i].beginnings[k];
            if (beginning->length > longest && prefix_fits(beginning, name, head)) {
                best = &set->items[i];
                longest = beginning->length;
            }
        }
    return best;
}
