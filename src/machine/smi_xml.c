/* `nvidia-smi -q -x`: a tree of elements whose names have moved between driver generations, so a
 * field is looked up by every path it is known to have had, and the rest is skipped. Paths are
 * those of driver 340 to 610 reports. */
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

enum { DEPTH_MAX = 32, PATH_SIZE = 256, VALUE_MAX = 1024, GPUS_MAX = 256, MIG_MAX = 1024 };

enum field {
    DRIVER_VERSION,
    CUDA_VERSION,
    NVML_VERSION,
    GPU_PCI,
    GPU_UUID,
    GPU_NAME,
    GPU_MEMORY,
    GPU_MINOR,
    GPU_MIG_MODE,
    GPU_MIG_DEVICES,
    GPU_COMPUTE_MODE,
    GPU_PERSISTENCE,
    GPU_FABRIC_STATE,
    GPU_FABRIC_STATUS,
    GPU_ECC,
    GPU_ADDRESSING,
};

static const struct {
    const char *path;
    enum field field;
} fields[] = {
    {"driver_version", DRIVER_VERSION},
    {"kmd_version", DRIVER_VERSION}, /* drivers from 610 on */
    {"cuda_version", CUDA_VERSION},
    {"cuda_umd_version", CUDA_VERSION}, /* drivers from 610 on */
    {"nvml_version", NVML_VERSION},
    {"gpu/pci/pci_bus_id", GPU_PCI},
    {"gpu/uuid", GPU_UUID},
    {"gpu/product_name", GPU_NAME},
    {"gpu/fb_memory_usage/total", GPU_MEMORY},
    {"gpu/memory_usage/total", GPU_MEMORY}, /* drivers before 331 */
    {"gpu/minor_number", GPU_MINOR},
    {"gpu/mig_mode/current_mig", GPU_MIG_MODE},
    {"gpu/mig_devices", GPU_MIG_DEVICES},
    {"gpu/compute_mode", GPU_COMPUTE_MODE},
    {"gpu/persistence_mode", GPU_PERSISTENCE},
    {"gpu/fabric/state", GPU_FABRIC_STATE},
    {"gpu/fabric/status", GPU_FABRIC_STATUS},
    {"gpu/ecc_mode/current_ecc", GPU_ECC},
    {"gpu/addressing_mode", GPU_ADDRESSING},
};

struct reader {
    XML_Parser parser;
    struct arena *arena;
    struct nvml_report *report;
    size_t capacity; /* of report->gpus, which is on the heap until the end */
    size_t depth;
    size_t ends[DEPTH_MAX]; /* length of `path` at each depth */
    char path[PATH_SIZE];   /* below the root element; names that do not fit are cut */
    struct text value;      /* text of the innermost element */
    int mig_devices;        /* of the GPU at hand */
    bool done;
    const char *complaint;
};

