/* Names have moved between driver generations, so a field is looked up by every path it is known to
 * have had. Paths are those of reports of drivers 319 to 610. Serial numbers, board and platform
 * ids, and processes are not among them. */
#include "machine/smi_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pci_address.h"
#include "base/text.h"
#include "machine/nvml_values.h"

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
    GPU_MIG_PENDING,
    GPU_MIG_DEVICES,
    GPU_COMPUTE_MODE,
    GPU_PERSISTENCE,
    GPU_FABRIC_STATE,
    GPU_FABRIC_STATUS,
    GPU_ECC,
    GPU_ADDRESSING,
    GPU_VIRTUALIZATION,
    GPU_RECOVERY,
    GPU_RESET_REQUIRED,
    GPU_DRAIN_AND_RESET,
    GPU_GSP,
    MIG_INDEX,
    MIG_GPU_INSTANCE,
    MIG_COMPUTE_INSTANCE,
    MIG_UUID,
    MIG_NAME,
    MIG_MEMORY,
};

static const struct {
    const char *path;
    enum field field;
    int rank; /* of versions: the highest that a report has wins, of equal ones the first */
} fields[] = {
    {"driver_version", DRIVER_VERSION, 1},
    /* Drivers of the 610 branch tell the kernel's and the user's part apart. */
    {"kmd_version", DRIVER_VERSION, 2},
    {"kernel_mode_driver_version", DRIVER_VERSION, 2},
    {"cuda_version", CUDA_VERSION, 1},
    {"cuda_umd_version", CUDA_VERSION, 2},
    {"cuda_user_mode_driver_version", CUDA_VERSION, 2},
    {"nvml_version", NVML_VERSION, 0},
    {"gpu/pci/pci_bus_id", GPU_PCI, 0},
    {"gpu/uuid", GPU_UUID, 0},
    {"gpu/product_name", GPU_NAME, 0},
    {"gpu/fb_memory_usage/total", GPU_MEMORY, 0},
    {"gpu/memory_usage/total", GPU_MEMORY, 0}, /* drivers before 331 */
    {"gpu/minor_number", GPU_MINOR, 0},
    {"gpu/mig_mode/current_mig", GPU_MIG_MODE, 0},
    {"gpu/mig_mode/pending_mig", GPU_MIG_PENDING, 0},
    {"gpu/mig_devices", GPU_MIG_DEVICES, 0},
    {"gpu/compute_mode", GPU_COMPUTE_MODE, 0},
    {"gpu/persistence_mode", GPU_PERSISTENCE, 0},
    {"gpu/fabric/state", GPU_FABRIC_STATE, 0},
    {"gpu/fabric/status", GPU_FABRIC_STATUS, 0},
    {"gpu/ecc_mode/current_ecc", GPU_ECC, 0},
    {"gpu/addressing_mode", GPU_ADDRESSING, 0},
    {"gpu/gpu_virtualization_mode/virtualization_mode", GPU_VIRTUALIZATION, 0},
    {"gpu/gpu_recovery_action", GPU_RECOVERY, 0}, /* drivers from 570 on; before: */
    {"gpu/gpu_reset_status/reset_required", GPU_RESET_REQUIRED, 0},
    {"gpu/gpu_reset_status/drain_and_reset_recommended", GPU_DRAIN_AND_RESET, 0},
    {"gpu/gsp_firmware_version", GPU_GSP, 0},
    {"gpu/mig_devices/mig_device/index", MIG_INDEX, 0},
    {"gpu/mig_devices/mig_device/gpu_instance_id", MIG_GPU_INSTANCE, 0},
    {"gpu/mig_devices/mig_device/compute_instance_id", MIG_COMPUTE_INSTANCE, 0},
    {"gpu/mig_devices/mig_device/uuid", MIG_UUID, 0}, /* in few drivers, as is the name */
    {"gpu/mig_devices/mig_device/name", MIG_NAME, 0},
    {"gpu/mig_devices/mig_device/entity_name", MIG_NAME, 0},
    {"gpu/mig_devices/mig_device/fb_memory_usage/total", MIG_MEMORY, 0},
};

/* --- values --- */

const char *smi_keep(struct arena *arena, const char *text)
{
    struct text safe = {0};
    text_add_safe(&safe, text, strlen(text), false);
    const char *copy = arena_strdup(arena, text_get(&safe));
    text_done(&safe);
    return copy;
}

static const char *keep_known(struct arena *arena, const char *text)
{
    return nvml_known(text) ? smi_keep(arena, text) : NULL;
}

/* Decimal digits up to what may follow a number. */
static int64_t digits(const char *text, const char **ret_end)
{
    char *end;
    errno = 0;
    if (text[0] < '0' || text[0] > '9')
        return -1;
    long long number = strtoll(text, &end, 10);
    *ret_end = end;
    return errno == 0 ? number : -1;
}

int64_t smi_number(const char *text)
{
    const char *end = "";
    int64_t number = digits(text, &end);
    return *end == '\0' || *end == ' ' ? number : -1;
}

/* Drivers before 331 wrote MB and meant the same. */
int64_t smi_memory(const char *text)
{
    const char *unit = "";
    int64_t number = digits(text, &unit);
    unit += *unit == ' ';
    return number > 0 && (strcmp(unit, "MiB") == 0 || strcmp(unit, "MB") == 0) ? number : -1;
}

