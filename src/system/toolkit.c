/* CUDA toolkits on the system: one row each, with all the ways that lead to it. */
#include <errno.h>
#include <string.h>

#include "probe/look.h"
#include "probe/reach.h"
#include "system/toolkit_version.h"

enum { TOOLKITS_MAX = 64, PARENT_ENTRIES_MAX = 4096, SPACK_FOLDERS_MAX = 32, LISTS_MAX = 256 };
enum { WAYS_LENGTH_MAX = 4096, LOOKS_MAX = 1000 };

struct toolkits {
    struct probe_context *context;
    struct reach reach;
    struct {
        char *root;
        struct text found_by;
    } items[TOOLKITS_MAX];
    size_t count;
    size_t left_out;
    size_t lists, looks; /* folders that were listed, names in them that fit */
};

/* `root` has its links resolved. */
static void add_root(struct toolkits *toolkits, char *root, const char *found_by)
{
    size_t i = 0;
    while (i < toolkits->count && strcmp(toolkits->items[i].root, root) != 0)
        i++;
    if (i == TOOLKITS_MAX) {
        toolkits->left_out++;
        return;
    }
    if (i == toolkits->count) {
        toolkits->items[i].root = root;
        toolkits->items[i].found_by = (struct text){0};
        toolkits->count++;
    }
    struct text *ways = &toolkits->items[i].found_by;
    if (ways->length > WAYS_LENGTH_MAX) {
        toolkits->left_out++;
        return;
    }
    text_printf(ways, "%s%s", ways->length ? " " : "", found_by);
}

/* A folder that is not there is worth a note only where somebody named it. */
static void add_folder(struct toolkits *toolkits, const char *folder, const char *found_by,
                       bool named)
{
    struct probe_context *context = toolkits->context;
    char *root = NULL;
    struct file_stat st = {0};
    if (reach_is_out(&toolkits->reach, folder))
        return;
    int code = machine_realpath(context->machine, folder, context->arena, &root);
    if (code == 0)
        code = machine_stat(context->machine, root, &st);
    if (code == 0 && st.type != FILE_DIRECTORY)
        code = -ENOTDIR;
    bool absent = code == -ENOENT || code == -ENOTDIR;
    if (code < 0 && (named || !absent))
        probe_note(context, "toolkit", NULL, folder, code, "toolkit",
                   named ? arena_printf(context->arena, "%s names it", found_by) : NULL);
    if (code == 0)
        add_root(toolkits, root, found_by);
}

/* False where there is no such folder, or it cannot be read, which is noted. */
static bool list_parent(struct toolkits *toolkits, const char *parent, struct dir_list *ret)
{
    struct probe_context *context = toolkits->context;
    if (toolkits->lists++ >= LISTS_MAX) {
        toolkits->left_out++;
        return false;
    }
    if (reach_is_out(&toolkits->reach, parent))
        return false;
    int code = machine_list(context->machine, parent, PARENT_ENTRIES_MAX, context->arena, ret);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "toolkit", NULL, parent, code, "toolkit", NULL);
    if (code == 0 && ret->cut)
        toolkits->left_out++;
    return code == 0;
}

static void add_matching(struct toolkits *toolkits, const char *parent, const char *prefix,
                         const char *suffix)
{
    struct arena *arena = toolkits->context->arena;
    struct dir_list list;
    if (!list_parent(toolkits, parent, &list))
        return;
    for (size_t i = 0; i < list.count; i++) {
        if (!text_starts(list.names[i], prefix))
            continue;
        if (toolkits->count == TOOLKITS_MAX ||
            toolkits->looks++ > LOOKS_MAX) { /* the rest would be left out one by one */
            toolkits->left_out++;
            return;
        }
        char *folder = arena_printf(arena, "%s/%s%s", parent, list.names[i], suffix);
        add_folder(toolkits, folder, folder, false);
    }
}

/* HPC SDK: /opt/nvidia/hpc_sdk/Linux_x86_64/24.5/cuda/12.4; NVHPC_ROOT is .../24.5 */
static void add_hpc(struct toolkits *toolkits)
{
    static const char *const parents[] = {"/opt/nvidia/hpc_sdk/Linux_x86_64",
                                          "/opt/nvidia/hpc_sdk/Linux_aarch64"};
    struct arena *arena = toolkits->context->arena;
    for (size_t i = 0; i < 2; i++) {
        struct dir_list list;
        if (!list_parent(toolkits, parents[i], &list))
            continue;
        for (size_t k = 0; k < list.count; k++)
            add_matching(toolkits, arena_printf(arena, "%s/%s/cuda", parents[i], list.names[k]),
                         "1", "");
    }
    const char *root = machine_getenv(toolkits->context->machine, "NVHPC_ROOT");
    if (root && root[0] == '/' && !text_starts(root, "/opt/nvidia/hpc_sdk/"))
        add_matching(toolkits, arena_printf(arena, "%s/cuda", root), "1", "");
}

