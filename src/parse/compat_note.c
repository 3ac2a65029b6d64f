/* {"format":1,"CUDA version":"13.0","driver":[535,550,...],"device":[1,2,7,...]}: so in CUDA 13.0's
 * libcuda.so.580.95.05. Others write "Format", "CUDA Version", ...: nvidia-container-toolkit, for
 * which the note is made (cmd/nvidia-cdi-hook/cudacompat), takes keys in any case. */
#include "parse/compat_note.h"

#include <errno.h>
#include <strings.h>

#include "base/json_file.h"
#include "base/version.h"

enum { FORMAT = 1, NUMBER_MAX = 100 * 1000 };

static const json_t *member(const json_t *root, const char *name)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)root, key, value)
        if (strcasecmp(key, name) == 0)
            return value;
    return NULL;
}

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
    const json_t *list = member(root, key), *value;
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
    if (!json_is_object(root))
        return error_set(err, -EBADMSG, "it is no JSON object");
    const json_t *format = member(root, "format");
    if (!json_is_integer(format) || json_integer_value(format) != FORMAT)
        return error_set(err, -EBADMSG, "it is of another format than %d", FORMAT);
    const char *cuda = json_string_value(member(root, "CUDA version"));
    int64_t key;
    if (version_key(VERSION_CUDA, cuda, &key))
        ret->cuda = arena_strdup(arena, cuda);
    int r = take_numbers(root, "driver", arena, &ret->drivers, err);
    return r < 0 ? r : take_numbers(root, "device", arena, &ret->devices, err);
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
