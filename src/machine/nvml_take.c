#include "machine/nvml_take.h"

#include "base/pci_address.h"
#include "base/text.h"
#include "machine/nvml_abi.h"
#include "machine/nvml_values.h"

static int64_t mib_of_bytes(int64_t bytes)
{
    return bytes > 0 ? bytes / (1024 * 1024) : -1;
}

static int links(int64_t number)
{
    return number >= 0 && number <= NVML_LINKS_MAX ? (int)number : -1;
}

/* The library wrote it, and one that has gone mad may write anything. */
static const char *gsp_firmware(const char *text)
{
    return text_equal(text, "none") ? "none" : nvml_known_version(text);
}

static bool take_mig(struct arena *arena, struct nvml_gpu *gpu, enum wire_tag tag,
                     const struct wire_value *value)
{
    if (tag == WIRE_MIG)
        return value->number >= 0 && value->number < NVML_MIGS_MAX &&
               nvml_mig_add(gpu, (int)value->number, arena);
    if (gpu->mig_count == 0)
        return false;
    struct nvml_mig *mig = &gpu->migs[gpu->mig_count - 1];
    switch (tag) {
    case WIRE_MIG_GPU_INSTANCE:
        mig->gpu_instance = nvml_clamp(value->number);
        return true;
    case WIRE_MIG_COMPUTE_INSTANCE:
        mig->compute_instance = nvml_clamp(value->number);
        return true;
    case WIRE_MIG_UUID:
        mig->uuid = nvml_known(value->text);
        return true;
    case WIRE_MIG_NAME:
        mig->name = nvml_known(value->text);
        return true;
    case WIRE_MIG_MEMORY:
        mig->memory_mib = mib_of_bytes(value->number);
        return true;
    default:
        return false;
    }
}

static bool take_state(struct arena *arena, struct nvml_gpu *gpu, enum wire_tag tag, int64_t number)
{
    switch (tag) {
    case WIRE_GPU_MIG_MODE:
        gpu->mig_mode = nvml_switch(number);
        return true;
    case WIRE_GPU_MIG_PENDING:
        gpu->mig_pending = nvml_switch(number);
        return true;
    case WIRE_GPU_MIG_COUNT:
        gpu->mig_instances = nvml_clamp(number);
        return true;
    case WIRE_GPU_COMPUTE_MODE:
        gpu->compute_mode = nvml_compute_mode(number);
        return true;
    case WIRE_GPU_PERSISTENCE:
        gpu->persistence = nvml_switch(number);
        return true;
    case WIRE_GPU_FABRIC_STATE:
        gpu->fabric_state = nvml_fabric_state(number);
        return true;
    case WIRE_GPU_FABRIC_STATUS:
        gpu->fabric_status = nvml_fabric_status(number, arena);
        return true;
    case WIRE_GPU_ECC:
        gpu->ecc_mode = number == 1 ? "Enabled" : number == 0 ? "Disabled" : NULL;
        return true;
    case WIRE_GPU_ADDRESSING:
        gpu->addressing_mode = nvml_addressing_mode(number);
        return true;
    case WIRE_GPU_VIRTUALIZATION:
        gpu->virtualization = nvml_virtualization(number);
        return true;
    case WIRE_GPU_RECOVERY:
        gpu->recovery_action = nvml_recovery_action(number, arena);
        return true;
    case WIRE_GPU_LINKS:
        gpu->nvlinks = links(number);
        return true;
    case WIRE_GPU_LINKS_ACTIVE:
        gpu->nvlinks_active = links(number);
        return true;
    default:
        return false;
    }
}

bool wire_take_gpu(struct arena *arena, struct nvml_gpu *gpu, enum wire_tag tag,
                   const struct wire_value *value)
{
    if (tag >= WIRE_MIG)
        return take_mig(arena, gpu, tag, value);
    switch (tag) {
    case WIRE_GPU_PCI:
        gpu->pci = pci_address(value->text, arena);
        return true;
    case WIRE_GPU_UUID:
        gpu->uuid = nvml_known(value->text);
        return true;
    case WIRE_GPU_NAME:
        gpu->name = nvml_known(value->text);
        return true;
    case WIRE_GPU_CC:
        if (value->number >= 100 && value->number < 10000)
            gpu->cc =
                arena_printf(arena, "%d.%d", (int)value->number / 100, (int)value->number % 100);
        return true;
    case WIRE_GPU_MEMORY:
        gpu->memory_mib = mib_of_bytes(value->number);
        return true;
    case WIRE_GPU_MINOR:
        gpu->minor = nvml_clamp(value->number);
        return true;
    case WIRE_GPU_GSP:
        gpu->gsp_firmware = gsp_firmware(value->text);
        return true;
    default:
        return take_state(arena, gpu, tag, value->number);
    }
}
