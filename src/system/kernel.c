/* Kernels, and the GPU modules that lie on disk for them. */
#include "system/kernel.h"

#include <errno.h>
#include <string.h>

#include "probe/look.h"

/* NixOS has them where its running system is. */
static const char *const places[] = {
    "/lib/modules",
    "/usr/lib/modules",
    "/run/booted-system/kernel-modules/lib/modules",
};
enum { KERNELS_MAX = 64, PLACE_COUNT = sizeof places / sizeof places[0] };

/* A removed kernel leaves a folder behind when something else had put a module into it. */
static bool is_installed(const struct probe_context *context, const char *folder)
{
    static const char *const signs[] = {"modules.dep", "kernel", "modules.builtin", "vmlinuz"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (machine_exists(context->machine,
                           arena_printf(context->arena, "%s/%s", folder, signs[i])))
            return true;
    return false;
}

static void collect(struct probe_context *context, const char *place, const struct dir_list *list,
                    const char *running, struct kernel_set *ret)
{
    ret->items = arena_alloc(context->arena, (list->count ? list->count : 1) * sizeof *ret->items);
    for (size_t i = 0; i < list->count; i++) {
        const char *folder = arena_printf(context->arena, "%s/%s", place, list->names[i]);
        bool runs = text_equal(running, list->names[i]);
        if (runs || is_installed(context, folder))
            ret->items[ret->count++] = (struct kernel_entry){list->names[i], folder, runs};
    }
}

static void find_kernels(struct probe_context *context, struct kernel_set *ret)
{
    const char *running = ask_text(context, "SELECT kernel FROM host");
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        struct dir_list list;
        int code = machine_list(context->machine, places[i], KERNELS_MAX, context->arena, &list);
        bool absent = code == -ENOENT || code == -ENOTDIR;
        if (absent && i + 1 < PLACE_COUNT)
            continue;
        if (code == 0 && list.cut)
            probe_note_status(context, "kernel", NULL, places[i], "malformed", "kernel module_file",
                              "it has more kernels than were read");
        else
            probe_note(context, "kernel", NULL, absent ? places[0] : places[i], code,
                       "kernel module_file", NULL);
        if (code == 0)
            collect(context, places[i], &list, running, ret);
        return;
    }
}

/* `build` leads to the headers, or to nothing where their package is not there. */
static struct opt has_headers(const struct probe_context *context, const char *folder)
{
    struct file_stat st;
    int code = machine_stat(context->machine,
                            arena_printf(context->arena, "%s/build/Makefile", folder), &st);
    if (code == 0)
        return known(1);
    return code == -ENOENT || code == -ENOTDIR ? known(0) : UNKNOWN;
}

static void add_kernels(struct probe_context *context, const struct kernel_set *kernels)
{
    const char *next = kernels->count ? kernel_next_boot(context, kernels) : NULL;
    for (size_t i = 0; i < kernels->count; i++) {
        const struct kernel_entry *kernel = &kernels->items[i];
        facts_add_kernel(
            context->facts,
            &(struct row_kernel){
                .release = kernel->release,
                .running = known(kernel->running),
                .headers = has_headers(context, kernel->folder),
                .boots_next = next ? known(text_equal(next, kernel->release)) : UNKNOWN,
            });
    }
}

static int run(struct probe_context *context)
{
    struct kernel_set kernels = {0};
    find_kernels(context, &kernels);
    add_kernels(context, &kernels);
    kernel_read_dkms(context);
    kernel_read_module_files(context, &kernels);
    kernel_read_parameters(context);
    return 0;
}

const struct probe probe_kernel = {
    .name = "kernel",
    .phase = PHASE_PASSIVE,
    .reads = "host kernel_module system_package",
    .writes = "kernel module_file dkms module_parameter",
    .run = run,
};
