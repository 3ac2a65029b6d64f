/* What is asked of one GPU. Each answer is told at once, so that a crash or a hang costs only what
 * comes after it; a function that a library lacks, or a GPU does not support, tells nothing. */
#include <string.h>

#include "machine/nvml_session.h"

static void ask_identity(const struct nvml_session *session, int gpu, nvml_device device)
{
    struct nvml_pci_info pci = {0};
    int code = NVML_CALL(session, "nvmlDeviceGetPciInfo_v3", device_struct, (device, &pci));
    if (code == NVML_CODE_SUCCESS) {
        nvml_tell_text(session, WIRE_GPU_PCI, gpu, pci.bus_id, sizeof pci.bus_id);
    } else if (NVML_CALL(session, "nvmlDeviceGetPciInfo_v2", device_struct, (device, &pci)) ==
               NVML_CODE_SUCCESS) {
        nvml_tell_text(session, WIRE_GPU_PCI, gpu, pci.bus_id_legacy, sizeof pci.bus_id_legacy);
    }
    char text[NVML_TEXT_SIZE] = "";
    if (NVML_CALL(session, "nvmlDeviceGetUUID", device_text, (device, text, sizeof text)) ==
        NVML_CODE_SUCCESS)
        nvml_tell_text(session, WIRE_GPU_UUID, gpu, text, sizeof text);
    memset(text, 0, sizeof text);
    if (NVML_CALL(session, "nvmlDeviceGetName", device_text, (device, text, sizeof text)) ==
        NVML_CODE_SUCCESS)
        nvml_tell_text(session, WIRE_GPU_NAME, gpu, text, sizeof text);
    int major = 0, minor = 0;
    if (NVML_CALL(session, "nvmlDeviceGetCudaComputeCapability", device_two_ints,
                  (device, &major, &minor)) == NVML_CODE_SUCCESS)
        nvml_tell_number(session, WIRE_GPU_CC, gpu, (int64_t)major * 100 + minor);
}

void nvml_ask_memory(const struct nvml_session *session, enum wire_tag tag, int gpu,
                     nvml_device device)
{
    struct nvml_memory_v2 now = {.version = NVML_STRUCT_VERSION(struct nvml_memory_v2, 2)};
    struct nvml_memory old = {0};
    if (NVML_CALL(session, "nvmlDeviceGetMemoryInfo_v2", device_struct, (device, &now)) ==
        NVML_CODE_SUCCESS)
        nvml_tell_number(session, tag, gpu, (int64_t)now.total);
    else if (NVML_CALL(session, "nvmlDeviceGetMemoryInfo", device_struct, (device, &old)) ==
             NVML_CODE_SUCCESS)
        nvml_tell_number(session, tag, gpu, (int64_t)old.total);
}

static void ask_fabric(const struct nvml_session *session, int gpu, nvml_device device)
{
    struct nvml_fabric_v2 now = {.version = NVML_STRUCT_VERSION(struct nvml_fabric_v2, 2)};
    struct nvml_fabric old = {0};
    unsigned state, status;
    if (NVML_CALL(session, "nvmlDeviceGetGpuFabricInfoV", device_struct, (device, &now)) ==
        NVML_CODE_SUCCESS) {
        state = now.state;
        status = now.status;
    } else if (NVML_CALL(session, "nvmlDeviceGetGpuFabricInfo", device_struct, (device, &old)) ==
               NVML_CODE_SUCCESS) {
        state = old.state;
        status = old.status;
    } else {
        return;
    }
    nvml_tell_number(session, WIRE_GPU_FABRIC_STATE, gpu, state);
    if (state == 3) /* the status means something only when the registration is over */
        nvml_tell_number(session, WIRE_GPU_FABRIC_STATUS, gpu, status);
}

