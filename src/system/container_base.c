#include "system/container_base.h"

#include <string.h>

#include "base/text.h"
#include "parse/toolkit.h"

enum { TEXT_CAP = 256 * 1024 };

/* NVIDIA's images of frameworks share an entry program with those of CUDA alone; their own folders
 * tell them apart. */
static bool is_framework_image(const struct probe_context *context)
{
    static const char *const places[] = {"/opt/pytorch", "/opt/tensorflow", "/opt/tritonserver",
                                         "/opt/jax", "/opt/riva"};
    if (!machine_exists(context->machine, "/opt/nvidia/nvidia_entrypoint.sh"))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (machine_exists(context->machine, places[i]))
            return true;
    const char *product = machine_getenv(context->machine, "NVIDIA_PRODUCT_NAME");
    return product && *product && strcmp(product, "CUDA") != 0;
}

static const char *base_name(const struct probe_context *context)
{
    if (machine_exists(context->machine, "/etc/nv_tegra_release"))
        return "jetson";
    if (is_framework_image(context))
        return "ngc";
    return machine_exists(context->machine, "/NGC-DL-CONTAINER-LICENSE") ? "cuda" : NULL;
}

/* "12.4" of /usr/local/cuda -> ... -> /usr/local/cuda-12.4, which small images have too. */
static const char *cuda_of_link(const struct probe_context *context)
{
    static const char prefix[] = "/usr/local/cuda-";
    char *real = NULL;
    if (machine_realpath(context->machine, "/usr/local/cuda", context->arena, &real) < 0 ||
        !text_starts(real, prefix) || strchr(real + sizeof prefix - 1, '/'))
        return NULL;
    return real + sizeof prefix - 1;
}

static const char *base_cuda(const struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct toolkit_versions versions;
    const char *variable = machine_getenv(context->machine, "CUDA_VERSION");
    if (variable && *variable)
        return variable;
    if (machine_read(context->machine, "/usr/local/cuda/version.json", TEXT_CAP, &text) == 0 &&
        parse_version_json(text.data, text.length, context->arena, &versions))
        return versions.cuda;
    return cuda_of_link(context);
}

struct container_base container_base(const struct probe_context *context)
{
    const char *name = base_name(context);
    return (struct container_base){name, name ? base_cuda(context) : NULL};
}