/* Spack: SPACK_ROOT/opt/spack/ARCH/COMPILER/cuda-12.4.0-HASH; since 1.0 without COMPILER. */
static void add_spack(struct toolkits *toolkits)
{
    struct arena *arena = toolkits->context->arena;
    struct dir_list archs, compilers;
    const char *root = machine_getenv(toolkits->context->machine, "SPACK_ROOT");
    if (!root || root[0] != '/')
        return;
    const char *store = arena_printf(arena, "%s/opt/spack", root);
    if (!list_parent(toolkits, store, &archs))
        return;
    size_t left = SPACK_FOLDERS_MAX;
    for (size_t i = 0; i < archs.count; i++) {
        const char *arch = arena_printf(arena, "%s/%s", store, archs.names[i]);
        if (archs.names[i][0] == '.' || !list_parent(toolkits, arch, &compilers))
            continue;
        add_matching(toolkits, arch, "cuda-", "");
        for (size_t k = 0; k < compilers.count; k++) {
            if (!text_starts(compilers.names[k], "gcc-") &&
                !text_starts(compilers.names[k], "clang-"))
                continue;
            if (left == 0) {
                toolkits->left_out++;
                return;
            }
            left--;
            add_matching(toolkits, arena_printf(arena, "%s/%s", arch, compilers.names[k]), "cuda-",
                         "");
        }
    }
}

/* An environment of conda is a toolkit where the compiler is in it; its libraries alone are none.
 */
static void add_conda(struct toolkits *toolkits)
{
    struct probe_context *context = toolkits->context;
    const char *prefix = machine_getenv(context->machine, "CONDA_PREFIX");
    if (prefix && prefix[0] == '/' && !reach_is_out(&toolkits->reach, prefix) &&
        machine_exists(context->machine, arena_printf(context->arena, "%s/bin/nvcc", prefix)))
        add_folder(toolkits, prefix, "CONDA_PREFIX", true);
}

/* The compiler that `nvcc` runs: the first on PATH. */
static void add_from_path(struct toolkits *toolkits)
{
    struct probe_context *context = toolkits->context;
    const char *path = machine_getenv(context->machine, "PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *nvcc = arena_printf(context->arena, "%.*s/nvcc", (int)(n < 4096 ? n : 0), path);
        if (nvcc[0] == '/' && n && !reach_is_out(&toolkits->reach, nvcc) &&
            machine_exists(context->machine, nvcc)) {
            char *root = toolkit_of_nvcc(context, nvcc);
            if (root)
                add_root(toolkits, root, "PATH");
            return;
        }
        path += n + (path[n] == ':');
    }
}

static void add_from_env(struct toolkits *toolkits)
{
    static const char *const names[] = {
        "CUDA_HOME",        "CUDA_PATH",       "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR",
        "CUDAToolkit_ROOT", "NVHPC_CUDA_HOME", "EBROOTCUDA"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = machine_getenv(toolkits->context->machine, names[i]);
        if (value && value[0] == '/')
            add_folder(toolkits, value, names[i], true);
    }
}

static void add_row(struct toolkits *toolkits, const char *root, const char *found_by)
{
    struct toolkit_version version;
    if (!toolkit_read(toolkits->context, root, &version))
        return;
    facts_add_toolkit(toolkits->context->facts, &(struct row_toolkit){
                                                    .path = root,
                                                    .version = version.version,
                                                    .nvcc = version.nvcc,
                                                    .nvcc_version = version.nvcc_version,
                                                    .found_by = found_by,
                                                    .evidence_path = version.evidence,
                                                });
}

static int run(struct probe_context *context)
{
    struct toolkits toolkits = {.context = context};
    reach_read(context, NULL, &toolkits.reach);
    add_from_path(&toolkits);
    add_from_env(&toolkits);
    add_matching(&toolkits, "/usr/local", "cuda", "");
    add_folder(&toolkits, "/opt/cuda", "/opt/cuda", false); /* Arch */
    add_folder(&toolkits, "/usr/lib/cuda", "/usr/lib/cuda", false);
    add_folder(&toolkits, "/usr/lib/nvidia-cuda-toolkit", "/usr/lib/nvidia-cuda-toolkit", false);
    add_hpc(&toolkits);
    add_conda(&toolkits);
    add_spack(&toolkits);
    const char *status = toolkits.left_out ? "malformed" : toolkits.count ? "ok" : "absent";
    probe_note_status(context, "toolkit", NULL, NULL, status, "toolkit",
                      toolkits.left_out ? "there are more folders of toolkits than are looked at"
                                        : NULL);
    reach_note(&toolkits.reach, "toolkit", "toolkit",
               "this place lies on another machine: not looked at for a toolkit; --all-envs looks "
               "there, too");
    reach_done(&toolkits.reach);
    for (size_t i = 0; i < toolkits.count; i++) {
        add_row(&toolkits, toolkits.items[i].root, text_get(&toolkits.items[i].found_by));
        text_done(&toolkits.items[i].found_by);
    }
    return 0;
}

const struct probe probe_toolkit = {
    .name = "toolkit",
    .phase = PHASE_PASSIVE,
    .writes = "toolkit",
    .run = run,
};
