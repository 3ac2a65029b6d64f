/* NVML: whether it may be asked, and what it answered.
 *
 * It is not read-only: run by root, its init makes /dev/nvidia* nodes and loads modules even where
 * no driver runs, and it wakes a sleeping laptop GPU. So passive facts decide. */
#include "probe/look.h"

static bool has_node(const struct probe_context *context, bool gpu)
{
    return gpu ? ask(context, "SELECT 1 FROM device_node WHERE path GLOB '/dev/nvidia[0-9]*'")
               : ask(context, "SELECT 1 FROM device_node WHERE path = '/dev/nvidiactl'");
}

static bool module_is_loaded(const struct probe_context *context)
{
    return ask(context, "SELECT 1 FROM kernel_module WHERE name = 'nvidia' AND state = 'live'") ||
           ask(context, "SELECT 1 FROM driver WHERE part = 'module'");
}

/* A sandbox such as gVisor hands the nodes through and hides the kernel's modules altogether. Its
 * nodes are no work of ours: nothing has been asked yet, and nobody in there could load a module.
 */
static bool is_sandbox(const struct probe_context *context)
{
    return !machine_exists(context->machine, "/proc/modules") &&
           !machine_exists(context->machine, "/sys/module");
}

/* Why it must not be asked; NULL when it may. */
static const char *reason_against(const struct probe_context *context)
{
    if (machine_kind(context->machine) == MACHINE_IMAGE)
        return "an image has no driver";
    if (machine_kind(context->machine) != MACHINE_LIVE)
        return NULL; /* the record answers */
    if (ask(context, "SELECT 1 FROM host WHERE tegra = 1"))
        return "Tegra has no NVML";
    if (ask(context, "SELECT 1 FROM host WHERE wsl = 1"))
        return "WSL 1 has no GPU";
    if (ask(context, "SELECT 1 FROM host WHERE wsl = 2"))
        return ask(context, "SELECT 1 FROM device_node WHERE path = '/dev/dxg'")
                   ? NULL
                   : "WSL has no /dev/dxg: it hands no GPU through";
    bool sandbox = is_sandbox(context) && has_node(context, true);
    if (!module_is_loaded(context) && !sandbox)
        return ask(context, "SELECT 1 FROM probe WHERE name = 'kernel_module' AND status IN "
                            "('denied', 'malformed')")
                   ? "whether a kernel module is loaded could not be read"
                   : "no NVIDIA kernel module is loaded";
    if (!has_node(context, false))
        return "there is no /dev/nvidiactl";
    if (!context->options->wake &&
        ask(context, "SELECT 1 FROM pci_device WHERE kind = 'gpu' AND runtime_status IN "
                     "('suspended', 'suspending')"))
        return "a GPU sleeps; --wake asks it nevertheless";
    return NULL;
}

static void tell_waiting(void *waiter)
{
    probe_progress(waiter, "waiting for the driver", 0, 0);
}

static int start(struct probe_context *context)
{
    const char *reason = reason_against(context);
    if (reason) {
        probe_note_status(context, "nvml", NULL, NULL, "skipped", "nvml", reason);
        facts_add_nvml(context->facts, &(struct row_nvml){
                                           .source = "nvml",
                                           .status = "skipped",
                                           .message = reason,
                                       });
        return 0;
    }
    context->nvml =
        nvml_start(context->machine, &(struct nvml_options){
                                         .library = context->options->nvml_library,
                                         .deadline_ms = context->options->nvml_deadline_ms,
                                         .wake = context->options->wake,
                                         .waiting = tell_waiting,
                                         .waiter = context,
                                     });
    return 0;
}

static const char *status_text(enum nvml_status status)
{
    switch (status) {
    case NVML_OK:
        return "ok";
    case NVML_FAILED:
        return "failed";
    case NVML_NO_LIBRARY:
        return "no-library";
    case NVML_CRASHED:
        return "crashed";
    case NVML_HUNG:
        return "hung";
    case NVML_MALFORMED:
        return "malformed";
    case NVML_NO_PROCESS:
    case NVML_SKIPPED:
        break;
    }
    return "skipped";
}

enum {
    CODE_NO_PERMISSION = 4,
    CODE_DRIVER_NOT_LOADED = 9,
    CODE_LIBRARY_NOT_FOUND = 12,
    CODE_OPERATING_SYSTEM = 17, /* blocked by a control group */
    CODE_GPU_NOT_FOUND = 28,
};

/* What NVML's answer means for the tables it could have filled. That no driver or GPU is there is
 * a fact; any other failure leaves open what is. */
static const char *probe_status(const struct nvml_report *report)
{
    switch (report->status) {
    case NVML_OK:
        return "ok";
    case NVML_NO_LIBRARY:
        return "absent";
    case NVML_HUNG:
        return "timeout";
    case NVML_NO_PROCESS: /* nothing was asked, so nothing is known */
        return "denied";
    case NVML_SKIPPED:
        return "skipped";
    case NVML_FAILED:
        break;
    default:
        return "malformed";
    }
    switch (report->code) {
    case CODE_NO_PERMISSION:
    case CODE_OPERATING_SYSTEM:
        return "denied";
    case CODE_DRIVER_NOT_LOADED:
    case CODE_LIBRARY_NOT_FOUND:
    case CODE_GPU_NOT_FOUND:
        return "absent";
    default:
        return "malformed";
    }
}

/* The record and the program are one source for rules. */
static const char *gpu_source(const struct nvml_report *report)
{
    return text_equal(report->source, "nvml") ? "nvml" : "nvidia-smi";
}