int smi_switch(const char *text)
{
    if (strcmp(text, "Enabled") == 0)
        return 1;
    return strcmp(text, "Disabled") == 0 ? 0 : -1;
}

void smi_note_failure(struct nvml_gpu *gpu, const char *text, bool identity)
{
    if (nvml_known(text) || gpu->code != 0)
        return;
    int code = nvml_code_in_text(text);
    if (code == 15 || code == 16 || (code == 999 && identity))
        gpu->code = code;
}

/* --- fields --- */

static void take_mig(struct arena *arena, struct nvml_gpu *gpu, enum field field, const char *text)
{
    struct nvml_mig *mig = &gpu->migs[gpu->mig_count - 1];
    switch (field) {
    case MIG_INDEX:
        mig->index = nvml_clamp(smi_number(text));
        break;
    case MIG_GPU_INSTANCE:
        mig->gpu_instance = nvml_clamp(smi_number(text));
        break;
    case MIG_COMPUTE_INSTANCE:
        mig->compute_instance = nvml_clamp(smi_number(text));
        break;
    case MIG_UUID:
        mig->uuid = keep_known(arena, text);
        break;
    case MIG_NAME:
        mig->name = keep_known(arena, text);
        break;
    case MIG_MEMORY:
        mig->memory_mib = smi_memory(text);
        break;
    default:
        break;
    }
}

/* What drivers before 570 say instead of an action. "No" is not yet "None": a reboot may be needed
 * all the same. */
static void take_reset(struct nvml_gpu *gpu, const char *text, const char *action)
{
    if (!gpu->recovery_action && strcmp(text, "Yes") == 0)
        gpu->recovery_action = action;
}

static void take_state(struct arena *arena, struct nvml_gpu *gpu, enum field field,
                       const char *text)
{
    switch (field) {
    case GPU_COMPUTE_MODE:
        gpu->compute_mode = keep_known(arena, text);
        break;
    case GPU_PERSISTENCE:
        gpu->persistence = smi_switch(text);
        break;
    case GPU_FABRIC_STATE:
        gpu->fabric_state = keep_known(arena, text);
        break;
    case GPU_FABRIC_STATUS:
        gpu->fabric_status = keep_known(arena, text);
        break;
    case GPU_ECC:
        gpu->ecc_mode = keep_known(arena, text);
        break;
    case GPU_ADDRESSING:
        gpu->addressing_mode = keep_known(arena, text);
        break;
    case GPU_VIRTUALIZATION:
        gpu->virtualization = nvml_virtualization_of_words(text);
        break;
    case GPU_RECOVERY:
        if (nvml_known(text))
            gpu->recovery_action = smi_keep(arena, text);
        break;
    case GPU_RESET_REQUIRED:
        take_reset(gpu, text, "Reset");
        break;
    case GPU_DRAIN_AND_RESET:
        take_reset(gpu, text, "Drain and Reset");
        break;
    case GPU_GSP:
        if (nvml_known_version(text))
            gpu->gsp_firmware = smi_keep(arena, text);
        break;
    default:
        if (gpu->mig_count > 0)
            take_mig(arena, gpu, field, text);
        break;
    }
}

static void take_gpu(struct arena *arena, struct nvml_gpu *gpu, enum field field, const char *text)
{
    smi_note_failure(gpu, text, field == GPU_UUID || field == GPU_NAME);
    switch (field) {
    case GPU_PCI:
        if (!gpu->pci)
            gpu->pci = pci_address(text, arena);
        break;
    case GPU_UUID:
        gpu->uuid = keep_known(arena, text);
        break;
    case GPU_NAME:
        gpu->name = keep_known(arena, text);
        break;
    case GPU_MEMORY:
        gpu->memory_mib = smi_memory(text);
        break;
    case GPU_MINOR:
        gpu->minor = nvml_clamp(smi_number(text));
        break;
    case GPU_MIG_MODE:
        gpu->mig_mode = smi_switch(text);
        break;
    case GPU_MIG_PENDING:
        gpu->mig_pending = smi_switch(text);
        break;
    case GPU_MIG_DEVICES:
        gpu->mig_instances = (int)gpu->mig_count;
        break;
    default:
        take_state(arena, gpu, field, text);
        break;
    }
}

static void take_version(struct arena *arena, const char **slot, int *slot_rank, int rank,
                         const char *text)
{
    if (rank <= *slot_rank || !nvml_known_version(text))
        return;
    *slot = smi_keep(arena, text);
    *slot_rank = rank;
}

static void take(struct smi_fields *reader, enum field field, int rank, const char *text)
{
    struct nvml_report *report = reader->report;
    int nvml_rank = report->nvml_version != NULL;
    switch (field) {
    case DRIVER_VERSION:
        take_version(reader->arena, &report->driver_version, &reader->driver_rank, rank, text);
        break;
    case CUDA_VERSION:
        take_version(reader->arena, &report->cuda_version, &reader->cuda_rank, rank, text);
        break;
    case NVML_VERSION:
        take_version(reader->arena, &report->nvml_version, &nvml_rank, 1, text);
        break;
    default:
        if (report->gpu_count > 0)
            take_gpu(reader->arena, &report->gpus[report->gpu_count - 1], field, text);
        break;
    }
}

void smi_take(struct smi_fields *reader, const char *path, const char *text)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].path, path) == 0)
            take(reader, fields[i].field, fields[i].rank, text);
}
