/* The keys of this document are described in the manual, and do not change. */
#include "render/archs.h"
#include "render/json_text.h"

static json_t *number_json(struct opt number)
{
    return number.known ? json_integer(number.value) : json_null();
}

static json_t *target_json(const struct archs_target *target)
{
    json_t *json = json_object();
    json_object_set_new(json, "kind", json_text_or_null(target->kind));
    json_object_set_new(json, "target", json_text_or_null(target->target));
    json_object_set_new(json, "cc", json_text_or_null(target->cc));
    json_object_set_new(json, "suffix", json_text_or_null(target->suffix));
    json_object_set_new(json, "isa", json_text_or_null(target->isa));
    json_object_set_new(json, "isa_low", json_text_or_null(target->isa_low));
    json_object_set_new(json, "place", json_text_or_null(target->place));
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
    json_object_set_new(json, "gpu", json_text_or_null(gpu->name));
    json_object_set_new(json, "cc", json_sprintf("%u.%u", gpu->cc.major, gpu->cc.minor));
    json_object_set_new(json, "runs", json_string(words[v->runs]));
    json_object_set_new(json, "by", json_text_or_null(v->by ? v->by->target : NULL));
    json_object_set_new(json, "needs_driver_cuda", json_text_or_null(v->needs_cuda));
    json_object_set_new(json, "reason", json_text_or_null(v->why));
    return json;
}

static json_t *file_json(const struct archs *archs, const struct archs_file *file)
{
    json_t *json = json_object(), *targets = json_array(), *gpus = json_array();
    for (size_t i = 0; i < file->target_count; i++)
        json_array_append_new(targets, target_json(&file->targets[i]));
    for (size_t g = 0; g < archs->gpu_count; g++)
        json_array_append_new(gpus, verdict_json(&archs->gpus[g], &file->verdicts[g]));
    json_object_set_new(json, "path", json_text_or_null(file->name));
    json_object_set_new(json, "size", number_json(file->size));
    json_object_set_new(json, "bytes_read", number_json(file->bytes_read));
    json_object_set_new(json, "status", json_text_or_null(file->status));
    json_object_set_new(json, "problem", json_text_or_null(file->problem));
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
