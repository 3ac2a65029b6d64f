/* Products that are hardware and software together. */
#include <errno.h>
#include <string.h>

#include "parse/proc.h"
#include "parse/release_files.h"
#include "probe/look.h"

enum { TEXT_CAP = 64 * 1024 };
static const char table[] = "platform";
static const char tegra_release[] = "/etc/nv_tegra_release", dgx_release[] = "/etc/dgx-release",
                  dmi_product[] = "/sys/class/dmi/id/product_name";

static void add(struct probe_context *context, const struct row_platform *row)
{
    facts_add_platform(context->facts, row);
}

static const char *tegra_chip(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    static const char path[] = "/proc/device-tree/compatible";
    int code = machine_read(context->machine, path, TEXT_CAP, &text);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "platform", NULL, path, code, table, NULL);
    if (code < 0)
        return NULL;
    int chip = parse_tegra_compatible(text.data, text.length);
    return chip > 0 ? arena_printf(context->arena, "tegra%d", chip) : NULL;
}

static void find_tegra(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    if (!ask(context, "SELECT 1 FROM host WHERE tegra = 1"))
        return;
    int code = machine_read(context->machine, tegra_release, TEXT_CAP, &text);
    char *release = code == 0 ? parse_l4t_release(text.data, text.length, context->arena) : NULL;
    if (code == 0 && !release)
        code = -EBADMSG;
    probe_note(context, "platform", NULL, tegra_release, code, table, NULL);
    const char *name = look_tree_model(context, "platform", table);
    add(context, &(struct row_platform){
                     .kind = name && strstr(name, "IGX") ? "igx" : "jetson",
                     .name = name,
                     .release = release,
                     .chip = tegra_chip(context),
                     .path = release ? tegra_release
                             : name  ? "/proc/device-tree/model"
                                     : NULL,
                 });
}

/* The Grace Blackwell chip of DGX Spark and of its makers' twins: its GPU is no other's. */
static bool has_gb10(const struct probe_context *context)
{
    return ask(context, "SELECT 1 FROM pci_device WHERE device_id = '2e12'");
}

static bool says_spark(const char *text)
{
    return text && (strstr(text, "Spark") || strstr(text, "SPARK"));
}

/* Other makers' machines with the chip run the same system, whose file has NVIDIA's name in them
 * too: the firmware's name of the product tells them apart, else the file's name of the machine
 * ("GX10" of ASUS; "DGX Server for KVM" of NVIDIA). */
static const char *dgx_kind(struct probe_context *context, const struct dgx_release *dgx)
{
    char *product = NULL;
    if (!says_spark(dgx->name ? dgx->name : dgx->pretty))
        return "dgx";
    machine_read_line(context->machine, dmi_product, context->arena, &product);
    if (product && *product)
        return says_spark(product) ? "dgx-spark" : "gb10";
    return dgx->platform && !strstr(dgx->platform, "DGX") ? "gb10" : "dgx-spark";
}

static bool find_dgx(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct dgx_release dgx = {0};
    int code = machine_read(context->machine, dgx_release, TEXT_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return false;
    if (code == 0 && !parse_dgx_release(text.data, text.length, context->arena, &dgx))
        code = -EBADMSG;
    probe_note(context, "platform", NULL, dgx_release, code, table, NULL);
    if (code < 0)
        return false;
    add(context, &(struct row_platform){
                     .kind = dgx_kind(context, &dgx),
                     .name = dgx.pretty ? dgx.pretty : dgx.name,
                     .release = dgx.version,
                     .chip = has_gb10(context) ? "gb10" : NULL,
                     .path = dgx_release,
                 });
    return true;
}

/* Without DGX OS the firmware's name and the GPU tell. */
static void find_gb10(struct probe_context *context)
{
    char *product = NULL;
    if (!has_gb10(context))
        return;
    machine_read_line(context->machine, dmi_product, context->arena, &product);
    add(context, &(struct row_platform){
                     .kind = says_spark(product) ? "dgx-spark" : "gb10",
                     .name = product,
                     .chip = "gb10",
                     .path = product ? dmi_product : NULL,
                 });
}

/* Clouds that leave a mark which is theirs alone. Of variables only the presence counts, unless one
 * names the release; their values may name accounts. */
static const struct mark {
    const char *kind, *name;
    const char *variable; /* or */
    const char *path;
    const char *release_variable, *release_file;
} marks[] = {
    {"colab", "Google Colab", "COLAB_RELEASE_TAG", NULL, "COLAB_RELEASE_TAG", NULL},
    {"colab", "Google Colab", "COLAB_GPU", NULL, NULL, NULL},
    {"kaggle", "Kaggle", "KAGGLE_KERNEL_RUN_TYPE", NULL, NULL, NULL},
    {"runpod", "RunPod", "RUNPOD_POD_ID", NULL, NULL, NULL},
    {"modal", "Modal", "MODAL_TASK_ID", NULL, NULL, NULL},
    {"azureml", "Azure Machine Learning job", "AZUREML_RUN_ID", NULL, NULL, NULL},
    {"sagemaker", "Amazon SageMaker", NULL, "/opt/ml/metadata/resource-metadata.json", NULL, NULL},
    {"sagemaker", "Amazon SageMaker", NULL, "/opt/ml/input/config/resourceconfig.json", NULL, NULL},
    {"sagemaker", "Amazon SageMaker", "SM_CURRENT_HOST", NULL, NULL, NULL},
    {"gcp-dlvm", "Google Cloud Deep Learning VM", NULL, "/opt/deeplearning/metadata/env_version",
     NULL, "/opt/deeplearning/metadata/version"},
};

static void find_clouds(struct probe_context *context)
{
    const char *last = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const struct mark *mark = &marks[i];
        const char *value =
            mark->variable ? machine_getenv(context->machine, mark->variable) : NULL;
        bool found = mark->path ? machine_exists(context->machine, mark->path) : value && *value;
        if (!found || text_equal(last, mark->kind))
            continue;
        last = mark->kind;
        const char *release =
            mark->release_variable ? machine_getenv(context->machine, mark->release_variable)
            : mark->release_file   ? look_line(context, "platform", mark->release_file, table)
                                   : NULL;
        add(context, &(struct row_platform){
                         .kind = mark->kind,
                         .name = mark->name,
                         .release = release,
                         .path = mark->path ? mark->path : mark->variable,
                     });
    }
}

static int run(struct probe_context *context)
{
    find_tegra(context);
    if (!find_dgx(context))
        find_gb10(context);
    find_clouds(context);
    return 0;
}

const struct probe probe_platform = {
    .name = "platform",
    .phase = PHASE_PASSIVE,
    .reads = "host pci_device",
    .writes = "platform",
    .run = run,
};
