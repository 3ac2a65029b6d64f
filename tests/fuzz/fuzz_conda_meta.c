/* conda-meta records. What the scanner takes from a document that is JSON throughout must be what
 * a complete parser finds in it; and it must not matter in what pieces the bytes come. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/conda_meta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
    const uint8_t *data;
    size_t size, at, step;
};

static ssize_t read_memory(void *context, void *buffer, size_t size)
{
    struct memory *memory = context;
    size_t left = memory->size - memory->at, take = left < size ? left : size;
    take = take < memory->step ? take : memory->step;
    if (take)
        memcpy(buffer, memory->data + memory->at, take);
    memory->at += take;
    return (ssize_t)take;
}

static int scan(const uint8_t *data, size_t size, size_t step, struct arena *arena,
                struct conda_meta *ret)
{
    struct memory memory = {data, size, 0, step};
    return conda_meta_scan(&(struct byte_source){read_memory, &memory}, arena, ret);
}

static void must(bool is_good)
{
    if (!is_good)
        abort();
}

static void compare(const uint8_t *data, size_t size, const struct conda_meta *found)
{
    json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(root)) {
        must(text_equal(found->name, json_string_value(json_object_get(root, "name"))));
        must(text_equal(found->version, json_string_value(json_object_get(root, "version"))));
        must(text_equal(found->build, json_string_value(json_object_get(root, "build"))));
    }
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct conda_meta whole, pieces;
    int r = scan(data, size, SIZE_MAX, &arena, &whole);
    must(scan(data, size, 3, &arena, &pieces) == r);
    must(whole.depends.count == pieces.depends.count);
    if (r == 0) {
        must(text_equal(whole.name, pieces.name) && text_equal(whole.version, pieces.version));
        compare(data, size, &whole);
        const char *specifier;
        for (size_t i = 0; i < whole.depends.count; i++)
            conda_dependency(whole.depends.items[i], &arena, &specifier);
        struct conda_spec spec;
        for (size_t i = 0; i < whole.constrains.count; i++)
            must(!conda_spec_parse(whole.constrains.items[i], &arena, &spec) ||
                 (*spec.name && spec.specifier && (!spec.build || *spec.build)));
        const char *channel = conda_channel(whole.channel, &arena);
        must(!channel || !strpbrk(channel, "/@:"));
    }
    conda_meta_done(&whole);
    conda_meta_done(&pieces);
    arena_done(&arena);
    return 0;
}