static void ask_modes(const struct nvml_session *session, int gpu, nvml_device device)
{
    static const struct {
        const char *name;
        enum wire_tag tag;
    } numbers[] = {
        {"nvmlDeviceGetMinorNumber", WIRE_GPU_MINOR},
        {"nvmlDeviceGetComputeMode", WIRE_GPU_COMPUTE_MODE},
        {"nvmlDeviceGetPersistenceMode", WIRE_GPU_PERSISTENCE},
        {"nvmlDeviceGetVirtualizationMode", WIRE_GPU_VIRTUALIZATION},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned value = 0;
        if (NVML_CALL(session, numbers[i].name, device_unsigned, (device, &value)) ==
            NVML_CODE_SUCCESS)
            nvml_tell_number(session, numbers[i].tag, gpu, value);
    }
    unsigned current = 0, pending = 0;
    if (NVML_CALL(session, "nvmlDeviceGetEccMode", device_two, (device, &current, &pending)) ==
        NVML_CODE_SUCCESS)
        nvml_tell_number(session, WIRE_GPU_ECC, gpu, current);
    struct nvml_addressing mode = {.version = NVML_STRUCT_VERSION(struct nvml_addressing, 1)};
    if (NVML_CALL(session, "nvmlDeviceGetAddressingMode", device_struct, (device, &mode)) ==
        NVML_CODE_SUCCESS)
        nvml_tell_number(session, WIRE_GPU_ADDRESSING, gpu, mode.value);
}

/* Not supported may be a GPU without such a processor as well as one where it is switched off, so
 * that is left open. The version's function is not told how large the buffer is; the header says
 * 64 bytes. */
static void ask_firmware(const struct nvml_session *session, int gpu, nvml_device device)
{
    unsigned on = 0, usual = 0;
    char text[4 * NVML_TEXT_SIZE] = "";
    if (NVML_CALL(session, "nvmlDeviceGetGspFirmwareMode", device_two, (device, &on, &usual)) ==
            NVML_CODE_SUCCESS &&
        on == 0)
        nvml_tell_text(session, WIRE_GPU_GSP, gpu, "none", sizeof "none");
    else if (NVML_CALL(session, "nvmlDeviceGetGspFirmwareVersion", device_unbounded_text,
                       (device, text)) == NVML_CODE_SUCCESS)
        nvml_tell_text(session, WIRE_GPU_GSP, gpu, text, NVML_TEXT_SIZE);
}

static int field_number(const struct nvml_field *field)
{
    bool is_number = field->code == NVML_CODE_SUCCESS && field->type == NVML_VALUE_UNSIGNED;
    return is_number && field->value.number <= INT16_MAX ? (int)field->value.number : -1;
}

/* Each field has a code of its own: an older driver refuses those that it does not know. Returns
 * the number of NVLinks, negative where it is not stated. */
static int ask_fields(const struct nvml_session *session, int gpu, nvml_device device)
{
    struct nvml_field fields[] = {
        {.id = NVML_FIELD_RECOVERY_ACTION, .code = NVML_CODE_NOT_SUPPORTED},
        {.id = NVML_FIELD_LINK_COUNT, .code = NVML_CODE_NOT_SUPPORTED},
    };
    if (NVML_CALL(session, "nvmlDeviceGetFieldValues", device_fields, (device, 2, fields)) !=
        NVML_CODE_SUCCESS)
        return -1;
    int action = field_number(&fields[0]);
    if (action >= 0)
        nvml_tell_number(session, WIRE_GPU_RECOVERY, gpu, action);
    int count = field_number(&fields[1]);
    return count <= NVML_LINKS_MAX ? count : -1;
}

/* The look-up of the handle is the call that fails or hangs for a GPU in a bad state. */
void nvml_ask_gpu(const struct nvml_session *session, int gpu)
{
    nvml_device device = NULL;
    nvml_tell_stage(session, "the look-up of", gpu);
    int code =
        NVML_CALL(session, "nvmlDeviceGetHandleByIndex_v2", get_handle, ((unsigned)gpu, &device));
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code =
            NVML_CALL(session, "nvmlDeviceGetHandleByIndex", get_handle, ((unsigned)gpu, &device));
    nvml_tell_number(session, WIRE_GPU_CODE, gpu, code);
    if (code != NVML_CODE_SUCCESS)
        return;
    nvml_tell_stage(session, "the queries of", gpu);
    ask_identity(session, gpu, device);
    nvml_ask_memory(session, WIRE_GPU_MEMORY, gpu, device);
    ask_modes(session, gpu, device);
    nvml_ask_mig(session, gpu, device);
    ask_fabric(session, gpu, device);
    ask_firmware(session, gpu, device);
    int links = ask_fields(session, gpu, device);
    nvml_tell_stage(session, "the NVLinks of", gpu);
    nvml_ask_links(session, gpu, device, links);
}
