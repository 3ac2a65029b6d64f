/* Parameters of the GPU modules: in force, and as configuration files and the kernel's command line
 * set them. The command line may hold secrets, so only words of a list are taken from it. */
#include <errno.h>
#include <string.h>

#include "parse/modprobe_conf.h"
#include "probe/look.h"
#include "system/kernel.h"

enum {
    TEXT_CAP = 64 * 1024,
    FILES_MAX = 512,
    ROWS_MAX = 512,
    NAME_MAX_BYTES = 100,
    VALUE_MAX = 300
};

static char *copy(struct probe_context *context, struct span text, size_t most)
{
    return arena_strndup(context->arena, text.data, text.length < most ? text.length : most);
}

static struct span unquoted(struct span text)
{
    if (text.length >= 2 && text.data[0] == '"' && text.data[text.length - 1] == '"')
        return (struct span){text.data + 1, text.length - 2};
    return text;
}

/* The driver's own list has its names without the prefix that they are set with. */
static struct span without_prefix(struct span name)
{
    span_cut_prefix(&name, "NVreg_");
    return name;
}

/* What sets GPUs aside for virtual machines; their other parameters are of no interest. */
static const char *const setters_aside[][2] = {
    {"vfio_pci", "ids"}, {"pci_stub", "ids"}, {"xen_pciback", "hide"}};

/* The kernel takes '-' and '_' for the same. */
static bool is_module(struct span name, const char *wanted)
{
    size_t n = strlen(wanted);
    for (size_t i = 0; name.length == n && i < n; i++)
        if (name.data[i] != wanted[i] && !(name.data[i] == '-' && wanted[i] == '_'))
            return false;
    return name.length == n;
}

/* The module's name in the table and the one parameter of it that counts, NULL for all; NULL for a
 * module that is of no interest. */
static const char *wanted_module(struct span name, const char **ret_parameter)
{
    *ret_parameter = NULL;
    for (size_t i = 0; i < sizeof setters_aside / sizeof setters_aside[0]; i++)
        if (is_module(name, setters_aside[i][0])) {
            *ret_parameter = setters_aside[i][1];
            return setters_aside[i][0];
        }
    return gpu_module_name(name.data, name.length);
}

/* --- in force --- */

static const char *const driver_keys[] = {
    "EnableGpuFirmware",
    "OpenRmEnableUnsupportedGpus",
    "ModifyDeviceFiles",
    "PreserveVideoMemoryAllocations",
    "DeviceFileMode",
    "DeviceFileUID",
    "DeviceFileGID",
    "RmProfilingAdminOnly",
    "NvLinkDisable",
    "ExcludedGpus",
    "GpuBlacklist",
    "GrdmaPciTopoCheckOverride",
    "EnableResizableBar",
    "DynamicPowerManagement",
    "EnableStreamMemOPs",
    "EnablePCIERelaxedOrderingMode",
    "ImexChannelCount",
    "CreateImexChannel0",
    "CoherentGPUMemoryMode",
    "RegistryDwords",
    "EnableUserNUMAManagement",
};

static void read_driver_list(struct probe_context *context)
{
    static const char path[] = "/proc/driver/nvidia/params";
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read(context->machine, path, TEXT_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return;
    probe_note(context, "kernel", NULL, path, code, "module_parameter", NULL);
    size_t cursor = 0;
    struct span line, name;
    while (code == 0 && span_line(text.data, text.length, &cursor, &line)) {
        if (!span_split(&line, ':', &name) || !line.data)
            continue;
        for (size_t i = 0; i < sizeof driver_keys / sizeof driver_keys[0]; i++)
            if (span_equal(name, driver_keys[i]))
                facts_add_module_parameter(
                    context->facts,
                    &(struct row_module_parameter){
                        .module = "nvidia",
                        .name = driver_keys[i],
                        .value = copy(context, unquoted(span_trim(line)), VALUE_MAX),
                        .source = "in-force",
                        .path = path});
    }
}

/* Those that are of interest; the others of these modules are for debugging. */
static const char *const in_sysfs[][2] = {
    {"nvidia_drm", "modeset"},
    {"nvidia_drm", "fbdev"},
    {"nvidia_uvm", "uvm_disable_hmm"},
    {"nvidia_uvm", "uvm_ats_mode"},
    {"nouveau", "modeset"},
    {"nvidia_peermem", "persistent_api_support"},
};

static void read_sysfs(struct probe_context *context)
{
    for (size_t i = 0; i < sizeof in_sysfs / sizeof in_sysfs[0]; i++) {
        const char *path = arena_printf(context->arena, "/sys/module/%s/parameters/%s",
                                        in_sysfs[i][0], in_sysfs[i][1]);
        /* most are root's alone, which look_line() notes */
        char *value = look_line(context, "kernel", path, NULL);
        if (value)
            facts_add_module_parameter(context->facts,
                                       &(struct row_module_parameter){.module = in_sysfs[i][0],
                                                                      .name = in_sysfs[i][1],
                                                                      .value = value,
                                                                      .source = "in-force",
                                                                      .path = path});
    }
}

/* --- modprobe.d --- */

/* In the order of their rank: a file hides those of its name in later folders. */
static const char *const folders[] = {"/etc/modprobe.d", "/run/modprobe.d",
                                      "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
                                      "/lib/modprobe.d"};
enum { FOLDER_COUNT = sizeof folders / sizeof folders[0] };

struct reading {
    struct probe_context *context;
    const char *path, *source;
    size_t rows;
};

static void add(struct reading *reading, const char *module, struct span name, struct span value)
{
    struct probe_context *context = reading->context;
    if (reading->rows++ >= ROWS_MAX || !name.length)
        return;
    facts_add_module_parameter(
        context->facts, &(struct row_module_parameter){.module = module,
                                                       .name = copy(context, name, NAME_MAX_BYTES),
                                                       .value = copy(context, value, VALUE_MAX),
                                                       .source = reading->source,
                                                       .path = reading->path});
}

static void add_options(struct reading *reading, const char *module, const char *only,
                        struct span rest)
{
    struct span name, value;
    while (modprobe_word(&rest, &name, &value))
        if (!only || span_equal(name, only))
            add(reading, module, without_prefix(name),
                value.data ? unquoted(value) : (struct span){"1", 1});
}

static void take_line(struct reading *reading, const struct modprobe_line *line)
{
    const char *only, *module = wanted_module(line->module, &only);
    struct span word, rest = line->rest;
    if (!module)
        return;
    if (span_equal(line->command, "options"))
        add_options(reading, module, only, rest);
    else if (span_equal(line->command, "blacklist"))
        add(reading, module, line->command, (struct span){"1", 1});
    /* the command's first word tells whether it only refuses; the rest may be anything */
    else if (span_equal(line->command, "install") && span_word(&rest, &word))
        add(reading, module, line->command, word);
    else if (span_equal(line->command, "alias") && span_equal(rest, "off"))
        add(reading, module, line->command, rest);
}

static void read_file(struct probe_context *context, const char *path)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct reading reading = {context, path, "modprobe.d", 0};
    if (look_read(context, "kernel", path, TEXT_CAP, "module_parameter", &text) < 0)
        return;
    size_t cursor = 0;
    struct modprobe_line line;
    while (modprobe_next(text.data, text.length, &cursor, &line))
        take_line(&reading, &line);
    if (reading.rows > ROWS_MAX)
        probe_note_status(context, "kernel", NULL, path, "malformed", "module_parameter",
                          "it has more lines than were read");
}

