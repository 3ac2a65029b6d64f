#include "library/json_get.h"

#include <errno.h>
#include <string.h>

#include "library/load_spec.h"

int json_get_root(const char *text, json_t **ret, struct error *err)
{
    json_error_t where;
    *ret = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!*ret)
        return error_set(err, -EINVAL, "line %d: %s", where.line, where.text);
    return json_is_object(*ret) ? 0 : error_set(err, -EINVAL, "it is not an object");
}

int json_get_only(json_t *object, const char *const *keys, struct error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value) {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (!keys[i])
            return error_set(err, -EINVAL, "\"%s\" is not known", key);
    }
    return 0;
}

static const char *text_of(const json_t *value, struct arena *arena)
{
    const char *text = json_string_value(value);
    return text && *text ? arena_strdup(arena, text) : NULL;
}

int json_get_text(const json_t *object, const char *key, bool is_needed, struct arena *arena,
                  const char **ret, struct error *err)
{
    const json_t *value = json_object_get(object, key);
    *ret = text_of(value, arena);
    if (*ret || (!value && !is_needed))
        return 0;
    return error_set(err, -EINVAL, "\"%s\" is missing, empty or not text", key);
}

int json_get_texts(const json_t *object, const char *key, bool may_be_one, struct arena *arena,
                   const char ***ret, size_t *ret_count, struct error *err)
{
    const json_t *value = json_object_get(object, key);
    bool is_one = may_be_one && json_is_string(value);
    if (value && !is_one && !json_is_array(value))
        return error_set(err, -EINVAL, "\"%s\" is not a list", key);
    size_t count = is_one ? 1 : json_array_size(value);
    if (count > LOAD_NAMES_MAX)
        return error_set(err, -EINVAL, "\"%s\" has more than %d entries", key, LOAD_NAMES_MAX);
    *ret = arena_alloc(arena, (count + 1) * sizeof **ret);
    *ret_count = count;
    for (size_t i = 0; i < count; i++) {
        (*ret)[i] = text_of(is_one ? value : json_array_get(value, i), arena);
        if (!(*ret)[i])
            return error_set(err, -EINVAL, "\"%s\" holds what is empty or not text", key);
    }
    return 0;
}

int json_get_bool(const json_t *object, const char *key, bool *ret, struct error *err)
{
    const json_t *value = json_object_get(object, key);
    *ret = json_is_true(value);
    if (value && !json_is_boolean(value))
        return error_set(err, -EINVAL, "\"%s\" is neither true nor false", key);
    return 0;
}
