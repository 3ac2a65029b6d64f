/* Frameworks by the names that people know them by: the descriptor's own, its title, and those of
 * its distributions and conda packages. */
#include <string.h>

#include "engine/internal.h"

enum { NAME_BYTES = 64, MEANT_LEAST = 3 };

/* "ONNX Runtime" and "onnxruntime_gpu" as "onnx-runtime" and "onnxruntime-gpu". False: too long. */
static bool normal_name(const char *name, char ret[static NAME_BYTES])
{
    size_t length = strlen(name);
    if (length >= NAME_BYTES)
        return false;
    for (size_t i = 0; i <= length; i++)
        ret[i] = name[i] == '_' || name[i] == '.' || name[i] == ' ' ? '-'
                 : name[i] >= 'A' && name[i] <= 'Z'                 ? (char)(name[i] - 'A' + 'a')
                                                                    : name[i];
    return true;
}

static bool is_called(const char *wanted, const json_t *name)
{
    char normal[NAME_BYTES];
    return json_is_string(name) && normal_name(json_string_value(name), normal) &&
           strcmp(wanted, normal) == 0;
}

static bool lists_name(const char *wanted, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        if (is_called(wanted, json_array_get(names, i)))
            return true;
    return false;
}

/* "torch" of "frameworks/torch.json": a descriptor's name is its file's; the loader sees to that.
 */
static const char *name_of(const struct descriptor *descriptor, struct arena *arena)
{
    const char *slash = strrchr(descriptor->file, '/');
    const char *file = slash ? slash + 1 : descriptor->file;
    size_t length = strlen(file), end = strlen(".json");
    return arena_strndup(arena, file, length > end ? length - end : length);
}

const char *engine_framework_called(struct engine *engine, const char *name, struct arena *arena)
{
    char wanted[NAME_BYTES] = "";
    if (!normal_name(name, wanted))
        return NULL;
    if (engine_knows_framework(engine, wanted))
        return arena_strdup(arena, wanted);
    for (size_t i = 0; i < engine->descriptor_count; i++) {
        json_t *d = json_loads(engine->descriptors[i].json, 0, NULL);
        bool found = is_called(wanted, json_object_get(d, "title")) ||
                     lists_name(wanted, json_object_get(d, "distributions")) ||
                     lists_name(wanted, json_object_get(d, "conda"));
        json_decref(d);
        if (found)
            return name_of(&engine->descriptors[i], arena);
    }
    return NULL;
}

const char *engine_framework_meant(struct engine *engine, const char *name, struct arena *arena)
{
    char wanted[NAME_BYTES] = "";
    const char *best = NULL;
    size_t longest = MEANT_LEAST - 1;
    if (!normal_name(name, wanted))
        return NULL;
    for (size_t i = 0; i < engine->descriptor_count; i++) {
        const char *known = name_of(&engine->descriptors[i], arena);
        size_t n = 0;
        while (known[n] && known[n] == wanted[n])
            n++;
        if (n > longest) {
            longest = n;
            best = known;
        }
    }
    return best;
}
