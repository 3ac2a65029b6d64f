/* The loaded kernel module's version, from both places that tell it. What the files of user space
 * say is the business of driver_library.c, what NVML says that of nvml.c. */
#include <errno.h>

#include "parse/proc.h"
#include "probe/look.h"

enum { TEXT_CAP = 64 * 1024 };

static void read_proc(struct probe_context *context)
{
    static const char path[] = "/proc/driver/nvidia/version";
    CLEANUP_BYTES struct bytes text = {0};
    struct nvrm_version nvrm;
    if (look_read(context, "driver_version", path, TEXT_CAP, "driver", &text) < 0)
        return;
    if (!parse_nvrm_version(text.data, text.length, context->arena, &nvrm)) {
        probe_note(context, "driver_version", NULL, path, -EBADMSG, "driver",
                   "it has no NVRM line with a version");
        return;
    }
    probe_note(context, "driver_version", NULL, path, 0, "driver", NULL);
    facts_add_driver(context->facts, &(struct row_driver){
                                         .source = "proc",
                                         .part = "module",
                                         .version = nvrm.version,
                                         .flavour = nvrm.flavour,
                                         .path = path,
                                     });
}

static void read_sys(struct probe_context *context)
{
    static const char path[] = "/sys/module/nvidia/version";
    char *line = NULL;
    int code = machine_read_line(context->machine, path, context->arena, &line);
    if (code == 0 && !is_driver_version(line))
        code = -EBADMSG;
    probe_note(context, "driver_version", NULL, path, code, "driver", NULL);
    if (code == 0)
        facts_add_driver(context->facts, &(struct row_driver){
                                             .source = "sys",
                                             .part = "module",
                                             .version = line,
                                             .path = path,
                                         });
}

static int run(struct probe_context *context)
{
    read_proc(context);
    read_sys(context);
    return 0;
}

const struct probe probe_driver_version = {
    .name = "driver_version",
    .phase = PHASE_PASSIVE,
    .writes = "driver",
    .run = run,
};
