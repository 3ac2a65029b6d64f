#include "system/host_hardware.h"

#include <string.h>

#include "base/span.h"
#include "parse/cpu.h"
#include "parse/proc_limits.h"
#include "probe/look.h"

enum { HEAD_CAP = 16 * 1024 };

static bool is_image(const struct probe_context *context)
{
    return machine_kind(context->machine) == MACHINE_IMAGE;
}

/* --- product --- */

/* What boards say whose maker did not fill the field in. */
static const char *const placeholders[] = {
    "System Product Name",
    "System manufacturer",
    "To Be Filled By O.E.M.",
    "To be filled by O.E.M.",
    "Default string",
    "Not Applicable",
    "Not Specified",
    "Unknown",
    "O.E.M.",
    "OEM",
    "None",
    "System Version",
};

static const char *dmi(struct probe_context *context, const char *name)
{
    /* the files with serial numbers lie beside these and are not touched */
    const char *path = arena_printf(context->arena, "/sys/class/dmi/id/%s", name);
    char *line = look_line(context, "host", path, NULL);
    if (!line)
        return NULL;
    struct span text = span_trim((struct span){line, strlen(line)});
    for (size_t i = 0; i < sizeof placeholders / sizeof placeholders[0]; i++)
        if (span_equal(text, placeholders[i]))
            return NULL;
    return text.length ? arena_strndup(context->arena, text.data, text.length) : NULL;
}

static const char *joined(struct probe_context *context, const char *maker, const char *name)
{
    if (!name)
        return NULL;
    bool repeats = !maker || text_starts(name, maker);
    return repeats ? name : arena_printf(context->arena, "%s %s", maker, name);
}

static const char *find_product(struct probe_context *context, const char *maker, const char *name)
{
    const char *product = joined(context, maker, name);
    if (!product)
        product = joined(context, dmi(context, "board_vendor"), dmi(context, "board_name"));
    return product ? product : look_tree_model(context, "host", NULL);
}

/* --- hypervisor --- */

/* The beginning of the maker or of the product, and who that is. */
static const char *const makers[][2] = {
    {"QEMU", "kvm"},
    {"KVM", "kvm"},
    {"VMware", "vmware"},
    {"Microsoft Corporation", "microsoft"},
    {"Virtual Machine", "microsoft"},
    {"innotek GmbH", "virtualbox"},
    {"VirtualBox", "virtualbox"},
    {"Oracle Corporation", "virtualbox"},
    {"Xen", "xen"},
    {"Amazon EC2", "amazon"},
    {"Google", "google"},
    {"Parallels", "parallels"},
    {"OpenStack", "kvm"},
    {"Red Hat", "kvm"},
    {"Alibaba Cloud", "kvm"},
    {"Tencent Cloud", "kvm"},
    {"Huawei Cloud", "kvm"},
    {"DigitalOcean", "kvm"},
    {"Hetzner", "kvm"},
    {"Nutanix", "nutanix"},
    {"BHYVE", "bhyve"},
    {"Bochs", "bochs"},
    {"Apple Virtualization", "apple"},
};

static const char *maker_of(const char *maker, const char *name)
{
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if ((maker && text_starts(maker, makers[i][0])) ||
            (name && text_starts(name, makers[i][0])))
            return makers[i][1];
    return NULL;
}

/* Whether the processor says that it is a virtual one. Opening /proc/cpuinfo makes kernels before
 * 5.18 measure every processor's frequency, which takes 10 ms and more; the same flags stand in the
 * processors' modalias. */
static struct opt virtual_processor(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes alias = {0};
    if (machine_read_head(context->machine, "/sys/devices/system/cpu/modalias", HEAD_CAP, &alias) ==
        0) {
        struct opt flag = cpu_alias_hypervisor(alias.data, alias.length);
        if (flag.known)
            return flag;
    }
    CLEANUP_BYTES struct bytes info = {0};
    if (machine_read_head(context->machine, "/proc/cpuinfo", HEAD_CAP, &info) < 0)
        return UNKNOWN;
    return cpu_info_hypervisor(info.data, info.length);
}

static const char *find_hypervisor(struct probe_context *context, struct opt wsl, const char *maker,
                                   const char *name)
{
    if (is_image(context))
        return NULL;
    if (wsl.known && wsl.value == 2)
        return "microsoft";
    char *type = look_line(context, "host", "/sys/hypervisor/type", NULL);
    struct opt flag = virtual_processor(context);
    /* a rented machine without a hypervisor names the same maker */
    if (flag.known && !flag.value && !type)
        return "none";
    const char *found = maker_of(maker, name);
    if (found && (flag.known || strcmp(found, "kvm") == 0))
        return found;
    if (type && *type)
        return type;
    if (flag.known && flag.value)
        return "other";
    return NULL;
}

/* --- memory and lockdown --- */

static struct opt find_memory(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    if (machine_read_head(context->machine, "/proc/meminfo", 4096, &text) < 0)
        return UNKNOWN;
    struct opt bytes = parse_memory_total(text.data, text.length);
    return bytes.known ? known(bytes.value >> 20) : UNKNOWN;
}

/* "none [integrity] confidentiality"; not there where the kernel has no lockdown, or in containers
 */
static const char *find_lockdown(struct probe_context *context)
{
    static const char *const words[] = {"none", "integrity", "confidentiality"};
    char *line = look_line(context, "host", "/sys/kernel/security/lockdown", NULL);
    for (size_t i = 0; line && i < sizeof words / sizeof words[0]; i++)
        if (strstr(line, arena_printf(context->arena, "[%s]", words[i])))
            return words[i];
    return NULL;
}

struct host_hardware host_hardware(struct probe_context *context, struct opt wsl)
{
    const char *maker = dmi(context, "sys_vendor"), *name = dmi(context, "product_name");
    return (struct host_hardware){
        .product = find_product(context, maker, name),
        .hypervisor = find_hypervisor(context, wsl, maker, name),
        .lockdown = find_lockdown(context),
        .memory_mib = find_memory(context),
    };
}
