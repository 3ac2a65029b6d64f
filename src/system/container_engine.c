#include "system/container_engine.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "system/mount_list.h"

const char container_cgroup_path[] = "/proc/1/cgroup";

enum { TEXT_CAP = 64 * 1024, MOUNTS_CAP = 256 * 1024 };

/* The first of these that is there tells; the one on top is the most telling. */
static const struct mark {
    const char *engine;
    const char *variable; /* or */
    const char *path;
} marks[] = {
    {"kubernetes", "KUBERNETES_SERVICE_HOST", NULL},
    {"kubernetes", NULL, "/var/run/secrets/kubernetes.io"},
    {"apptainer", "APPTAINER_CONTAINER", NULL},
    {"apptainer", "SINGULARITY_CONTAINER", NULL},
    {"apptainer", NULL, "/.singularity.d"},
    {"podman", NULL, "/run/.containerenv"},
    {"docker", NULL, "/.dockerenv"},
    {"lxc", NULL, "/dev/lxd/sock"},
};

/* What systemd and the engines write into $container and /run/systemd/container. WSL calls itself
 * one there, but it is not what rules mean by a container. */
static const char *named(const char *name)
{
    static const char *const names[][2] = {
        {"docker", "docker"},
        {"podman", "podman"},
        {"lxc", "lxc"},
        {"lxc-libvirt", "lxc"},
        {"wsl", NULL},
        {"apptainer", "apptainer"},
        {"singularity", "apptainer"},
        {"systemd-nspawn", "systemd-nspawn"},
    };
    if (!name || !*name)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return "other";
}

/* Control groups of version 1 name the engine; version 2 shows "0::/" inside a container. */
static const char *of_cgroup(const struct probe_context *context, int *ret_error)
{
    static const char *const words[][2] = {
        {"kubepods", "kubernetes"}, {"docker", "docker"}, {"libpod", "podman"}, {"lxc", "lxc"}};
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read(context->machine, container_cgroup_path, TEXT_CAP, &text);
    *ret_error = code == -EACCES || code == -EPERM ? code : 0;
    if (code < 0)
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = strstr(text.data, words[i][0]);
        /* "/docker/" and "/docker-ID.scope", not "/system.slice/docker.service" of a host */
        if (at && !text_starts(at + strlen(words[i][0]), ".service"))
            return words[i][1];
    }
    return NULL;
}

/* gVisor always calls its kernel 4.4.0 and has no /sys/module. */
static bool is_gvisor(const struct probe_context *context, const char *release)
{
    return release && strcmp(release, "4.4.0") == 0 &&
           !machine_exists(context->machine, "/sys/module") &&
           !machine_exists(context->machine, "/proc/modules");
}

/* enroot (and pyxis of Slurm) hides the file by which it locks a container behind a mount of its
 * own; its variables do not reach the inside. */
static bool is_enroot(const struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    return machine_exists(context->machine, "/.lock") &&
           machine_read_head(context->machine, mount_list_path, MOUNTS_CAP, &text) == 0 &&
           strstr(text.data, " /.lock ");
}

static bool is_there(const struct probe_context *context, const struct mark *mark)
{
    if (mark->path)
        return machine_exists(context->machine, mark->path);
    const char *value = machine_getenv(context->machine, mark->variable);
    return value && *value;
}

/* Who made the container, whatever runs in it. */
static struct container_engine find_maker(const struct probe_context *context)
{
    static const char systemd_path[] = "/run/systemd/container";
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (is_there(context, &marks[i]))
            return (struct container_engine){.engine = marks[i].engine,
                                             .evidence =
                                                 marks[i].path ? marks[i].path : marks[i].variable};
    char *systemd = NULL;
    const char *found;
    machine_read_line(context->machine, systemd_path, context->arena, &systemd);
    if ((found = named(systemd)))
        return (struct container_engine){.engine = found, .evidence = systemd_path};
    if ((found = named(machine_getenv(context->machine, "container"))))
        return (struct container_engine){.engine = found, .evidence = "container"};
    int error = 0;
    if ((found = of_cgroup(context, &error)))
        return (struct container_engine){.engine = found, .evidence = container_cgroup_path};
    if (is_enroot(context))
        return (struct container_engine){.engine = "enroot", .evidence = "/.lock"};
    /* a system that systemd has booted would have been told as a container above */
    if (machine_exists(context->machine, "/run/systemd/system"))
        error = 0;
    return (struct container_engine){.error = error};
}

struct container_engine container_engine(const struct probe_context *context, const char *release)
{
    struct container_engine found = find_maker(context);
    found.maker = found.engine;
    if (!is_gvisor(context, release))
        return found;
    /* it replaces the kernel of what docker or Kubernetes started, and with it how GPUs work */
    static const char version[] = "/proc/version";
    found.evidence = found.evidence
                         ? arena_printf(context->arena, "%s and %s", version, found.evidence)
                         : version;
    found.engine = "gvisor";
    found.maker = found.maker ? found.maker : found.engine;
    return found;
}

const char *container_word(const struct container_engine *found)
{
    static const char *const words[] = {"docker", "podman", "kubernetes", "apptainer", "lxc"};
    if (!found->maker)
        return found->error ? NULL : "none";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], found->maker) == 0)
            return words[i];
    return "other";
}