static bool is_hidden(const struct dir_list *lists, size_t rank, const char *name)
{
    for (size_t i = 0; i < rank; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            if (strcmp(lists[i].names[k], name) == 0)
                return true;
    return false;
}

static void read_configuration(struct probe_context *context)
{
    struct dir_list lists[FOLDER_COUNT] = {0};
    for (size_t i = 0; i < FOLDER_COUNT; i++) {
        int code = machine_list(context->machine, folders[i], FILES_MAX, context->arena, &lists[i]);
        if (code != -ENOENT && code != -ENOTDIR)
            probe_note(context, "kernel", NULL, folders[i],
                       code == 0 && lists[i].cut ? -EFBIG : code, "module_parameter",
                       code == 0 && lists[i].cut ? "it has more files than are read" : NULL);
        for (size_t k = 0; code == 0 && k < lists[i].count; k++)
            if (text_ends(lists[i].names[k], ".conf") && !is_hidden(lists, i, lists[i].names[k]))
                read_file(context,
                          arena_printf(context->arena, "%s/%s", folders[i], lists[i].names[k]));
    }
}

/* --- the kernel's command line --- */

/* Words whose value is a list of modules. */
static const char *const lists_of_modules[] = {"modprobe.blacklist", "rd.driver.blacklist",
                                               "module_blacklist"};
/* Words of the kernel itself that matter to GPUs. */
static const char *const kernel_words[] = {
    "nomodeset", "iommu",     "intel_iommu",       "amd_iommu",          "iommu.passthrough",
    "pci",       "pcie_aspm", "pcie_acs_override", "module.sig_enforce", "lockdown"};

static bool is_one_of(struct span name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_equal(name, words[i]))
            return true;
    return false;
}

static void take_word(struct reading *reading, struct span name, struct span value)
{
    static const struct span one = {"1", 1};
    struct span part = name, rest = value;
    if (is_one_of(name, lists_of_modules, sizeof lists_of_modules / sizeof *lists_of_modules)) {
        while (value.data && span_split(&rest, ',', &part)) {
            const char *only, *module = wanted_module(part, &only);
            if (module)
                add(reading, module, name, one);
        }
        return;
    }
    if (is_one_of(name, kernel_words, sizeof kernel_words / sizeof *kernel_words)) {
        add(reading, "kernel", name, value.data ? value : one);
        return;
    }
    struct span parameter = name;
    if (!span_cut_after(&parameter, "."))
        return;
    name.length = (size_t)(parameter.data - name.data) - 1;
    const char *only, *module = wanted_module(name, &only);
    if (module && (!only || span_equal(parameter, only)))
        add(reading, module, without_prefix(parameter), value.data ? unquoted(value) : one);
}

static void read_command_line(struct probe_context *context)
{
    static const char path[] = "/proc/cmdline";
    CLEANUP_BYTES struct bytes text = {0};
    struct reading reading = {context, path, "cmdline", 0};
    int code = machine_read(context->machine, path, TEXT_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return;
    probe_note(context, "kernel", NULL, path, code, "module_parameter", NULL);
    struct span rest = {text.data, text.length}, name, value;
    while (code == 0 && modprobe_word(&rest, &name, &value))
        take_word(&reading, name, value);
}

void kernel_read_parameters(struct probe_context *context)
{
    read_driver_list(context);
    read_sysfs(context);
    read_configuration(context);
    read_command_line(context);
}
