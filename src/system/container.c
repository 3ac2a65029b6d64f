/* The container that this runs in, or the image that is looked at. */
#include <errno.h>
#include <string.h>

#include "base/span.h"
#include "parse/proc.h"
#include "probe/look.h"
#include "system/container_base.h"
#include "system/container_engine.h"
#include "system/container_setting.h"
#include "system/mount_list.h"

enum { TEXT_CAP = 64 * 1024 };
static const char table[] = "container";

/* What is mapped to the host's root decides: without it nobody here has its rights. */
static struct opt rootless_by_map(const struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    size_t cursor = 0;
    struct span line, word[3];
    uint64_t outside;
    if (machine_read(context->machine, "/proc/self/uid_map", TEXT_CAP, &text) < 0)
        return UNKNOWN;
    struct opt found = UNKNOWN;
    while (span_line(text.data, text.length, &cursor, &line)) {
        if (!span_word(&line, &word[0]) || !span_word(&line, &word[1]) ||
            !span_number(word[1], UINT32_MAX, &outside))
            return UNKNOWN;
        if (outside == 0)
            return known(0);
        found = known(1);
    }
    return found;
}

static struct opt is_rootless(const struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    size_t cursor = 0;
    struct span line;
    if (machine_read(context->machine, "/run/.containerenv", TEXT_CAP, &text) == 0)
        while (span_line(text.data, text.length, &cursor, &line))
            if (span_cut_prefix(&line, "rootless="))
                return known(span_equal(line, "1"));
    return rootless_by_map(context);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* An engine drops capabilities from the bounding set unless it is told --privileged. */
static struct opt is_privileged(const struct probe_context *context, const char *engine)
{
    static const char *const droppers[] = {"docker", "podman", "kubernetes"};
    CLEANUP_BYTES struct bytes text = {0};
    char *last = NULL;
    uint64_t last_number, bounding = 0;
    bool drops = false;
    for (size_t i = 0; i < sizeof droppers / sizeof droppers[0]; i++)
        drops = drops || text_equal(engine, droppers[i]);
    if (!drops ||
        machine_read_line(context->machine, "/proc/sys/kernel/cap_last_cap", context->arena,
                          &last) < 0 ||
        !span_number((struct span){last, strlen(last)}, 62, &last_number) ||
        machine_read(context->machine, "/proc/self/status", TEXT_CAP, &text) < 0)
        return UNKNOWN;
    const char *at = strstr(text.data, "\nCapBnd:\t");
    if (!at)
        return UNKNOWN;
    for (at += 9; hex_digit(*at) >= 0; at++)
        bounding = bounding << 4 | (uint64_t)hex_digit(*at);
    uint64_t all = (UINT64_C(1) << (last_number + 1)) - 1;
    return known((bounding & all) == all);
}

/* What the toolkit takes for a container that asks for GPUs and does not say what for. */
static const char *capabilities(const struct probe_context *context, const char *requested)
{
    const char *value = machine_getenv(context->machine, "NVIDIA_DRIVER_CAPABILITIES");
    if (value && *value)
        return value;
    bool asks = requested && *requested && strcmp(requested, "void") != 0;
    return asks ? "compute,utility" : NULL;
}

static struct opt count_nodes(const struct probe_context *context)
{
    struct machine_devices devices;
    if (machine_devices(context->machine, context->arena, &devices) < 0)
        return UNKNOWN;
    int64_t count = 0;
    for (size_t i = 0; i < devices.count; i++) {
        const char *path = devices.items[i].path;
        count += text_starts(path, "/dev/nvidia") && path[11] >= '0' && path[11] <= '9';
    }
    return known(count);
}

static struct opt has_nv(const struct probe_context *context, const char *engine)
{
    struct dir_list list;
    if (!text_equal(engine, "apptainer"))
        return UNKNOWN;
    int code = machine_list(context->machine, "/.singularity.d/libs", 512, context->arena, &list);
    if (code < 0)
        return code == -ENOENT ? known(0) : UNKNOWN;
    for (size_t i = 0; i < list.count; i++)
        if (text_starts(list.names[i], "libcuda.so") ||
            text_starts(list.names[i], "libnvidia-ml.so"))
            return known(1);
    return known(0);
}

/* Counts the driver's files among the mounts and takes a version from their names; where they are
 * mounted under another name (Apptainer), from the name on the host. */
static void count_mounts(struct probe_context *context, struct row_container *row)
{
    struct mount_list list;
    int code = mount_list_read(context, &list);
    if (code < 0) {
        if (code != -ENOENT) /* the probe of mounts tells of that */
            probe_note(context, "container", NULL, mount_list_path, code, table, NULL);
        return;
    }
    int64_t count = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!mount_is_driver_file(&list.items[i]))
            continue;
        count++;
        if (!row->mounted_driver)
            row->mounted_driver = driver_version_in(list.items[i].path);
        if (!row->mounted_driver)
            row->mounted_driver = driver_version_in(list.items[i].root);
    }
    if (!list.cut || count)
        row->driver_mounts = known(count);
}

static void add_container(struct probe_context *context, const struct container_engine *engine)
{
    const char *requested = machine_getenv(context->machine, "NVIDIA_VISIBLE_DEVICES");
    struct container_base base = container_base(context);
    struct row_container row = {
        .engine = engine->engine,
        .evidence = engine->evidence,
        .rootless = is_rootless(context),
        .privileged = is_privileged(context, engine->engine),
        .requested = requested,
        .capabilities = capabilities(context, requested),
        .nvidia_nodes = count_nodes(context),
        .apptainer_nv = has_nv(context, engine->engine),
        .base_image = base.name,
        .base_cuda = base.cuda,
    };
    count_mounts(context, &row);
    facts_add_container(context->facts, &row);
    probe_note_status(context, "container", NULL, engine->evidence, "ok", table, NULL);
}

static void add_image(struct probe_context *context)
{
    struct container_base base = container_base(context);
    facts_add_container(context->facts, &(struct row_container){
                                            .engine = "image",
                                            .base_image = base.name,
                                            .base_cuda = base.cuda,
                                        });
}

static int run(struct probe_context *context)
{
    if (machine_kind(context->machine) == MACHINE_IMAGE) {
        add_image(context);
    } else {
        struct container_engine engine =
            container_engine(context, ask_text(context, "SELECT kernel FROM host"));
        if (engine.engine)
            add_container(context, &engine);
        if (engine.error)
            probe_note(context, "container", NULL, container_cgroup_path, engine.error, "container",
                       NULL);
    }
    container_settings(context);
    return 0;
}

const struct probe probe_container = {
    .name = "container",
    .phase = PHASE_PASSIVE,
    .reads = "host",
    .writes = "container container_setting",
    .run = run,
};
