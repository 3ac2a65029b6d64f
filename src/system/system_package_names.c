/* Which packages are of the GPU stack, by their names in Ubuntu, Debian, Fedora (RPM Fusion,
 * Negativo), Red Hat's family, SUSE, Arch, Alpine and NVIDIA's own repositories. */
#include <string.h>

#include "system/system_package.h"

struct name_rule {
    const char *name;
    bool exact; /* else what the name begins with */
    const char *kind;
};

/* In the order of their first four bytes, by which they are found; among those that share them the
 * first that fits decides, so what is special stands before what is general. */
static const struct name_rule rules[] = {
    {"akmod-nvidia", false, "module"},
    {"akmods", true, "dkms"},
    {"cuda-drivers-fabricmanager", false, "fabric"},
    {"cuda-drivers", false, "driver"},
    {"cuda-compat", false, "compat"},
    {"cuda-keyring", false, "repository"},
    {"cuda-repo-", false, "repository"},
    {"cuda-", false, "cuda"},
    {"cuda", true, "cuda"},
    {"cudnn-local-repo", false, "repository"},
    {"cudnn", false, "cudnn"},
    {"datacenter-gpu-manager", false, "monitor"},
    {"dkms-nvidia", false, "module"},
    {"dkms", true, "dkms"},
    {"firmware-nvidia-gsp", false, "driver"},
    {"gds-tools", false, "cuda"},
    {"kernel-devel", false, "headers"},
    {"kernel-core-devel", false, "headers"},
    {"kernel-default-devel", false, "headers"},
    {"kernel-azure-devel", false, "headers"},
    {"kernel-uek-devel", false, "headers"},
    {"kmod-nvidia", false, "module"},
    {"lib32-nvidia-", false, "driver"},
    {"lib32-opencl-nvidia", false, "driver"},
    {"libcudnn", false, "cudnn"},
    {"libcublas", false, "cuda"},
    {"libcudart", false, "cuda"},
    {"libcudss", false, "cuda"},
    {"libcufft", false, "cuda"},
    {"libcufile", false, "cuda"},
    {"libcupti", false, "cuda"},
    {"libcurand", false, "cuda"},
    {"libcusolver", false, "cuda"},
    {"libcusparse", false, "cuda"},
    {"libcutensor", false, "cuda"},
    {"libcuda1", false, "driver"},
    {"libcudadebugger1", false, "driver"},
    {"libegl-nvidia", false, "driver"},
    {"libgl1-nvidia", false, "driver"},
    {"libglx-nvidia", false, "driver"},
    {"libgles-nvidia", false, "driver"},
    {"libnvidia-container", false, "container"},
    {"libnvidia-nscq", false, "fabric"},
    {"libnvsdm", false, "fabric"},
    {"libnccl", false, "nccl"},
    {"libnvinfer", false, "tensorrt"},
    {"libnvonnxparsers", false, "tensorrt"},
    {"libnvparsers", false, "tensorrt"},
    {"libnvidia-ml-dev", true, "cuda"},
    {"libnpp", false, "cuda"},
    {"libnvfatbin", false, "cuda"},
    {"libnvjitlink", false, "cuda"},
    {"libnvjpeg", false, "cuda"},
    {"libnvptxcompiler", false, "cuda"},
    {"libnvrtc", false, "cuda"},
    {"libnvvm", false, "cuda"},
    {"libnvidia-egl-", false, "tool"},
    {"libnvidia-", false, "driver"},
    {"libnvcuvid1", false, "driver"},
    {"libnvoptix1", false, "driver"},
    {"linux-modules-nvidia-fs", false, "cuda"},
    {"linux-modules-nvidia-", false, "module"},
    {"linux-objects-nvidia-", false, "module"},
    {"linux-signatures-nvidia-", false, "module"},
    {"linux-headers-", false, "headers"},
    {"linux-headers", true, "headers"},
    {"linux-lts-headers", true, "headers"},
    {"linux-zen-headers", true, "headers"},
    {"linux-hardened-headers", true, "headers"},
    {"nccl-local-repo", false, "repository"},
    {"nccl", false, "nccl"},
    {"nv-tensorrt-", false, "repository"},
    {"nvidia-container-", false, "container"},
    {"nvidia-docker", false, "container"},
    {"nvidia-fabricmanager", false, "fabric"},
    {"nvidia-fabric-manager", false, "fabric"},
    {"nvidia-imex", false, "fabric"},
    {"nvidia-jetpack", false, "jetson"},
    {"nvidia-l4t-", false, "jetson"},
    {"nvidia-cudnn", false, "cudnn"},
    {"nvidia-driver-local-repo", false, "repository"},
    {"nvidia-driver-pinning", false, "repository"},
    {"nvidia-cuda-mps", true, "driver"},
    {"nvidia-cuda-", false, "cuda"},
    {"nvidia-gds", false, "cuda"},
    {"nvidia-fs", false, "cuda"},
    {"nvidia-profiler", true, "cuda"},
    {"nvidia-visual-profiler", true, "cuda"},
    {"nvidia-dkms", false, "module"},
    {"nvidia-kernel-dkms", true, "module"},
    {"nvidia-kernel-open-dkms", true, "module"},
    {"nvidia-open-kernel-dkms", true, "module"},
    {"nvidia-open-dkms", true, "module"},
    {"nvidia-open-driver-", false, "module"},
    {"nvidia-driver-G06-kmp", false, "module"},
    {"nvidia-driver-G07-kmp", false, "module"},
    {"nvidia-gfxG05-kmp", false, "module"},
    {"nvidia-gfxG04-kmp", false, "module"},
    {"nvidia-lts", true, "module"},
    {"nvidia-open-lts", true, "module"},
    {"nvidia", true, "module"},
    {"nvidia-detect", true, "tool"},
    {"nvidia-support", true, "tool"},
    {"nvidia-legacy-check", false, "tool"},
    {"nvidia-installer-cleanup", true, "tool"},
    {"nvidia-kernel-common", true, "tool"},
    {"nvidia-prime", false, "tool"},
    {"nvidia-settings", false, "tool"},
    {"nvidia-xconfig", false, "tool"},
    {"nvidia-modprobe", false, "tool"},
    {"nvidia-persistenced", false, "tool"},
    {"nvidia-egl-", false, "tool"},
    {"nvidia-vaapi", false, "tool"},
    {"nvidia-texture-tools", false, "tool"},
    {"nvidia-", false, "driver"},
    {"nvlink5", false, "fabric"},
    {"nvlsm", false, "fabric"},
    {"opencl-nvidia", false, "driver"},
    {"python3-libnvinfer", false, "tensorrt"},
    {"tensorrt", false, "tensorrt"},
    {"x11-video-nvidia", false, "driver"},
    {"xf86-video-nouveau", false, "nouveau"},
    {"xorg-x11-drv-nouveau", false, "nouveau"},
    {"xorg-x11-drv-nvidia", false, "driver"},
    {"xserver-xorg-video-nouveau", false, "nouveau"},
    {"xserver-xorg-video-nvidia", false, "driver"},
};
enum { RULE_COUNT = sizeof rules / sizeof rules[0], KEY = 4, NAME_LENGTH_MAX = 200 };

/* The first rule that begins with the four bytes, or the one behind where it would stand. */
static size_t first_rule(const char *key)
{
    size_t low = 0, high = RULE_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memcmp(rules[middle].name, key, KEY) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *gpu_package_kind(struct span name)
{
    if (name.length < KEY || name.length > NAME_LENGTH_MAX)
        return NULL;
    for (size_t i = first_rule(name.data); i < RULE_COUNT; i++) {
        const struct name_rule *rule = &rules[i];
        size_t length = strlen(rule->name);
        if (memcmp(rule->name, name.data, KEY) != 0)
            return NULL;
        bool fits = rule->exact ? name.length == length : name.length >= length;
        if (fits && memcmp(name.data, rule->name, length) == 0)
            return rule->kind;
    }
    return NULL;
}
