/* Settings of container engines that concern GPUs. Registries, proxies and everything that may hold
 * a password stand in the same files and are not among them. */
#include "system/container_setting.h"

/* Names of the plugin differ by version of the file: "cri", "io.containerd.grpc.v1.cri",
 * "io.containerd.cri.v1.runtime". */
const struct toml_key containerd_keys[] = {
    {".containerd.default_runtime_name", NULL, "default-runtime", false},
    {".enable_cdi", NULL, "cdi", false},
    {".cdi_spec_dirs", NULL, "cdi-spec-dirs", false},
    {".containerd.runtimes.", ".options.BinaryName", "runtime", true},
    {".containerd.runtimes.", ".options.Runtime", "runtime", true},
    {".containerd.runtimes.", ".options.SystemdCgroup", "systemd-cgroup", true},
    {0},
};

const struct toml_key crio_keys[] = {
    {"crio.runtime.default_runtime", NULL, "default-runtime", false},
    {"crio.runtime.cdi_spec_dirs", NULL, "cdi-spec-dirs", false},
    {"crio.runtime.hooks_dir", NULL, "hooks-dir", false},
    {"crio.runtime.cgroup_manager", NULL, "cgroup-driver", false},
    {"crio.runtime.runtimes.", ".runtime_path", "runtime", true},
    {0},
};

const struct toml_key podman_keys[] = {
    {"engine.runtime", NULL, "default-runtime", false},
    {"engine.cdi_spec_dirs", NULL, "cdi-spec-dirs", false},
    {"engine.hooks_dir", NULL, "hooks-dir", false},
    {"engine.runtimes.", "", "runtime", true},
    {"containers.devices", NULL, "devices", false},
    {"containers.shm_size", NULL, "default-shm-size", false},
    {0},
};

/* /etc/nvidia-container-runtime/config.toml of the NVIDIA Container Toolkit */
const struct toml_key toolkit_keys[] = {
    {"accept-nvidia-visible-devices-as-volume-mounts", NULL,
     "accept-nvidia-visible-devices-as-volume-mounts", false},
    {"accept-nvidia-visible-devices-envvar-when-unprivileged", NULL,
     "accept-nvidia-visible-devices-envvar-when-unprivileged", false},
    {"disable-require", NULL, "disable-require", false},
    {"supported-driver-capabilities", NULL, "supported-driver-capabilities", false},
    {"nvidia-container-cli.no-cgroups", NULL, "no-cgroups", false},
    {"nvidia-container-cli.ldconfig", NULL, "ldconfig", false},
    {"nvidia-container-cli.root", NULL, "root", false},
    {"nvidia-container-cli.load-kmods", NULL, "load-kmods", false},
    {"nvidia-container-runtime.mode", NULL, "mode", false},
    {"nvidia-container-runtime.runtimes", NULL, "runtimes", false},
    {"nvidia-container-runtime.modes.cdi.default-kind", NULL, "cdi.default-kind", false},
    {"nvidia-container-runtime.modes.cdi.spec-dirs", NULL, "cdi-spec-dirs", false},
    {"nvidia-container-runtime-hook.skip-mode-detection", NULL, "skip-mode-detection", false},
    {0},
};
