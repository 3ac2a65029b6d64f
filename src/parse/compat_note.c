/* {"Format":1,"CUDA Version":"13.1","Driver":[535,550,...],"Device":[1,2,7,...]}, as
 * nvidia-container-toolkit reads it (cmd/nvidia-cdi-hook/cudacompat). */
#include "parse/compat_note.h"

#include <errno.h>

#include "base/json_file.h"
#include "base/version.h"

enum { FORMAT = 1, NUMBER_MAX = 100 * 1000 };

static bool has_number(const struct compat_numbers *numbers, int number)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->items[i] == number)
            return true;
    return false;
}

/* A list that is missing is empty. */
static int take_numbers(const json_t *root, const char *key, struct arena *arena,
                        struct compat_numbers *ret, struct error *err)
{
    const json_t *list = json_object_get(root, key), *value;
    size_t count = json_array_size(list), i;
    if (!list)
        return 0;
    if (!json_is_array(list) || count > COMPAT_NUMBERS_MAX)
        return error_set(err, -EBADMSG, "\"%s\" in it is no list, or a list that is too long", key);
    ret->items = arena_alloc(arena, (count + 1) * sizeof *ret->items);
    json_array_foreach (list, i, value) {
        json_int_t number = json_integer_value(value);
        if (!json_is_integer(value) || number < 0 || number > NUMBER_MAX)
            return error_set(err, -EBADMSG, "\"%s\" in it holds something else than numbers", key);
        if (!has_number(ret, (int)number))
            ret->items[ret->count++] = (int)number;
    }
    return 0;
}

static int take(const json_t *root, struct arena *arena, struct compat_note *ret, struct error *err)
{
    const json_t *format = json_object_get(root, "Format");
    if (!json_is_object(root))
        return error_set(err, -EBADMSG, "it is no JSON object");
    if (!json_is_integer(format) || json_integer_value(format) != FORMAT)
        return error_set(err, -EBADMSG, "it is of another format than %d", FORMAT);
    const char *cuda = json_string_value(json_object_get(root, "CUDA Version"));
    int64_t key;
    if (version_key(VERSION_CUDA, cuda, &key))
        ret->cuda = arena_strdup(arena, cuda);
    int r = take_numbers(root, "Driver", arena, &ret->drivers, err);
    return r < 0 ? r : take_numbers(root, "Device", arena, &ret->devices, err);
}

int parse_compat_note(const char *data, size_t size, struct arena *arena, struct compat_note *ret,
                      struct error *err)
{
    *ret = (struct compat_note){0};
    json_error_t why;
    CLEANUP_JSON json_t *root = json_loadb(data, size, 0, &why);
    int r = root ? take(root, arena, ret, err)
                 : error_set(err, -EBADMSG, "it is no JSON: %s", why.text);
    if (r < 0)
        *ret = (struct compat_note){0};
    return r;
}
