/* GPUs as the loaded kernel module and Tegra's files list them: no program asks the driver. */
#include <errno.h>

#include "base/pci_address.h"
#include "parse/proc.h"
#include "probe/look.h"

enum { TEXT_CAP = 64 * 1024, GPUS_MAX = 256 };

static void add_gpu(struct probe_context *context, const char *folder, const char *name)
{
    CLEANUP_BYTES struct bytes text = {0};
    const char *path = arena_printf(context->arena, "%s/%s/information", folder, name);
    struct gpu_information gpu;
    if (look_read(context, "gpu_proc", path, TEXT_CAP, "gpu", &text) < 0)
        return;
    if (!parse_gpu_information(text.data, text.length, context->arena, &gpu)) {
        probe_note(context, "gpu_proc", NULL, path, -EBADMSG, "gpu", NULL);
        return;
    }
    char *address = pci_address(name, context->arena);
    facts_add_gpu(context->facts, &(struct row_gpu){
                                      .source = "proc",
                                      .pci_address = address ? address : gpu.bus,
                                      .uuid = gpu.uuid,
                                      .name = gpu.model,
                                      .device_minor = gpu.minor,
                                      .excluded = gpu.excluded,
                                      .gsp_firmware = gpu.gsp_firmware,
                                  });
}

static void read_proc(struct probe_context *context)
{
    static const char folder[] = "/proc/driver/nvidia/gpus";
    struct dir_list list = {0};
    int code = machine_list(context->machine, folder, GPUS_MAX, context->arena, &list);
    probe_note(context, "gpu_proc", NULL, folder, code == 0 && list.cut ? -EFBIG : code, "gpu",
               code == 0 && list.cut ? "it has more GPUs than are read" : NULL);
    for (size_t i = 0; code == 0 && i < list.count; i++)
        add_gpu(context, folder, list.names[i]);
}

/* The chip's number by the device tree; by the release where only one chip runs it: R36 is
 * JetPack 6 (Orin), R38 JetPack 7.0 (Thor). */
static int tegra_chip(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes tree = {0}, release = {0};
    if (machine_read(context->machine, "/proc/device-tree/compatible", TEXT_CAP, &tree) == 0) {
        int chip = parse_tegra_compatible(tree.data, tree.length);
        if (chip > 0)
            return chip;
    }
    static const char path[] = "/etc/nv_tegra_release";
    if (look_read(context, "gpu_proc", path, TEXT_CAP, "gpu", &release) < 0)
        return 0;
    probe_note(context, "gpu_proc", NULL, path, 0, "gpu", NULL);
    switch (parse_tegra_release(release.data, release.length)) {
    case 36:
        return 234;
    case 38:
        return 264;
    default:
        return 0;
    }
}

static void read_tegra(struct probe_context *context)
{
    int chip = tegra_chip(context);
    char *model =
        look_tree_model(context, "gpu_proc", NULL); /* "NVIDIA Jetson AGX Orin Developer Kit" */
    facts_add_gpu(context->facts, &(struct row_gpu){
                                      .source = "tegra",
                                      .name = model ? model : tegra_name(chip),
                                      .cc = tegra_cc(chip),
                                  });
}

static int run(struct probe_context *context)
{
    read_proc(context);
    /* an image for Jetson is no Jetson */
    if (machine_kind(context->machine) != MACHINE_IMAGE &&
        ask(context, "SELECT 1 FROM host WHERE tegra = 1"))
        read_tegra(context);
    return 0;
}

const struct probe probe_gpu_proc = {
    .name = "gpu_proc",
    .phase = PHASE_PASSIVE,
    .reads = "host",
    .writes = "gpu",
    .run = run,
};
