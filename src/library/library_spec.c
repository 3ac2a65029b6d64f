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
    if (!open->name_count)
        return error_set(err, -EINVAL, "\"open\" is missing or empty");
    for (size_t i = 0; i < open->name_count; i++) {
        const char *name = open->names[i];
        if (strchr(name, '/') || strchr(name, '*'))
            return error_set(err, -EINVAL, "\"%s\" is no bare name", name);
        for (const char *at = name; (at = strchr(at, '{')); at++)
            if (!text_starts(at, "{major}"))
                return error_set(err, -EINVAL, "\"%s\": the only word in braces is {major}", name);
    }
    return 0;
}

static int read_open(json_t *json, struct arena *arena, struct library_open *ret, struct error *err)
{
    static const char *const keys[] = {"by", "open", "optional", NULL};
    int r;
    if (!json_is_object(json))
        return error_set(err, -EINVAL, "it is not an object");
    if ((r = json_get_only(json, keys, err)) ||
        (r = json_get_text(json, "by", true, arena, &ret->by, err)) ||
        (r = json_get_texts(json, "open", true, arena, &ret->names, &ret->name_count, err)) ||
        (r = json_get_bool(json, "optional", &ret->optional, err)))
        return r;
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
    static const char *const keys[] = {"schema",  "name",    "title", "origin", "sonames",
                                       "symbols", "literal", "opens", NULL};
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
        (r = check_literal(ret->literal, err)))
        return r;
    if (!ret->soname_count)
        return error_set(err, -EINVAL, "\"sonames\" is missing or empty");
    return read_opens(root, arena, ret, err);
}

/* Bytes of the prefix where the name begins with it, else 0. Is called a hundred times for a name.
 */
static size_t prefix_length(const char *name, const char *prefix)
{
    size_t n = 0;
    while (prefix[n] && prefix[n] == name[n])
        n++;
    return prefix[n] ? 0 : n;
}

const struct library_spec *library_set_find(const struct library_set *set, const char *name)
{
    const struct library_spec *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; name && i < set->count; i++)
        for (size_t k = 0; k < set->items[i].soname_count; k++) {
            size_t length = prefix_length(name, set->items[i].sonames[k]);
            if (length > longest) {
                best = &set->items[i];
                longest = length;
            }
        }
    return best;
}
