#include "system/toolkit_version.h"

#include <errno.h>
#include <string.h>

#include "parse/toolkit.h"
#include "probe/look.h"
#include "probe/scan.h"

static const char probe_name[] = "toolkit";
enum { TEXT_CAP = 1024 * 1024, HEADER_CAP = 128 * 1024, NVCC_CAP = 64 * 1024 * 1024 };

static char *join(struct probe_context *context, const char *root, const char *name)
{
    return arena_printf(context->arena, "%s/%s", root, name);
}

static void from_json(struct probe_context *context, const char *root, struct toolkit_version *ret)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct toolkit_versions versions = {0};
    const char *path = join(context, root, "version.json");
    int code = machine_read(context->machine, path, TEXT_CAP, &text);
    if (code == 0 && !parse_version_json(text.data, text.length, context->arena, &versions))
        code = -EBADMSG;
    if (code != -ENOENT && code != -ENOTDIR)
        probe_note(context, probe_name, NULL, path, code, "toolkit", NULL);
    if (code < 0)
        return;
    ret->version = versions.cuda;
    ret->evidence = path;
    ret->nvcc_version = versions.nvcc;
}

/* version.txt of CUDA 11.0 and older; cuda.h of any. */
static void from_text(struct probe_context *context, const char *root, const char *name,
                      char *(*parse)(const char *, size_t, struct arena *),
                      struct toolkit_version *ret)
{
    if (ret->version)
        return;
    CLEANUP_BYTES struct bytes text = {0};
    const char *path = join(context, root, name);
    int code = machine_read_head(context->machine, path, HEADER_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return;
    char *version = code == 0 ? parse(text.data, text.length, context->arena) : NULL;
    if (code == 0 && !version)
        code = -EBADMSG;
    probe_note(context, probe_name, NULL, path, code, "toolkit", NULL);
    if (version) {
        ret->version = version;
        ret->evidence = path;
    }
}

/* Images with the runtime alone have no file that states a version, but the library's name does.
 * Whether there is one. */
static bool from_cudart(struct probe_context *context, const char *root,
                        struct toolkit_version *ret)
{
    static const char *const folders[] = {"lib64", "targets/x86_64-linux/lib",
                                          "targets/aarch64-linux/lib", "targets/sbsa-linux/lib"};
    bool any = false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !ret->version; i++) {
        struct dir_list list;
        const char *folder = join(context, root, folders[i]);
        if (machine_list(context->machine, folder, 4096, context->arena, &list) < 0)
            continue;
        for (size_t k = 0; k < list.count && !ret->version; k++) {
            any = any || text_starts(list.names[k], "libcudart.so");
            ret->version = parse_cudart_name(list.names[k], context->arena);
            ret->evidence = ret->version ? join(context, folder, list.names[k]) : NULL;
        }
    }
    return any;
}

struct nvcc_search {
    struct arena *arena;
    char *version;
};

static bool find_nvcc(void *data, const char *chunk, size_t size)
{
    struct nvcc_search *search = data;
    search->version = parse_nvcc_literal(chunk, size, search->arena);
    return search->version != NULL;
}

static void read_nvcc(struct probe_context *context, const char *root, struct toolkit_version *ret)
{
    const char *path = join(context, root, "bin/nvcc");
    if (!machine_exists(context->machine, path)) {
        ret->nvcc_version = NULL; /* version.json speaks of parts that are not installed here */
        return;
    }
    ret->nvcc = path;
    if (ret->nvcc_version)
        return;
    struct nvcc_search search = {context->arena, NULL};
    int code = scan_program(context->machine, path, NVCC_CAP,
                            NVCC_LITERAL_MAX + sizeof "Cuda compilation tools, release ", find_nvcc,
                            &search);
    if (code < 0)
        probe_note(context, probe_name, NULL, path, code, NULL, NULL);
    ret->nvcc_version = search.version;
    if (!ret->version && search.version) {
        ret->version = search.version;
        ret->evidence = path;
    }
}

bool toolkit_read(struct probe_context *context, const char *root, struct toolkit_version *ret)
{
    *ret = (struct toolkit_version){0};
    from_json(context, root, ret);
    from_text(context, root, "version.txt", parse_version_txt, ret);
    from_text(context, root, "include/cuda.h", parse_cuda_h, ret);
    from_text(context, root, "targets/x86_64-linux/include/cuda.h", parse_cuda_h, ret);
    from_text(context, root, "targets/sbsa-linux/include/cuda.h", parse_cuda_h, ret);
    bool runtime = from_cudart(context, root, ret);
    read_nvcc(context, root, ret);
    return ret->version || ret->nvcc || runtime;
}

/* Debian's /usr/bin/nvcc is a script that runs the program in this folder. */
static const char debian_root[] = "/usr/lib/nvidia-cuda-toolkit";

char *toolkit_of_nvcc(struct probe_context *context, const char *nvcc)
{
    CLEANUP_BYTES struct bytes head = {0};
    char *path = NULL;
    if (machine_realpath(context->machine, nvcc, context->arena, &path) < 0)
        return NULL;
    if (machine_read_head(context->machine, path, 4096, &head) == 0 && text_starts(head.data, "#!"))
        return strstr(head.data, debian_root) ? arena_strdup(context->arena, debian_root) : NULL;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return NULL;
        *slash = '\0';
    }
    return path;
}
