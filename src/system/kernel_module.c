/* GPU kernel modules that are loaded, from /proc/modules and /sys/module. A container sees those of
 * its host; gVisor has neither place. */
#include <string.h>

#include "parse/proc.h"
#include "probe/look.h"

enum { MODULES_CAP = 1024 * 1024 };

static const char *const modules[] = {
    "nvidia",    "nvidia_uvm", "nvidia_modeset", "nvidia_drm", "nvidia_peermem",
    "nouveau",   "nova_core",  "nova_drm",       "vfio_pci",   "gdrdrv",
    "nvidia_fs", "nvgpu",      "nvmap",
};
enum { MODULE_COUNT = sizeof modules / sizeof modules[0] };

struct loaded {
    bool seen;
    const char *state;
};

/* `fills` is NULL where /sys/module answers as well: then a failure here leaves nothing open. */
static void read_proc(struct probe_context *context, struct loaded *loaded, const char *fills)
{
    static const char path[] = "/proc/modules";
    CLEANUP_BYTES struct bytes text = {0};
    if (look_read(context, "kernel_module", path, MODULES_CAP, fills, &text) < 0)
        return;
    size_t cursor = 0, lines = 0, bad = 0;
    struct module_line line;
    while (parse_module_line(text.data, text.length, &cursor, context->arena, &line)) {
        lines++;
        bad += line.name == NULL;
        for (size_t i = 0; line.name && i < MODULE_COUNT; i++)
            if (strcmp(line.name, modules[i]) == 0)
                loaded[i] = (struct loaded){true, line.state};
    }
    /* a file without one good line tells nothing; an empty one tells that nothing is loaded */
    bool nothing = lines && bad == lines;
    probe_note_status(
        context, "kernel_module", NULL, path, nothing ? "malformed" : "ok", fills,
        bad ? arena_printf(context->arena, "%zu of %zu lines name no module", bad, lines) : NULL);
}

/* What is built into the kernel has no initstate. */
static const char *state_of(const char *initstate)
{
    if (!initstate || strcmp(initstate, "live") == 0)
        return "live";
    if (strcmp(initstate, "coming") == 0)
        return "loading";
    return strcmp(initstate, "going") == 0 ? "unloading" : NULL;
}

/* NULL where the module does not say; that it is loaded is known already. */
static char *attribute(struct probe_context *context, const char *folder, const char *name)
{
    char *line = NULL;
    machine_read_line(context->machine, arena_printf(context->arena, "%s/%s", folder, name),
                      context->arena, &line);
    return line;
}

static void add_module(struct probe_context *context, const char *name, struct loaded proc)
{
    const char *folder = arena_printf(context->arena, "/sys/module/%s", name);
    struct file_stat st;
    bool sys = machine_stat(context->machine, folder, &st) == 0 && st.type == FILE_DIRECTORY;
    if (!proc.seen && !sys)
        return;
    const char *initstate = NULL, *version = NULL;
    if (sys) {
        initstate = attribute(context, folder, "initstate");
        version = attribute(context, folder, "version");
    }
    facts_add_kernel_module(context->facts,
                            &(struct row_kernel_module){
                                .name = name,
                                .source = proc.seen ? "/proc/modules" : folder,
                                .state = proc.seen ? proc.state : state_of(initstate),
                                .version = version,
                            });
}

static int run(struct probe_context *context)
{
    struct loaded loaded[MODULE_COUNT] = {0};
    struct file_stat st;
    int code = machine_stat(context->machine, "/sys/module", &st);
    read_proc(context, loaded, code == 0 ? NULL : "kernel_module");
    probe_note(context, "kernel_module", NULL, "/sys/module", code, "kernel_module", NULL);
    for (size_t i = 0; i < MODULE_COUNT; i++)
        add_module(context, modules[i], loaded[i]);
    return 0;
}

const struct probe probe_kernel_module = {
    .name = "kernel_module",
    .phase = PHASE_PASSIVE,
    .writes = "kernel_module",
    .run = run,
};
