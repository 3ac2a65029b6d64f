#include "machine/nvml_child.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "machine/nvml_abi.h"
#include "machine/nvml_wire.h"

struct session {
    int fd;
    void *library;
};

/* A pointer to data may not be cast to one to a function in C, but POSIX's dlsym() needs it. */
typedef void (*nvml_function)(void);
static nvml_function find(const struct session *session, const char *name)
{
    void *symbol = dlsym(session->library, name);
    nvml_function function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* Calls `name` with `arguments` as a function of `type`; a function that this library is too old
 * to have answers like NVML itself would. */
#define CALL(session, name, type, arguments) \
    (find(session, name) ? ((type)find(session, name))arguments : NVML_CODE_FUNCTION_NOT_FOUND)

typedef int (*get_nothing)(void);
typedef int (*get_flags)(unsigned);
typedef int (*get_number)(int *);
typedef int (*get_unsigned)(unsigned *);
typedef int (*get_text)(char *, unsigned);
typedef int (*get_handle)(unsigned, nvml_device *);
typedef int (*device_text)(nvml_device, char *, unsigned);
typedef int (*device_unsigned)(nvml_device, unsigned *);
typedef int (*device_two_ints)(nvml_device, int *, int *);
typedef int (*device_two)(nvml_device, unsigned *, unsigned *);
typedef int (*device_handle)(nvml_device, unsigned, nvml_device *);
typedef int (*device_struct)(nvml_device, void *);
typedef const char *(*code_text)(int);

static void tell_text(const struct session *session, enum wire_tag tag, int gpu, const char *text,
                      size_t size)
{
    wire_put_text(session->fd, tag, gpu, text, strnlen(text, size));
}

/* What is asked next, for the sentence about a crash or a hang. */
static void tell_stage(const struct session *session, const char *stage)
{
    wire_put_text(session->fd, WIRE_STAGE, 0, stage, strlen(stage));
}

static void tell_gpu_stage(const struct session *session, const char *what, int gpu)
{
    char stage[64];
    int length = snprintf(stage, sizeof stage, "%s GPU %d", what, gpu);
    wire_put_text(session->fd, WIRE_STAGE, gpu, stage, length > 0 ? (size_t)length : 0);
}

/* --- one GPU --- */

static void ask_identity(const struct session *session, int gpu, nvml_device device)
{
    struct nvml_pci_info pci = {0};
    int code = CALL(session, "nvmlDeviceGetPciInfo_v3", device_struct, (device, &pci));
    if (code == NVML_CODE_SUCCESS) {
        tell_text(session, WIRE_GPU_PCI, gpu, pci.bus_id, sizeof pci.bus_id);
    } else if (CALL(session, "nvmlDeviceGetPciInfo_v2", device_struct, (device, &pci)) ==
               NVML_CODE_SUCCESS) {
        tell_text(session, WIRE_GPU_PCI, gpu, pci.bus_id_legacy, sizeof pci.bus_id_legacy);
    }
    char text[NVML_TEXT_SIZE] = "";
    if (CALL(session, "nvmlDeviceGetUUID", device_text, (device, text, sizeof text)) ==
        NVML_CODE_SUCCESS)
        tell_text(session, WIRE_GPU_UUID, gpu, text, sizeof text);
    memset(text, 0, sizeof text);
    if (CALL(session, "nvmlDeviceGetName", device_text, (device, text, sizeof text)) ==
        NVML_CODE_SUCCESS)
        tell_text(session, WIRE_GPU_NAME, gpu, text, sizeof text);
    int major = 0, minor = 0;
    if (CALL(session, "nvmlDeviceGetCudaComputeCapability", device_two_ints,
             (device, &major, &minor)) == NVML_CODE_SUCCESS)
        wire_put_number(session->fd, WIRE_GPU_CC, gpu, (int64_t)major * 100 + minor);
}

static void ask_memory(const struct session *session, int gpu, nvml_device device)
{
    struct nvml_memory_v2 now = {.version = NVML_STRUCT_VERSION(struct nvml_memory_v2, 2)};
    struct nvml_memory old = {0};
    if (CALL(session, "nvmlDeviceGetMemoryInfo_v2", device_struct, (device, &now)) ==
        NVML_CODE_SUCCESS)
        wire_put_number(session->fd, WIRE_GPU_MEMORY, gpu, (int64_t)now.total);
    else if (CALL(session, "nvmlDeviceGetMemoryInfo", device_struct, (device, &old)) ==
             NVML_CODE_SUCCESS)
        wire_put_number(session->fd, WIRE_GPU_MEMORY, gpu, (int64_t)old.total);
}

/* A MIG device of NVML is one compute instance; their numbers may have gaps. */
static void ask_mig(const struct session *session, int gpu, nvml_device device)
{
    unsigned mode = 0, pending = 0, most = 0;
    if (CALL(session, "nvmlDeviceGetMigMode", device_two, (device, &mode, &pending)) !=
        NVML_CODE_SUCCESS)
        return;
    wire_put_number(session->fd, WIRE_GPU_MIG_MODE, gpu, mode);
    if (mode == 0) {
        wire_put_number(session->fd, WIRE_GPU_MIG_COUNT, gpu, 0);
        return;
    }
    if (CALL(session, "nvmlDeviceGetMaxMigDeviceCount", device_unsigned, (device, &most)) !=
        NVML_CODE_SUCCESS)
        return;
    int64_t found = 0;
    for (unsigned i = 0; i < most && i < 64; i++) {
        nvml_device instance = NULL;
        if (CALL(session, "nvmlDeviceGetMigDeviceHandleByIndex", device_handle,
                 (device, i, &instance)) == NVML_CODE_SUCCESS)
            found++;
    }
    wire_put_number(session->fd, WIRE_GPU_MIG_COUNT, gpu, found);
}

static void ask_fabric(const struct session *session, int gpu, nvml_device device)
{
    struct nvml_fabric_v2 now = {.version = NVML_STRUCT_VERSION(struct nvml_fabric_v2, 2)};
    struct nvml_fabric old = {0};
    unsigned state, status;
    if (CALL(session, "nvmlDeviceGetGpuFabricInfoV", device_struct, (device, &now)) ==
        NVML_CODE_SUCCESS) {
        state = now.state;
        status = now.status;
    } else if (CALL(session, "nvmlDeviceGetGpuFabricInfo", device_struct, (device, &old)) ==
               NVML_CODE_SUCCESS) {
        state = old.state;
        status = old.status;
    } else {
        return;
    }
    wire_put_number(session->fd, WIRE_GPU_FABRIC_STATE, gpu, state);
    if (state == 3) /* the status means something only when the registration is over */
        wire_put_number(session->fd, WIRE_GPU_FABRIC_STATUS, gpu, status);
}

static void ask_modes(const struct session *session, int gpu, nvml_device device)
{
    static const struct {
        const char *name;
        enum wire_tag tag;
    } numbers[] = {
        {"nvmlDeviceGetMinorNumber", WIRE_GPU_MINOR},
        {"nvmlDeviceGetComputeMode", WIRE_GPU_COMPUTE_MODE},
        {"nvmlDeviceGetPersistenceMode", WIRE_GPU_PERSISTENCE},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned value = 0;
        if (CALL(session, numbers[i].name, device_unsigned, (device, &value)) == NVML_CODE_SUCCESS)
            wire_put_number(session->fd, numbers[i].tag, gpu, value);
    }
    unsigned current = 0, pending = 0;
    if (CALL(session, "nvmlDeviceGetEccMode", device_two, (device, &current, &pending)) ==
        NVML_CODE_SUCCESS)
        wire_put_number(session->fd, WIRE_GPU_ECC, gpu, current);
    struct nvml_addressing mode = {.version = NVML_STRUCT_VERSION(struct nvml_addressing, 1)};
    if (CALL(session, "nvmlDeviceGetAddressingMode", device_struct, (device, &mode)) ==
        NVML_CODE_SUCCESS)
        wire_put_number(session->fd, WIRE_GPU_ADDRESSING, gpu, mode.value);
}

/* The look-up of the handle is the call that fails or hangs for a GPU in a bad state. */
static void ask_gpu(const struct session *session, int gpu)
{
    nvml_device device = NULL;
    tell_gpu_stage(session, "the look-up of", gpu);
    int code = CALL(session, "nvmlDeviceGetHandleByIndex_v2", get_handle, ((unsigned)gpu, &device));
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = CALL(session, "nvmlDeviceGetHandleByIndex", get_handle, ((unsigned)gpu, &device));
    wire_put_number(session->fd, WIRE_GPU_CODE, gpu, code);
    if (code != NVML_CODE_SUCCESS)
        return;
    tell_gpu_stage(session, "the queries of", gpu);
    ask_identity(session, gpu, device);
    ask_memory(session, gpu, device);
    ask_modes(session, gpu, device);
    ask_mig(session, gpu, device);
    ask_fabric(session, gpu, device);
}

/* --- the system --- */

static bool ask_versions(const struct session *session)
{
    char text[NVML_TEXT_SIZE] = "";
    int cuda = 0;
    bool known = CALL(session, "nvmlSystemGetDriverVersion", get_text, (text, sizeof text)) ==
                 NVML_CODE_SUCCESS;
    if (known)
        tell_text(session, WIRE_DRIVER, 0, text, sizeof text);
    int code = CALL(session, "nvmlSystemGetCudaDriverVersion_v2", get_number, (&cuda));
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = CALL(session, "nvmlSystemGetCudaDriverVersion", get_number, (&cuda));
    if (code == NVML_CODE_SUCCESS)
        wire_put_number(session->fd, WIRE_CUDA, 0, cuda);
    memset(text, 0, sizeof text);
    if (CALL(session, "nvmlSystemGetNVMLVersion", get_text, (text, sizeof text)) ==
        NVML_CODE_SUCCESS)
        tell_text(session, WIRE_NVML, 0, text, sizeof text);
    return known;
}

static void tell_failure(const struct session *session, int code)
{
    wire_put_number(session->fd, WIRE_FAILED, 0, code);
    code_text text = (code_text)find(session, "nvmlErrorString");
    const char *words = text ? text(code) : NULL;
    if (words)
        tell_text(session, WIRE_MESSAGE, 0, words, 256);
}

/* Without attaching the GPUs, so that the versions are known even if one of them hangs. What was
 * started so must be ended again: NVML counts its starts, and while the first one stands, every
 * later one sees no GPU either (driver 580 on an H200). */
static bool ask_versions_early(const struct session *session)
{
    tell_stage(session, "nvmlInitWithFlags");
    if (!find(session, "nvmlShutdown") ||
        CALL(session, "nvmlInitWithFlags", get_flags, (NVML_INIT_NO_GPUS | NVML_INIT_NO_ATTACH)) !=
            NVML_CODE_SUCCESS)
        return false;
    bool versions = ask_versions(session);
    CALL(session, "nvmlShutdown", get_nothing, ());
    return versions;
}

static void ask_all(const struct session *session)
{
    bool versions = ask_versions_early(session);
    tell_stage(session, "nvmlInit_v2");
    int code = CALL(session, "nvmlInit_v2", get_nothing, ());
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = CALL(session, "nvmlInit", get_nothing, ());
    if (code != NVML_CODE_SUCCESS) {
        tell_failure(session, code);
        return;
    }
    if (!versions)
        ask_versions(session);

    unsigned count = 0;
    tell_stage(session, "nvmlDeviceGetCount_v2");
    code = CALL(session, "nvmlDeviceGetCount_v2", get_unsigned, (&count));
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = CALL(session, "nvmlDeviceGetCount", get_unsigned, (&count));
    if (code != NVML_CODE_SUCCESS) {
        tell_failure(session, code);
        return;
    }
    wire_put_number(session->fd, WIRE_COUNT, 0, count);
    for (unsigned i = 0; i < count && i < WIRE_GPUS_MAX; i++)
        ask_gpu(session, (int)i);
}

/* --- loading --- */

static void *load(const char *asked)
{
    /* Where the loader does not look by itself: WSL2 with its ld.so.conf entry switched off, the
     * driver folders of GKE and NixOS. */
    static const char *const elsewhere[] = {
        "/usr/lib/wsl/lib/libnvidia-ml.so.1",
        "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
        "/run/opengl-driver/lib/libnvidia-ml.so.1",
    };
    void *library = dlopen(asked ? asked : "libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; !asked && !library && i < sizeof elsewhere / sizeof *elsewhere; i++)
        library = dlopen(elsewhere[i], RTLD_LAZY | RTLD_LOCAL);
    return library;
}

int nvml_child_run(int fd, void *context)
{
    const char *asked = context;
    struct session session = {.fd = fd};
    tell_stage(&session, "dlopen");
    session.library = load(asked);
    if (!session.library) {
        if (!asked)
            dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL); /* its error is the one to tell */
        const char *words = dlerror();
        tell_text(&session, WIRE_NO_LIBRARY, 0, words ? words : "", WIRE_TEXT_MAX);
    } else {
        struct link_map *map = NULL;
        const char *path = asked ? asked : "libnvidia-ml.so.1";
        if (dlinfo(session.library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0])
            path = map->l_name;
        tell_text(&session, WIRE_LIBRARY, 0, path, WIRE_TEXT_MAX);
        ask_all(&session);
    }
    /* No nvmlShutdown() here: the answer is complete, and the kernel gives back what a process
     * held. */
    return wire_put_number(fd, WIRE_END, 0, 0) ? 0 : 1;
}