static void stop(struct reader *reader, const char *complaint)
{
    if (!reader->complaint)
        reader->complaint = complaint;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* --- values --- */

static const char *keep(struct reader *reader, const char *text)
{
    struct text safe = {0};
    text_add_safe(&safe, text, strlen(text), false);
    const char *copy = arena_strdup(reader->arena, text_get(&safe));
    text_done(&safe);
    return copy;
}

static const char *keep_known(struct reader *reader, const char *text)
{
    return nvml_known(text) ? keep(reader, text) : NULL;
}

static int64_t parse_number(const char *text)
{
    char *end;
    errno = 0;
    if (text[0] < '0' || text[0] > '9')
        return -1;
    long long number = strtoll(text, &end, 10);
    return errno == 0 && (*end == '\0' || *end == ' ') ? number : -1;
}

/* "143771 MiB"; drivers before 331 wrote MB and meant the same. */
static int64_t parse_memory(const char *text)
{
    int64_t number = parse_number(text);
    const char *unit = strchr(text, ' ');
    if (number <= 0 || !unit || (strcmp(unit, " MiB") != 0 && strcmp(unit, " MB") != 0))
        return -1;
    return number;
}

static int parse_switch(const char *text)
{
    if (strcmp(text, "Enabled") == 0)
        return 1;
    return strcmp(text, "Disabled") == 0 ? 0 : -1;
}

/* A GPU in a bad state has the error where its name or UUID should be. */
static void note_failure(struct nvml_gpu *gpu, const char *text)
{
    if (nvml_known(text) || gpu->code != 0)
        return;
    int code = nvml_code_in_text(text);
    if (code == 15 || code == 16 || code == 999)
        gpu->code = code;
}

static void take_gpu(struct reader *reader, enum field field, const char *text)
{
    struct nvml_gpu *gpu = &reader->report->gpus[reader->report->gpu_count - 1];
    switch (field) {
    case GPU_PCI:
        if (!gpu->pci)
            gpu->pci = pci_address(text, reader->arena);
        break;
    case GPU_UUID:
        gpu->uuid = keep_known(reader, text);
        note_failure(gpu, text);
        break;
    case GPU_NAME:
        gpu->name = keep_known(reader, text);
        note_failure(gpu, text);
        break;
    case GPU_MEMORY:
        gpu->memory_mib = parse_memory(text);
        break;
    case GPU_MINOR:
        gpu->minor = nvml_clamp(parse_number(text));
        break;
    case GPU_MIG_MODE:
        gpu->mig_mode = parse_switch(text);
        break;
    case GPU_MIG_DEVICES:
        gpu->mig_instances = reader->mig_devices;
        break;
    case GPU_COMPUTE_MODE:
        gpu->compute_mode = keep_known(reader, text);
        break;
    case GPU_PERSISTENCE:
        gpu->persistence = parse_switch(text);
        break;
    case GPU_FABRIC_STATE:
        gpu->fabric_state = keep_known(reader, text);
        break;
    case GPU_FABRIC_STATUS:
        gpu->fabric_status = keep_known(reader, text);
        break;
    case GPU_ECC:
        gpu->ecc_mode = keep_known(reader, text);
        break;
    case GPU_ADDRESSING:
        gpu->addressing_mode = keep_known(reader, text);
        break;
    default:
        break;
    }
}

/* With both spellings in a report the first one that is known stays. */
static void take_version(struct reader *reader, const char **slot, const char *text)
{
    if (!*slot && nvml_known_version(text))
        *slot = keep(reader, text);
}

static void take(struct reader *reader, enum field field, const char *text)
{
    switch (field) {
    case DRIVER_VERSION:
        take_version(reader, &reader->report->driver_version, text);
        break;
    case CUDA_VERSION:
        take_version(reader, &reader->report->cuda_version, text);
        break;
    case NVML_VERSION:
        take_version(reader, &reader->report->nvml_version, text);
        break;
    default:
        if (reader->report->gpu_count > 0)
            take_gpu(reader, field, text);
        break;
    }
}

/* --- elements --- */

static void begin_gpu(struct reader *reader, const XML_Char **attributes)
{
    struct nvml_report *report = reader->report;
    if (report->gpu_count == GPUS_MAX) {
        stop(reader, "it lists too many GPUs");
        return;
    }
    report->gpus =
        xgrow(report->gpus, &reader->capacity, report->gpu_count + 1, sizeof *report->gpus);
    struct nvml_gpu *gpu = &report->gpus[report->gpu_count];
    nvml_gpu_unknown(gpu, (int)report->gpu_count++);
    reader->mig_devices = 0;
    for (size_t i = 0; attributes[i] && attributes[i + 1]; i += 2)
        if (strcmp(attributes[i], "id") == 0)
            gpu->pci = pci_address(attributes[i + 1], reader->arena);
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
    else if (strcmp(reader->path, "gpu/mig_devices/mig_device") == 0 &&
             reader->mig_devices < MIG_MAX)
        reader->mig_devices++;
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
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].path, reader->path) == 0)
            take(reader, fields[i].field, value);
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
    struct reader reader = {.parser = parser, .arena = arena, .report = ret};
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
