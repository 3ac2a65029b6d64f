/* The parts of a GPU: MIG devices and NVLinks. */
#include "machine/nvml_session.h"

#include <stdbool.h>

static void ask_instance(const struct nvml_session *session, int gpu, unsigned index,
                         nvml_device instance)
{
    static const struct {
        const char *name;
        enum wire_tag tag;
    } ids[] = {
        {"nvmlDeviceGetGpuInstanceId", WIRE_MIG_GPU_INSTANCE},
        {"nvmlDeviceGetComputeInstanceId", WIRE_MIG_COMPUTE_INSTANCE},
    };
    static const struct {
        const char *name;
        enum wire_tag tag;
    } texts[] = {
        {"nvmlDeviceGetUUID", WIRE_MIG_UUID},
        {"nvmlDeviceGetName", WIRE_MIG_NAME},
    };
    nvml_tell_number(session, WIRE_MIG, gpu, index);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        unsigned id = 0;
        if (NVML_CALL(session, ids[i].name, device_unsigned, (instance, &id)) == NVML_CODE_SUCCESS)
            nvml_tell_number(session, ids[i].tag, gpu, id);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[NVML_TEXT_SIZE] = "";
        if (NVML_CALL(session, texts[i].name, device_text, (instance, text, sizeof text)) ==
            NVML_CODE_SUCCESS)
            nvml_tell_text(session, texts[i].tag, gpu, text, sizeof text);
    }
    nvml_ask_memory(session, WIRE_MIG_MEMORY, gpu, instance);
}

/* A MIG device of NVML is one compute instance; their numbers may have gaps. One that may not be
 * seen leaves open how many there are. */
static void ask_instances(const struct nvml_session *session, int gpu, nvml_device device)
{
    static const char name[] = "nvmlDeviceGetMigDeviceHandleByIndex";
    unsigned most = 0;
    int64_t found = 0;
    bool all = true;
    if (NVML_CALL(session, "nvmlDeviceGetMaxMigDeviceCount", device_unsigned, (device, &most)) !=
        NVML_CODE_SUCCESS)
        return;
    for (unsigned i = 0; i < most && i < NVML_MIGS_MAX; i++) {
        nvml_device instance = NULL;
        int code = NVML_CALL(session, name, device_handle, (device, i, &instance));
        if (code == NVML_CODE_SUCCESS) {
            ask_instance(session, gpu, i, instance);
            found++;
        } else if (code != NVML_CODE_NOT_FOUND && code != NVML_CODE_INVALID_ARGUMENT) {
            all = false;
        }
    }
    if (all && most <= NVML_MIGS_MAX)
        nvml_tell_number(session, WIRE_GPU_MIG_COUNT, gpu, found);
}

void nvml_ask_mig(const struct nvml_session *session, int gpu, nvml_device device)
{
    unsigned mode = 0, pending = 0;
    if (NVML_CALL(session, "nvmlDeviceGetMigMode", device_two, (device, &mode, &pending)) !=
        NVML_CODE_SUCCESS)
        return;
    nvml_tell_number(session, WIRE_GPU_MIG_MODE, gpu, mode);
    nvml_tell_number(session, WIRE_GPU_MIG_PENDING, gpu, pending);
    if (mode == 0)
        nvml_tell_number(session, WIRE_GPU_MIG_COUNT, gpu, 0);
    else
        ask_instances(session, gpu, device);
}

/* A link beyond the last one is not supported, or a wrong argument, depending on the driver; so is
 * one in a gap where the driver has stated a count. Any other answer leaves open how many are up.
 */
void nvml_ask_links(const struct nvml_session *session, int gpu, nvml_device device, int count)
{
    device_link ask = (device_link)nvml_find(session, "nvmlDeviceGetNvLinkState");
    int found = 0, active = 0;
    bool known = ask && count != 0;
    for (unsigned i = 0; known && i < NVML_LINKS_MAX && (count < 0 || found < count); i++) {
        unsigned state = 0;
        int code = ask(device, i, &state);
        if (code == NVML_CODE_SUCCESS) {
            found++;
            active += state == 1;
        } else if (code != NVML_CODE_NOT_SUPPORTED && code != NVML_CODE_INVALID_ARGUMENT) {
            known = false;
        } else if (count < 0) {
            break;
        }
    }
    if (count >= 0)
        nvml_tell_number(session, WIRE_GPU_LINKS, gpu, count);
    else if (known && found > 0)
        nvml_tell_number(session, WIRE_GPU_LINKS, gpu, found);
    if (count == 0 || (known && found > 0))
        nvml_tell_number(session, WIRE_GPU_LINKS_ACTIVE, gpu, active);
}
