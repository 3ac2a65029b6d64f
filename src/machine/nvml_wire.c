#include "machine/nvml_wire.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/nvml_take.h"
#include "machine/nvml_values.h"

enum { WIRE_MAGIC = 0x474e, HEAD_SIZE = 8 };

/* Both ends are the same program on the same machine, so the bytes are in its own order. */
struct head {
    uint16_t magic;
    uint16_t tag;
    uint16_t gpu;
    uint16_t length;
};
_Static_assert(sizeof(struct head) == HEAD_SIZE, "no padding");

static bool put(int fd, enum wire_tag tag, int gpu, const void *value, size_t length)
{
    char record[HEAD_SIZE + WIRE_TEXT_MAX];
    struct head head = {WIRE_MAGIC, (uint16_t)tag, (uint16_t)gpu, (uint16_t)length};
    memcpy(record, &head, HEAD_SIZE);
    if (length)
        memcpy(record + HEAD_SIZE, value, length);
    ssize_t n;
    do
        n = write(fd, record, HEAD_SIZE + length);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)(HEAD_SIZE + length);
}

bool wire_put_text(int fd, enum wire_tag tag, int gpu, const char *text, size_t length)
{
    return put(fd, tag, gpu, text, length < WIRE_TEXT_MAX ? length : WIRE_TEXT_MAX);
}

bool wire_put_number(int fd, enum wire_tag tag, int gpu, int64_t number)
{
    return put(fd, tag, gpu, &number, sizeof number);
}

static bool is_text(enum wire_tag tag)
{
    switch (tag) {
    case WIRE_STAGE:
    case WIRE_LIBRARY:
    case WIRE_NO_LIBRARY:
    case WIRE_MESSAGE:
    case WIRE_DRIVER:
    case WIRE_NVML:
    case WIRE_GPU_PCI:
    case WIRE_GPU_UUID:
    case WIRE_GPU_NAME:
    case WIRE_GPU_GSP:
    case WIRE_MIG_UUID:
    case WIRE_MIG_NAME:
        return true;
    default:
        return false;
    }
}

static bool decode(struct arena *arena, const struct head *head, const char *bytes,
                   struct wire_value *ret)
{
    if (!is_text(head->tag)) {
        if (head->length != sizeof ret->number)
            return false;
        memcpy(&ret->number, bytes, sizeof ret->number);
        return true;
    }
    if (head->length > WIRE_TEXT_MAX)
        return false;
    struct text safe = {0};
    text_add_safe(&safe, bytes, head->length, false);
    ret->text = arena_strdup(arena, text_get(&safe));
    text_done(&safe);
    return true;
}

static bool take_count(struct wire_reader *reader, int64_t count)
{
    if (reader->counted || count < 0 || count > WIRE_GPUS_MAX)
        return false;
    reader->counted = true;
    reader->expected = (size_t)count;
    reader->report->gpus =
        arena_alloc(reader->arena, (reader->expected + 1) * sizeof *reader->report->gpus);
    return true;
}

static bool take_general(struct wire_reader *reader, enum wire_tag tag,
                         const struct wire_value *value)
{
    struct nvml_report *report = reader->report;
    switch (tag) {
    case WIRE_STAGE:
        reader->stage = value->text;
        return true;
    case WIRE_LIBRARY:
        report->library = value->text;
        return true;
    case WIRE_NO_LIBRARY:
        reader->no_library = true;
        report->message = value->text;
        return true;
    case WIRE_FAILED:
        reader->failed = true;
        report->code = nvml_clamp(value->number);
        return true;
    case WIRE_MESSAGE:
        report->message = value->text;
        return true;
    case WIRE_DRIVER:
        report->driver_version = nvml_known_version(value->text);
        return true;
    case WIRE_CUDA:
        if (value->number >= 1000 && value->number < 1000 * 1000)
            report->cuda_version = arena_printf(reader->arena, "%d.%d", (int)value->number / 1000,
                                                (int)value->number % 1000 / 10);
        return true;
    case WIRE_NVML:
        report->nvml_version = nvml_known_version(value->text);
        return true;
    case WIRE_COUNT:
        return take_count(reader, value->number);
    case WIRE_END:
        reader->ended = true;
        return true;
    default:
        return false;
    }
}

static bool begin_gpu(struct wire_reader *reader, unsigned index, int64_t code)
{
    struct nvml_report *report = reader->report;
    if (index != report->gpu_count || index >= reader->expected)
        return false;
    struct nvml_gpu *gpu = &report->gpus[report->gpu_count++];
    nvml_gpu_unknown(gpu, (int)index);
    gpu->code = nvml_clamp(code);
    return true;
}

static bool take(struct wire_reader *reader, const struct head *head,
                 const struct wire_value *value)
{
    if (reader->ended)
        return false;
    if (head->tag == WIRE_GPU_CODE)
        return begin_gpu(reader, head->gpu, value->number);
    if (head->tag < WIRE_GPU_CODE || head->tag >= WIRE_END)
        return take_general(reader, head->tag, value);
    struct nvml_report *report = reader->report;
    return head->gpu < report->gpu_count &&
           wire_take_gpu(reader->arena, &report->gpus[head->gpu], head->tag, value);
}

int wire_read(struct wire_reader *reader, const char *data, size_t size)
{
    while (size - reader->cursor >= HEAD_SIZE) {
        struct head head;
        struct wire_value value = {0};
        memcpy(&head, data + reader->cursor, HEAD_SIZE);
        if (head.magic != WIRE_MAGIC || head.tag == 0 || head.tag > WIRE_END ||
            head.length > WIRE_TEXT_MAX)
            return -EBADMSG;
        if (size - reader->cursor - HEAD_SIZE < head.length)
            return 0;
        if (!decode(reader->arena, &head, data + reader->cursor + HEAD_SIZE, &value) ||
            !take(reader, &head, &value))
            return -EBADMSG;
        reader->cursor += HEAD_SIZE + head.length;
    }
    return 0;
}
