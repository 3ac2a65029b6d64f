#include "machine/nvml_child.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "machine/nvml_session.h"

/* --- the system --- */

static bool ask_versions(const struct nvml_session *session)
{
    char text[NVML_TEXT_SIZE] = "";
    int cuda = 0;
    bool known = NVML_CALL(session, "nvmlSystemGetDriverVersion", get_text, (text, sizeof text)) ==
                 NVML_CODE_SUCCESS;
    if (known)
        nvml_tell_text(session, WIRE_DRIVER, 0, text, sizeof text);
    int code = NVML_CALL(session, "nvmlSystemGetCudaDriverVersion_v2", get_number, (&cuda));
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = NVML_CALL(session, "nvmlSystemGetCudaDriverVersion", get_number, (&cuda));
    if (code == NVML_CODE_SUCCESS)
        nvml_tell_number(session, WIRE_CUDA, 0, cuda);
    memset(text, 0, sizeof text);
    if (NVML_CALL(session, "nvmlSystemGetNVMLVersion", get_text, (text, sizeof text)) ==
        NVML_CODE_SUCCESS)
        nvml_tell_text(session, WIRE_NVML, 0, text, sizeof text);
    return known;
}

static void tell_failure(const struct nvml_session *session, int code)
{
    nvml_tell_number(session, WIRE_FAILED, 0, code);
    code_text text = (code_text)nvml_find(session, "nvmlErrorString");
    const char *words = text ? text(code) : NULL;
    if (words)
        nvml_tell_text(session, WIRE_MESSAGE, 0, words, 256);
}

/* Without attaching the GPUs, so that the versions are known even if one of them hangs. What was
 * started so must be ended again: NVML counts its starts, and while the first one stands, every
 * later one sees no GPU either (driver 580 on an H200). */
static bool ask_versions_early(const struct nvml_session *session)
{
    nvml_tell_stage(session, "nvmlInitWithFlags", -1);
    if (!nvml_find(session, "nvmlShutdown") ||
        NVML_CALL(session, "nvmlInitWithFlags", get_flags,
                  (NVML_INIT_NO_GPUS | NVML_INIT_NO_ATTACH)) != NVML_CODE_SUCCESS)
        return false;
    bool versions = ask_versions(session);
    NVML_CALL(session, "nvmlShutdown", get_nothing, ());
    return versions;
}

static void ask_all(const struct nvml_session *session)
{
    bool versions = ask_versions_early(session);
    nvml_tell_stage(session, "nvmlInit_v2", -1);
    int code = NVML_CALL(session, "nvmlInit_v2", get_nothing, ());
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = NVML_CALL(session, "nvmlInit", get_nothing, ());
    if (code != NVML_CODE_SUCCESS) {
        tell_failure(session, code);
        return;
    }
    if (!versions)
        ask_versions(session);

    unsigned count = 0;
    nvml_tell_stage(session, "nvmlDeviceGetCount_v2", -1);
    code = NVML_CALL(session, "nvmlDeviceGetCount_v2", get_unsigned, (&count));
    if (code == NVML_CODE_FUNCTION_NOT_FOUND)
        code = NVML_CALL(session, "nvmlDeviceGetCount", get_unsigned, (&count));
    if (code != NVML_CODE_SUCCESS) {
        tell_failure(session, code);
        return;
    }
    nvml_tell_number(session, WIRE_COUNT, 0, count);
    for (unsigned i = 0; i < count && i < WIRE_GPUS_MAX; i++)
        nvml_ask_gpu(session, (int)i);
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
    struct nvml_session session = {.fd = fd};
    nvml_tell_stage(&session, "dlopen", -1);
    session.library = load(asked);
    if (!session.library) {
        if (!asked)
            dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL); /* its error is the one to tell */
        const char *words = dlerror();
        nvml_tell_text(&session, WIRE_NO_LIBRARY, 0, words ? words : "", WIRE_TEXT_MAX);
    } else {
        struct link_map *map = NULL;
        const char *path = asked ? asked : "libnvidia-ml.so.1";
        if (dlinfo(session.library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0])
            path = map->l_name;
        nvml_tell_text(&session, WIRE_LIBRARY, 0, path, WIRE_TEXT_MAX);
        ask_all(&session);
    }
    /* No nvmlShutdown() here: the answer is complete, and the kernel gives back what a process
     * held. */
    return wire_put_number(fd, WIRE_END, 0, 0) ? 0 : 1;
}
