/* An engine of descriptors alone: `deps` and `archs` of one file are done in less time than the
 * rules take to be opened. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/internal.h"

static const char library_folder[] = "libraries/", version_file[] = "version.json";

static void add_all(struct text *out, const struct descriptor *descriptors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_bytes(out, descriptors[i].file, strlen(descriptors[i].file) + 1);
        text_add_bytes(out, descriptors[i].json, strlen(descriptors[i].json) + 1);
    }
}

void engine_save_descriptors(struct engine *engine, struct text *out)
{
    const struct descriptor version = {version_file, engine->version};
    add_all(out, &version, 1);
    add_all(out, engine->descriptors, engine->descriptor_count);
    add_all(out, engine->libraries, engine->library_count);
}

static void take(struct descriptor **list, size_t *count, size_t *capacity, const char *file,
                 const char *json)
{
    *list = xgrow(*list, capacity, *count + 1, sizeof **list);
    (*list)[(*count)++] = (struct descriptor){file, json};
}

static int take_descriptors(struct engine *engine, const char *data, size_t size, struct error *err)
{
    size_t capacity = 0, library_capacity = 0;
    for (const char *at = data, *end = data + size; at < end;) {
        const char *file = at, *json = at + strnlen(at, (size_t)(end - at)) + 1;
        const char *stop = json < end ? json + strnlen(json, (size_t)(end - json)) : end;
        if (stop >= end)
            return error_set(err, -EINVAL, "not the descriptors of an image");
        at = stop + 1;
        if (strcmp(file, version_file) == 0) {
            free(engine->version);
            engine->version = xstrdup(json);
        } else if (text_starts(file, library_folder)) {
            take(&engine->libraries, &engine->library_count, &library_capacity, file, json);
        } else {
            take(&engine->descriptors, &engine->descriptor_count, &capacity, file, json);
        }
    }
    return 0;
}

int engine_open_bare(const void *descriptors, size_t size, struct engine **ret, struct error *err)
{
    struct engine *engine;
    int code = engine_new(NULL, 0, &engine, err);
    if (code)
        return code;
    code = engine_configure(engine, err);
    if (!code) {
        engine->once_ready = true; /* there are none */
        engine->facts = facts_open_lazy(engine->db);
        code = take_descriptors(engine, descriptors, size, err);
    }
    if (code)
        engine_free(engine);
    else
        *ret = engine;
    return code;
}

bool engine_knows_framework(struct engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->descriptor_count; i++) {
        /* a descriptor's name is its file's; the loader sees to that */
        const char *file = strrchr(engine->descriptors[i].file, '/');
        file = file ? file + 1 : engine->descriptors[i].file;
        size_t length = strlen(name);
        if (strncmp(file, name, length) == 0 && strcmp(file + length, ".json") == 0)
            return true;
    }
    return false;
}