static void add_mig(struct probe_context *context, const struct nvml_report *report,
                    const struct nvml_gpu *gpu, const struct nvml_mig *mig)
{
    facts_add_mig_device(context->facts,
                         &(struct row_mig_device){
                             .source = gpu_source(report),
                             .pci_address = gpu->pci,
                             .mig_index = known_unless_negative(mig->index),
                             .gpu_instance = known_unless_negative(mig->gpu_instance),
                             .compute_instance = known_unless_negative(mig->compute_instance),
                             .uuid = mig->uuid,
                             .name = mig->name,
                             .memory_mib = known_unless_negative(mig->memory_mib),
                         });
}

static void add_gpu(struct probe_context *context, const struct nvml_report *report,
                    const struct nvml_gpu *gpu)
{
    facts_add_gpu(context->facts, &(struct row_gpu){
                                      .source = gpu_source(report),
                                      .pci_address = gpu->pci,
                                      .gpu_index = known_unless_negative(gpu->index),
                                      .uuid = gpu->uuid,
                                      .name = gpu->name,
                                      .cc = gpu->cc,
                                      .memory_mib = known_unless_negative(gpu->memory_mib),
                                      .device_minor = known_unless_negative(gpu->minor),
                                      .mig = known_unless_negative(gpu->mig_mode),
                                      .mig_instances = known_unless_negative(gpu->mig_instances),
                                      .compute_mode = gpu->compute_mode,
                                      .persistence = known_unless_negative(gpu->persistence),
                                      .fabric_state = gpu->fabric_state,
                                      .fabric_status = gpu->fabric_status,
                                      .ecc_mode = gpu->ecc_mode,
                                      .nvml_code = known_unless_negative(gpu->code),
                                      .mig_pending = known_unless_negative(gpu->mig_pending),
                                      .virtualization = gpu->virtualization,
                                      .addressing_mode = gpu->addressing_mode,
                                      .recovery_action = gpu->recovery_action,
                                      .nvlinks = known_unless_negative(gpu->nvlinks),
                                      .nvlinks_active = known_unless_negative(gpu->nvlinks_active),
                                      .gsp_firmware = gpu->gsp_firmware,
                                  });
    for (size_t i = 0; i < gpu->mig_count; i++)
        add_mig(context, report, gpu, &gpu->migs[i]);
}

static void add_driver(struct probe_context *context, const struct nvml_report *report)
{
    if (report->driver_version || report->cuda_version)
        facts_add_driver(context->facts,
                         &(struct row_driver){
                             .source = gpu_source(report),
                             .part = "library",
                             .version = report->driver_version,
                             .cuda = report->cuda_version,
                             .path = report->library ? report->library : report->source,
                         });
}

/* Where another source lists the GPUs, a failure of NVML leaves only some of their columns open,
 * and those are NULL. */
static bool gpus_are_known(const struct probe_context *context)
{
    return ask(context, "SELECT 1 FROM pci_device WHERE kind = 'gpu'") ||
           ask(context, "SELECT 1 FROM gpu");
}

/* A record without an answer leaves open what NVML would have said, unless it shows that no driver
 * was there to say it. */
static bool is_open(const struct probe_context *context, const struct nvml_report *report)
{
    return report->status != NVML_SKIPPED || module_is_loaded(context) ||
           ask(context, "SELECT 1 FROM device_node WHERE path = '/dev/dxg'") || is_sandbox(context);
}

static const char *fills(const struct probe_context *context, const struct nvml_report *report)
{
    if (!is_open(context, report))
        return "nvml";
    return gpus_are_known(context) ? "nvml driver mig_device" : "nvml gpu driver mig_device";
}

static int finish(struct probe_context *context)
{
    if (!context->nvml)
        return 0;
    struct nvml_report report = {0};
    nvml_finish(context->nvml, context->arena, &report);
    context->nvml = NULL;
    bool failed = report.status == NVML_FAILED && report.code > 0;
    const char *name = failed ? nvml_code_name(report.code) : NULL;
    const char *message = report.message;
    if (!message && failed)
        message = nvml_code_text(report.code);
    if (!message && report.status == NVML_SKIPPED)
        message = "the record does not hold NVML's answer";
    facts_add_nvml(context->facts, &(struct row_nvml){
                                       .source = report.source,
                                       .status = status_text(report.status),
                                       .code = failed ? known(report.code) : UNKNOWN,
                                       .code_name = name,
                                       .message = message,
                                       .library = report.library,
                                   });
    add_driver(context, &report);
    for (size_t i = 0; i < report.gpu_count; i++)
        add_gpu(context, &report, &report.gpus[i]);
    facts_add_probe(context->facts,
                    &(struct row_probe){
                        .name = "nvml",
                        .scope = "machine",
                        .status = probe_status(&report),
                        .path = report.library ? report.library : report.source,
                        .detail = message,
                        .fills = fills(context, &report),
                        .ms = report.ms > 0 ? known((int64_t)(report.ms + 0.5)) : UNKNOWN,
                    });
    return 0;
}

const struct probe probe_nvml_start = {
    .name = "nvml",
    .phase = PHASE_ACTIVE,
    .reads = "host kernel_module driver device_node pci_device",
    .writes = "nvml",
    .run = start,
};

const struct probe probe_nvml_finish = {
    .name = "nvml-answer",
    .phase = PHASE_ACTIVE,
    .reads = "nvml pci_device",
    .writes = "nvml gpu driver mig_device",
    .waits = true,
    .run = finish,
};
