/* How GPUs reach each other over PCIe, from where sysfs has them: the folder of a device lies in
 * that of the bridge it hangs on. */
#include <errno.h>
#include <string.h>

#include "base/pci_address.h"
#include "base/span.h"
#include "probe/look.h"

enum { DEVICES_MAX = 32, BRIDGES_MAX = 32 };

struct placed {
    const char *address;
    struct opt numa_node;
    const char *root;                 /* "pci0000:80" */
    const char *bridges[BRIDGES_MAX]; /* from the root downwards, without the device itself */
    size_t bridge_count;
};

/* /sys/devices/pci0000:80/0000:80:01.1/0000:81:00.0/0000:82:00.0/0000:83:00.0; false where the path
 * shows no host bridge, as in a record of a few files. */
static bool place(struct probe_context *context, struct placed *ret)
{
    char *path = NULL;
    const char *link = arena_printf(context->arena, "/sys/bus/pci/devices/%s", ret->address);
    if (machine_realpath(context->machine, link, context->arena, &path) < 0)
        return false;
    struct span rest = {path, strlen(path)}, part;
    while (span_split(&rest, '/', &part)) {
        char *name = arena_strndup(context->arena, part.data, part.length);
        if (text_starts(name, "pci") && strchr(name, ':')) {
            ret->root = name; /* a volume manager's domain is a root below another */
            ret->bridge_count = 0;
        } else if (ret->root && pci_address(name, context->arena) &&
                   strcmp(name, ret->address) != 0 && ret->bridge_count < BRIDGES_MAX) {
            ret->bridges[ret->bridge_count++] = name;
        }
    }
    return ret->root != NULL;
}

/* How many bridges they have in common, from the root on. */
static size_t shared_bridges(const struct placed *a, const struct placed *b)
{
    size_t n = 0;
    while (n < a->bridge_count && n < b->bridge_count && strcmp(a->bridges[n], b->bridges[n]) == 0)
        n++;
    return n;
}

/* Between host bridges. Machines with one node do not always number it. */
static const char *between_roots(const struct probe_context *context, const struct placed *a,
                                 const struct placed *b)
{
    if (a->numa_node.known && b->numa_node.known)
        return a->numa_node.value == b->numa_node.value ? "NODE" : "SYS";
    bool one_node = machine_exists(context->machine, "/sys/devices/system/node/node0") &&
                    !machine_exists(context->machine, "/sys/devices/system/node/node1");
    return one_node ? "NODE" : NULL;
}

static void add_link(struct probe_context *context, const struct placed *a, const struct placed *b)
{
    struct row_gpu_link row = {.a = a->address, .b = b->address};
    size_t shared = shared_bridges(a, b);
    if (strcmp(a->root, b->root) != 0) {
        row.path = between_roots(context, a, b);
    } else if (shared == 0) {
        row.path = "PHB";
        row.bridge = a->root;
    } else {
        /* below the upstream port of one switch there is one port for each device */
        bool one = a->bridge_count - shared <= 1 && b->bridge_count - shared <= 1;
        row.path = one ? "PIX" : "PXB";
        row.bridge = a->bridges[shared - 1];
    }
    facts_add_gpu_link(context->facts, &row);
}

/* False when there are more than fit. */
static bool read_devices(struct probe_context *context, struct placed *devices, size_t *ret_count,
                         size_t *ret_lost)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT pci_address, numa_node FROM pci_device WHERE kind = 'gpu' AND "
                        "ifnull(virtual_function, 0) = 0 ORDER BY pci_address");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        if (*ret_count == DEVICES_MAX)
            return false;
        struct placed *device = &devices[*ret_count];
        *device = (struct placed){.address = ask_column(context, query, 0)};
        if (sqlite3_column_type(query, 1) == SQLITE_INTEGER)
            device->numa_node = known(sqlite3_column_int64(query, 1));
        if (device->address && place(context, device))
            ++*ret_count;
        else
            ++*ret_lost;
    }
    return true;
}

static int run(struct probe_context *context)
{
    static const char folder[] = "/sys/bus/pci/devices";
    struct placed *devices = arena_alloc(context->arena, DEVICES_MAX * sizeof *devices);
    size_t count = 0, lost = 0;
    bool all = read_devices(context, devices, &count, &lost);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            add_link(context, &devices[i], &devices[k]);
    if (!all)
        probe_note_status(context, "gpu_link", NULL, folder, "malformed", "gpu_link",
                          "it has more GPUs than paths were looked for");
    else if (lost && lost + count > 1)
        probe_note_status(context, "gpu_link", NULL, folder, "skipped", "gpu_link",
                          "it does not show on which bridges the GPUs hang");
    return 0;
}

const struct probe probe_gpu_link = {
    .name = "gpu_link",
    .phase = PHASE_PASSIVE,
    .reads = "pci_device",
    .writes = "gpu_link",
    .run = run,
};
