#include "machine/nvml_values.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

void nvml_gpu_unknown(struct nvml_gpu *gpu, int index)
{
    *gpu = (struct nvml_gpu){
        .index = index,
        .memory_mib = -1,
        .minor = -1,
        .mig_mode = -1,
        .mig_pending = -1,
        .mig_instances = -1,
        .persistence = -1,
        .nvlinks = -1,
        .nvlinks_active = -1,
    };
}

struct nvml_mig *nvml_mig_add(struct nvml_gpu *gpu, int index, struct arena *arena)
{
    if (gpu->mig_count == NVML_MIGS_MAX)
        return NULL;
    if (!gpu->migs)
        gpu->migs = arena_alloc(arena, NVML_MIGS_MAX * sizeof *gpu->migs);
    struct nvml_mig *mig = &gpu->migs[gpu->mig_count++];
    *mig = (struct nvml_mig){
        .index = index, .gpu_instance = -1, .compute_instance = -1, .memory_mib = -1};
    return mig;
}

const char *nvml_known(const char *text)
{
    /* nvidia-smi's words, also seen in brackets, which depends on the driver's age. */
    static const char *const unknown[] = {
        "",
        "N/A",
        "ERR!",
        "Not Found",
        "Not Supported",
        "Not Available",
        "No Data",
        "Unknown",
        "Unknown Error",
        "GPU is lost",
        "GPU requires reset",
        "Insufficient Permissions",
        "Function Not Found",
        "Requested functionality has been deprecated",
    };
    const char *start = text;
    size_t length = strlen(text);
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        start++;
        length -= 2;
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (strlen(unknown[i]) == length && strncasecmp(unknown[i], start, length) == 0)
            return NULL;
    return text;
}

const char *nvml_known_version(const char *text)
{
    bool digit = text[0] >= '0' && text[0] <= '9';
    size_t length = strlen(text);
    return digit && length <= 32 && strspn(text, "0123456789.") == length ? text : NULL;
}

int nvml_switch(int64_t number)
{
    return number == 0 || number == 1 ? (int)number : -1;
}

int nvml_clamp(int64_t number)
{
    return number >= 0 && number <= INT_MAX ? (int)number : -1;
}

const char *nvml_compute_mode(int64_t number)
{
    static const char *const names[] = {"Default", "Exclusive_Thread", "Prohibited",
                                        "Exclusive_Process"};
    return number >= 0 && number < 4 ? names[number] : NULL;
}

const char *nvml_fabric_state(int64_t number)
{
    static const char *const names[] = {NULL, "Not Started", "In Progress", "Completed"};
    return number >= 0 && number < 4 ? names[number] : NULL;
}

const char *nvml_addressing_mode(int64_t number)
{
    static const char *const names[] = {"None", "HMM", "ATS"};
    return number >= 0 && number < 3 ? names[number] : NULL;
}

const char *nvml_fabric_status(int64_t code, struct arena *arena)
{
    const char *text = nvml_code_text(nvml_clamp(code));
    return text ? text : arena_printf(arena, "code %lld", (long long)code);
}

/* nvmlGpuVirtualizationMode_t, ours and nvidia-smi's words for it. */
static const struct {
    const char *name, *words;
} virtualizations[] = {
    {"none", "None"},           {"passthrough", "Pass-Through"}, {"vgpu", "VGPU"},
    {"host-vgpu", "Host VGPU"}, {"host-vsga", "Host VSGA"},
};
enum { VIRTUALIZATIONS = sizeof virtualizations / sizeof *virtualizations };

const char *nvml_virtualization(int64_t number)
{
    return number >= 0 && number < VIRTUALIZATIONS ? virtualizations[number].name : NULL;
}

const char *nvml_virtualization_of_words(const char *words)
{
    for (size_t i = 0; i < VIRTUALIZATIONS; i++)
        if (strcasecmp(virtualizations[i].words, words) == 0)
            return virtualizations[i].name;
    return NULL;
}

const char *nvml_recovery_action(int64_t number, struct arena *arena)
{
    static const char *const names[] = {"None", "Reset", "Reboot", "Drain P2P", "Drain and Reset"};
    if (number < 0 || number > INT_MAX)
        return NULL;
    return number < (int64_t)(sizeof names / sizeof *names)
               ? names[number]
               : arena_printf(arena, "code %lld", (long long)number);
}
