/* The keys of this document are described in the manual, and do not change. */
#include <string.h>

#include "base/text.h"
#include "render/archs.h"

static json_t *text_json(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (json)
        return json;
    /* a file name may be no UTF-8 */
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, text, strlen(text), true);
    return json_string(text_get(&safe));
}

static json_t *number_json(struct opt number)
{
    return number.known ? json_integer(number.value) : json_null();
}

static json_t *target_json(const struct archs_target *target)
{
    json_t *json = json_object();
    json_object_set_new(json, "kind", text_json(target->kind));
    json_object_set_new(json, "target", text_json(target->target));
    json_object_set_new(json, "cc", text_json(target->cc));
    json_object_set_new(json, "suffix", text_json(target->suffix));
    json_object_set_new(json, "isa", text_json(target->isa));
    json_object_set_new(json, "isa_low", text_json(target->isa_low));
    json_object_set_new(json, "place", text_json(target->place));
    json_object_set_new(json, "containers", number_json(target->containers));
    json_object_set_new(json, "entries", number_json(target->entries));
    json_object_set_new(json, "bytes", number_json(target->bytes));
    return json;
}

static json_t *verdict_json(const struct archs_gpu *gpu, const struct archs_verdict *v)
{
    static const char *const words[] = {[ARCHS_NATIVE] = "native",
                                        [ARCHS_PTX] = "ptx",
                                        [ARCHS_NO] = "no",
                                        [ARCHS_UNKNOWN] = "unknown"};
    json_t *json = json_object();
    json_object_set_new(json, "gpu", text_json(gpu->name));
    json_object_set_new(json, "cc", json_sprintf("%u.%u", gpu->cc.major, gpu->cc.minor));
    json_object_set_new(json, "runs", json_string(words[v->runs]));
    json_object_set_new(json, "by", text_json(v->by ? v->by->target : NULL));
    json_object_set_new(json, "needs_driver_cuda", text_json(v->needs_cuda));
    json_object_set_new(json, "reason", text_json(v->why));
    return json;
}

static json_t *file_json(const struct archs *archs, const struct archs_file *file)
{
    json_t *json = json_object(), *targets = json_array(), *gpus = json_array();
    for (size_t i = 0; i < file->target_count; i++)
        json_array_append_new(targets, target_json(&file->targets[i]));
    for (size_t g = 0; g < archs->gpu_count; g++)
        json_array_append_new(gpus, verdict_json(&archs->gpus[g], &file->verdicts[g]));
    json_object_set_new(json, "path", text_json(file->name));
    json_object_set_new(json, "size", number_json(file->size));
    json_object_set_new(json, "bytes_read", number_json(file->bytes_read));
    json_object_set_new(json, "status", text_json(file->status));
    json_object_set_new(json, "problem", text_json(file->problem));
    json_object_set_new(json, "containers", number_json(file->containers));
    json_object_set_new(json, "entries", number_json(file->entries));
    json_object_set_new(json, "targets", targets);
    json_object_set_new(json, "gpus", gpus);
    return json;
}

json_t *render_archs_json(const struct archs *archs)
{
    json_t *json = json_object(), *files = json_array();
    for (size_t i = 0; i < archs->file_count; i++)
        json_array_append_new(files, file_json(archs, &archs->files[i]));
    json_object_set_new(json, "schema", json_integer(1));
    json_object_set_new(json, "files", files);
    return json;
}
