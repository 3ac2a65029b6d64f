/* NVIDIA devices on the PCI bus, from sysfs. `config` is never read: that can wake a sleeping GPU.
 */
#include <errno.h>
#include <string.h>

#include "base/pci_address.h"
#include "parse/number.h"
#include "parse/pci_resource.h"
#include "probe/look.h"

static const char folder[] = "/sys/bus/pci/devices";
enum { DEVICES_MAX = 4096, FIRST_SWITCH_ID = 0x1ac0 };

static char *attribute(struct probe_context *context, const char *device, const char *name)
{
    return look_line(context, "pci", arena_printf(context->arena, "%s/%s/%s", folder, device, name),
                     "pci_device");
}

/* "0x10de" with exactly so many digits, as lower-case digits without the prefix; else NULL. */
static char *hex_digits(struct arena *arena, const char *text, size_t digits)
{
    if (!text || !text_starts(text, "0x"))
        return NULL;
    text += 2;
    if (strlen(text) != digits || strspn(text, "0123456789abcdefABCDEF") != digits)
        return NULL;
    char *copy = arena_strdup(arena, text);
    for (char *c = copy; *c; c++)
        if (*c >= 'A' && *c <= 'F')
            *c = (char)(*c - 'A' + 'a');
    return copy;
}

static int hex_value(const char *digits)
{
    int value = 0;
    for (; *digits; digits++)
        value = value * 16 + (*digits <= '9' ? *digits - '0' : *digits - 'a' + 10);
    return value;
}

/* NULL for what is of no interest: audio, USB-C, and the bridges of old nForce boards, which share
 * the switches' class but have lower numbers. */
static const char *kind_of(const char *class, const char *device_id)
{
    if (text_starts(class, "0300") || text_starts(class, "0302"))
        return "gpu";
    if (text_starts(class, "0680") && hex_value(device_id) >= FIRST_SWITCH_ID)
        return "nvswitch";
    return text_starts(class, "03") ? "other" : NULL;
}

static const char *driver_of(struct probe_context *context, const char *device)
{
    const char *path = arena_printf(context->arena, "%s/%s/driver", folder, device);
    char *target = NULL;
    int code = machine_readlink(context->machine, path, context->arena, &target);
    if (code == -ENOENT)
        return "none";
    if (code < 0) {
        probe_note(context, "pci", NULL, path, code, "pci_device", NULL);
        return NULL;
    }
    const char *slash = strrchr(target, '/');
    return slash ? slash + 1 : target;
}

static struct opt number_of(const char *text)
{
    return text ? parse_number((struct span){text, strlen(text)}) : UNKNOWN;
}

/* 0, 63 and 255 are what devices report that are off, or behind some bridges. */
static struct opt lanes(const char *text)
{
    struct opt number = number_of(text);
    return number.known && number.value > 0 && number.value <= 32 ? number : UNKNOWN;
}

/* As sysfs states it; "Unknown" is what devices report that are off. */
static const char *speed(const char *text)
{
    return text && *text >= '0' && *text <= '9' ? text : NULL;
}

/* Address of the bridge; NULL where the folder is no link into the tree of bridges, as in a record
 * of a few files. */
static const char *upstream_of(struct probe_context *context, const char *device)
{
    char *path = NULL;
    const char *link = arena_printf(context->arena, "%s/%s", folder, device);
    if (machine_realpath(context->machine, link, context->arena, &path) < 0)
        return NULL;
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return NULL;
    *slash = '\0';
    const char *parent = strrchr(path, '/') + 1;
    if (text_starts(parent, "pci") && strchr(parent, ':'))
        return "none";
    return pci_address(parent, context->arena);
}

/* Only where `resource` is recorded too can it be told that there is no `physfn`. */
static struct opt is_virtual_function(struct probe_context *context, const char *device,
                                      struct opt bar1)
{
    struct file_stat st;
    const char *path = arena_printf(context->arena, "%s/%s/physfn", folder, device);
    if (machine_lstat(context->machine, path, &st) == 0)
        return known(1);
    return bar1.known ? known(0) : UNKNOWN;
}

static struct opt largest_window(struct probe_context *context, const char *device)
{
    CLEANUP_BYTES struct bytes text = {0};
    const char *path = arena_printf(context->arena, "%s/%s/resource", folder, device);
    int code = machine_read_head(context->machine, path, 4096, &text);
    if (code < 0) {
        if (code != -ENOENT)
            probe_note(context, "pci", NULL, path, code, NULL, NULL);
        return UNKNOWN;
    }
    return pci_largest_window(text.data, text.length);
}

static void add_device(struct probe_context *context, const char *device)
{
    struct arena *arena = context->arena;
    char *vendor = hex_digits(arena, attribute(context, device, "vendor"), 4);
    if (!vendor || strcmp(vendor, "10de") != 0)
        return;
    char *address = pci_address(device, arena);
    char *id = hex_digits(arena, attribute(context, device, "device"), 4);
    char *class = hex_digits(arena, attribute(context, device, "class"), 6);
    if (!address || !id || !class) {
        probe_note_status(context, "pci", NULL, arena_printf(arena, "%s/%s", folder, device),
                          "malformed", "pci_device",
                          "its vendor is NVIDIA, but its address, device number or class is none");
        return;
    }
    const char *kind = kind_of(class, id);
    if (!kind)
        return;
    struct opt bar1 = largest_window(context, device);
    facts_add_pci_device(context->facts,
                         &(struct row_pci_device){
                             .pci_address = address,
                             .vendor_id = vendor,
                             .device_id = id,
                             .class = class,
                             .kind = kind,
                             .driver = driver_of(context, device),
                             .runtime_status = attribute(context, device, "power/runtime_status"),
                             /* -1 where the firmware does not say */
                             .numa_node = number_of(attribute(context, device, "numa_node")),
                             .link_width = lanes(attribute(context, device, "current_link_width")),
                             .max_link_width = lanes(attribute(context, device, "max_link_width")),
                             .link_speed = speed(attribute(context, device, "current_link_speed")),
                             .max_link_speed = speed(attribute(context, device, "max_link_speed")),
                             .upstream = upstream_of(context, device),
                             .bar1_mib = bar1,
                             .virtual_function = is_virtual_function(context, device, bar1),
                         });
}

static int run(struct probe_context *context)
{
    struct dir_list list = {0};
    int code = machine_list(context->machine, folder, DEVICES_MAX, context->arena, &list);
    probe_note(context, "pci", NULL, folder, code, "pci_device", NULL);
    for (size_t i = 0; code == 0 && i < list.count; i++)
        add_device(context, list.names[i]);
    if (list.cut)
        probe_note_status(context, "pci", NULL, folder, "malformed", "pci_device",
                          "it has more devices than were read");
    return 0;
}

const struct probe probe_pci = {
    .name = "pci",
    .phase = PHASE_PASSIVE,
    .writes = "pci_device",
    .run = run,
};
