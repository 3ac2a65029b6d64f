/* `nvidia-smi -q -x`: a tree of elements of which only known fields are taken. */
#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/pci_address.h"
#include "base/text.h"
#include "machine/nvml.h"
#include "machine/nvml_values.h"
#include "machine/smi_fields.h"

enum { DEPTH_MAX = 32, PATH_SIZE = 256, VALUE_MAX = 1024, GPUS_MAX = 256 };

struct reader {
    XML_Parser parser;
    struct smi_fields fields;
    size_t capacity; /* of report->gpus, which is on the heap until the end */
    size_t depth;
    size_t ends[DEPTH_MAX]; /* length of `path` at each depth */
    char path[PATH_SIZE];   /* below the root element; names that do not fit are cut */
    struct text value;      /* text of the innermost element */
    bool done;
    const char *complaint;
};

static void stop(struct reader *reader, const char *complaint)
{
    if (!reader->complaint)
        reader->complaint = complaint;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* --- elements --- */

static void begin_gpu(struct reader *reader, const XML_Char **attributes)
{
    struct nvml_report *report = reader->fields.report;
    if (report->gpu_count == GPUS_MAX) {
        stop(reader, "it lists too many GPUs");
        return;
    }
    report->gpus =
        xgrow(report->gpus, &reader->capacity, report->gpu_count + 1, sizeof *report->gpus);
    struct nvml_gpu *gpu = &report->gpus[report->gpu_count];
    nvml_gpu_unknown(gpu, (int)report->gpu_count++);
    for (size_t i = 0; attributes[i] && attributes[i + 1]; i += 2)
        if (strcmp(attributes[i], "id") == 0)
            gpu->pci = pci_address(attributes[i + 1], reader->fields.arena);
}

static void begin_mig(struct reader *reader)
{
    struct nvml_report *report = reader->fields.report;
    if (!nvml_mig_add(&report->gpus[report->gpu_count - 1], -1, reader->fields.arena))
        stop(reader, "it lists too many MIG devices of a GPU");
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *reader = context;
    if (reader->depth == 0 && strcmp(name, "nvidia_smi_log") != 0) {
        stop(reader, "its root is not nvidia_smi_log");
        return;
    }
    if (reader->depth == DEPTH_MAX) {
        stop(reader, "its elements are nested too deep");
        return;
    }
    size_t used = strlen(reader->path);
    reader->ends[reader->depth++] = used;
    text_clear(&reader->value);
    if (reader->depth == 1)
        return; /* the root has no part in the paths */
    snprintf(reader->path + used, sizeof reader->path - used, "%s%s", used ? "/" : "", name);
    if (strcmp(reader->path, "gpu") == 0)
        begin_gpu(reader, attributes);
    else if (strcmp(reader->path, "gpu/mig_devices/mig_device") == 0)
        begin_mig(reader);
}

static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]))
        text[--length] = '\0';
    return text;
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
    struct reader *reader = context;
    (void)name;
    if (reader->complaint)
        return; /* expat still tells the end of an empty element at whose start it was stopped */
    char *value = trim(reader->value.data ? reader->value.data : (char[1]){0});
    smi_take(&reader->fields, reader->path, value);
    text_clear(&reader->value);
    reader->path[reader->ends[--reader->depth]] = '\0';
    if (reader->depth == 0) {
        /* nvidia-smi prints warnings ("infoROM is corrupted at gpu ...") behind the document. */
        reader->done = true;
        XML_StopParser(reader->parser, XML_FALSE);
    }
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length)
{
    struct reader *reader = context;
    size_t room = VALUE_MAX - reader->value.length;
    text_add_bytes(&reader->value, text, (size_t)length < room ? (size_t)length : room);
}

static void XMLCALL on_entity(void *context, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length;
    (void)base, (void)system, (void)public, (void)notation;
    stop(context, "it declares entities");
}

/* --- the document --- */

static int complain(struct nvml_report *ret, struct arena *arena, struct error *err,
                    const char *sentence)
{
    *ret = (struct nvml_report){
        .status = NVML_MALFORMED,
        .message = arena_printf(arena, "not a report of nvidia-smi -q -x: %s", sentence),
    };
    return error_set(err, -EBADMSG, "%s", ret->message);
}

/* A warning may stand in front of the document too. UTF-16 has its own mark there. */
static void skip_front(const char **data, size_t *size)
{
    if (*size >= 2 && ((unsigned char)(*data)[0] >= 0xef || (*data)[0] == '\0'))
        return;
    const char *start = memchr(*data, '<', *size);
    if (!start)
        return;
    *size -= (size_t)(start - *data);
    *data = start;
}

static void free_parser(XML_Parser *parser)
{
    XML_ParserFree(*parser);
}

int nvml_parse_xml(const char *data, size_t size, struct arena *arena, struct nvml_report *ret,
                   struct error *err)
{
    *ret = (struct nvml_report){.status = NVML_OK};
    if (size == 0 || size > 64 * 1024 * 1024)
        return complain(ret, arena, err, size ? "it is too large" : "it is empty");
    skip_front(&data, &size);
    CLEANUP(free_parser) XML_Parser parser = XML_ParserCreate(NULL);
    struct reader reader = {.parser = parser, .fields = {.arena = arena, .report = ret}};
    XML_SetUserData(parser, &reader);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetEntityDeclHandler(parser, on_entity);
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER); /* the DTD is not fetched */
    enum XML_Status status = XML_Parse(parser, data, (int)size, XML_TRUE);
    text_done(&reader.value);

    struct nvml_gpu *gpus = ret->gpus;
    ret->gpus = arena_alloc(arena, (ret->gpu_count + 1) * sizeof *gpus);
    if (ret->gpu_count)
        memcpy(ret->gpus, gpus, ret->gpu_count * sizeof *gpus);
    free(gpus);
    for (size_t i = 0; i < ret->gpu_count; i++)
        if (ret->gpus[i].mig_mode != 1) /* "None", also of a GPU that knows no MIG */
            ret->gpus[i].mig_instances = ret->gpus[i].mig_mode;
    if (reader.done && !reader.complaint)
        return 0;
    if (reader.complaint)
        return complain(ret, arena, err, reader.complaint);
    const char *reason =
        status == XML_STATUS_OK ? "it has no end" : XML_ErrorString(XML_GetErrorCode(parser));
    return complain(ret, arena, err, reason ? reason : "unknown error");
}
