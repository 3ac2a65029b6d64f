/* The machine itself: product, hypervisor, memory, lockdown; what sysfs says of a GPU's place. */
#include "parse/cpu.h"
#include "parse/pci_resource.h"
#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_hardware, .init = start, .fini = finish);

/* --- host --- */

#define HARDWARE "SELECT product, hypervisor, memory_mib, lockdown FROM host"
#define ALIAS "/sys/devices/system/cpu/modalias"

static void run_host(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_host);
}

static void dmi(const char *maker, const char *name)
{
    tree_put(&tree, "/sys/class/dmi/id/sys_vendor", maker);
    tree_put(&tree, "/sys/class/dmi/id/product_name", name);
}

Test(probe_hardware, server)
{
    dmi("Dell Inc.\n", "PowerEdge R760xa\n");
    tree_put(&tree, "/sys/class/dmi/id/product_serial", "SECRET1\n");
    tree_put(&tree, ALIAS, "cpu:type:x86,ven0000fam0006mod008F:feature:,0000,0001,00A0\n");
    tree_put(&tree, "/proc/meminfo", "MemTotal:       528170948 kB\nMemFree:  1 kB\n");
    tree_put(&tree, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    run_host();
    expect_rows(&tree, HARDWARE, "Dell Inc. PowerEdge R760xa|none|515791|integrity");
}

Test(probe_hardware, virtual_machine)
{
    dmi("QEMU\n", "Standard PC (Q35 + ICH9, 2009)\n");
    tree_put(&tree, ALIAS, "cpu:type:x86,ven0000fam0006mod008F:feature:,0000,009F,00A0\n");
    tree_put(&tree, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    run_host();
    expect_rows(&tree, HARDWARE, "QEMU Standard PC (Q35 + ICH9, 2009)|kvm|~|none");
}

/* A rented machine of the same maker, without a hypervisor; and one of which nothing is known. */
Test(probe_hardware, rented)
{
    dmi("Amazon EC2\n", "p4d.metal\n");
    tree_put(&tree, "/proc/cpuinfo", "processor : 0\nflags\t\t: fpu vme de\n");
    run_host();
    expect_rows(&tree, "SELECT product, hypervisor FROM host", "Amazon EC2 p4d.metal|none");
}

Test(probe_hardware, unknown)
{
    dmi("To Be Filled By O.E.M.\n", "System Product Name\n");
    tree_put(&tree, "/sys/class/dmi/id/board_vendor", "ASUSTeK COMPUTER INC.\n");
    tree_put(&tree, "/sys/class/dmi/id/board_name", "ROG STRIX X670E-E\n");
    tree_put(&tree, "/proc/meminfo", "MemTotal: lots kB\n");
    tree_put(&tree, "/sys/kernel/security/lockdown", "integrity\n");
    run_host();
    expect_rows(&tree, HARDWARE, "ASUSTeK COMPUTER INC. ROG STRIX X670E-E|~|~|~");
}

Test(probe_hardware, device_tree)
{
    tree_put_bytes(&tree, "/proc/device-tree/model", "NVIDIA Jetson AGX Orin\0", 23);
    run_host();
    expect_rows(&tree, "SELECT product, hypervisor FROM host", "NVIDIA Jetson AGX Orin|~");
}

Test(probe_hardware, flags)
{
    cr_expect_eq(cpu_alias_hypervisor("cpu:type:x86,x:feature:,009F", 28).value, 1);
    cr_expect_not(cpu_alias_hypervisor("cpu:type:aarch64:feature:,009F", 30).known);
    cr_expect_not(cpu_alias_hypervisor("", 0).known);
    cr_expect_eq(cpu_info_hypervisor("flags : a hypervisor b\n", 23).value, 1);
    cr_expect_not(cpu_info_hypervisor("Features : fp asimd\n", 20).known);
}

/* --- PCI --- */

#define DEVICES "/sys/bus/pci/devices/"
/* A GPU below these bridges, as a live sysfs has it: a link. */
static void gpu(const char *chain, const char *address, const char *numa_node)
{
    const char *folder = arena_printf(&tree.arena, "/sys/devices/%s/%s", chain, address);
    tree_put(&tree, arena_printf(&tree.arena, "%s/vendor", folder), "0x10de\n");
    tree_put(&tree, arena_printf(&tree.arena, "%s/device", folder), "0x2330\n");
    tree_put(&tree, arena_printf(&tree.arena, "%s/class", folder), "0x030200\n");
    tree_put(&tree, arena_printf(&tree.arena, "%s/numa_node", folder), numa_node);
    tree_link(&tree, arena_printf(&tree.arena, DEVICES "%s", address), folder);
}

static void run_pci(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_pci);
    tree_run(&tree, &probe_gpu_link);
}

#define LINKS "SELECT a, b, path, bridge FROM gpu_link"
#define SWITCH "pci0000:00/0000:00:01.1/0000:01:00.0/"

Test(probe_hardware, paths)
{
    gpu(SWITCH "0000:02:00.0", "0000:03:00.0", "0\n");
    gpu(SWITCH "0000:02:01.0", "0000:04:00.0", "0\n");
    gpu(SWITCH "0000:02:02.0/0000:05:00.0/0000:06:00.0", "0000:07:00.0", "0\n");
    gpu("pci0000:00/0000:00:03.1", "0000:20:00.0", "0\n");
    gpu("pci0000:40/0000:40:01.1", "0000:41:00.0", "0\n");
    gpu("pci0000:80/0000:80:01.1", "0000:81:00.0", "1\n");
    run_pci();
    expect_rows(&tree, LINKS,
                "0000:03:00.0|0000:04:00.0|PIX|0000:01:00.0\n"
                "0000:03:00.0|0000:07:00.0|PXB|0000:01:00.0\n"
                "0000:03:00.0|0000:20:00.0|PHB|pci0000:00\n"
                "0000:03:00.0|0000:41:00.0|NODE|~\n"
                "0000:03:00.0|0000:81:00.0|SYS|~\n"
                "0000:04:00.0|0000:07:00.0|PXB|0000:01:00.0\n"
                "0000:04:00.0|0000:20:00.0|PHB|pci0000:00\n"
                "0000:04:00.0|0000:41:00.0|NODE|~\n"
                "0000:04:00.0|0000:81:00.0|SYS|~\n"
                "0000:07:00.0|0000:20:00.0|PHB|pci0000:00\n"
                "0000:07:00.0|0000:41:00.0|NODE|~\n"
                "0000:07:00.0|0000:81:00.0|SYS|~\n"
                "0000:20:00.0|0000:41:00.0|NODE|~\n"
                "0000:20:00.0|0000:81:00.0|SYS|~\n"
                "0000:41:00.0|0000:81:00.0|SYS|~");
    expect_rows(&tree, "SELECT pci_address, upstream FROM pci_device",
                "0000:03:00.0|0000:02:00.0\n0000:04:00.0|0000:02:01.0\n0000:07:00.0|0000:06:00.0\n"
                "0000:20:00.0|0000:00:03.1\n0000:41:00.0|0000:40:01.1\n0000:81:00.0|0000:80:01.1");
}

/* A virtual machine puts its GPUs beside each other, and numbers no nodes. */
Test(probe_hardware, paths_of_a_virtual_machine)
{
    gpu("pci0000:00", "0000:00:06.0", "-1\n");
    gpu("pci0000:00", "0000:00:07.0", "-1\n");
    gpu("pci0001:00", "0001:00:07.0", "-1\n");
    run_pci();
    expect_rows(&tree, LINKS,
                "0000:00:06.0|0000:00:07.0|PHB|pci0000:00\n"
                "0000:00:06.0|0001:00:07.0|~|~\n"
                "0000:00:07.0|0001:00:07.0|~|~");
    expect_rows(&tree, "SELECT DISTINCT upstream FROM pci_device", "none");
}

Test(probe_hardware, one_node)
{
    gpu("pci0000:00/0000:00:01.0", "0000:01:00.0", "-1\n");
    gpu("pci0000:40/0000:40:01.0", "0000:41:00.0", "-1\n");
    tree_folder(&tree, "/sys/devices/system/node/node0");
    tree_put(&tree, "/sys/devices/system/node/node0/cpumap", "ff\n");
    run_pci();
    expect_rows(&tree, LINKS, "0000:01:00.0|0000:41:00.0|NODE|~");
}

/* A record without links: nothing is known, and that is said. */
Test(probe_hardware, record_without_bridges)
{
    for (int i = 1; i < 3; i++) {
        const char *folder = arena_printf(&tree.arena, DEVICES "0000:0%d:00.0", i);
        tree_put(&tree, arena_printf(&tree.arena, "%s/vendor", folder), "0x10de\n");
        tree_put(&tree, arena_printf(&tree.arena, "%s/device", folder), "0x2330\n");
        tree_put(&tree, arena_printf(&tree.arena, "%s/class", folder), "0x030000\n");
        tree_put(&tree, arena_printf(&tree.arena, "%s/current_link_speed", folder), "Unknown\n");
    }
    run_pci();
    expect_rows(&tree, "SELECT count(*) FROM gpu_link", "0");
    expect_rows(&tree, "SELECT status FROM probe WHERE fills = 'gpu_link'", "skipped");
    expect_rows(&tree,
                "SELECT DISTINCT upstream, link_speed, bar1_mib, virtual_function FROM pci_device",
                "~|~|~|~");
}

Test(probe_hardware, many)
{
    for (int i = 0; i < 40; i++)
        gpu("pci0000:00", arena_printf(&tree.arena, "0000:00:%02x.%d", i / 8, i % 8), "0\n");
    run_pci();
    expect_rows(&tree, "SELECT count(*) FROM gpu_link", "496");
    expect_rows(&tree, "SELECT status FROM probe WHERE fills = 'gpu_link'", "malformed");
}

static const char resource[] = "0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\n"
                               "0x0000380000000000 0x0000381fffffffff 0x000000000014220c\n"
                               "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                               "0x0000382000000000 0x0000382001ffffff 0x000000000014220c\n"
                               "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                               "0x0000000000003000 0x000000000000307f 0x0000000000040101\n"
                               "0x00000000a1000000 0x00000000ffffffff 0x0000000000046200\n";

Test(probe_hardware, columns)
{
    gpu("pci0000:00/0000:00:01.0", "0000:01:00.0", "0\n");
    gpu("pci0000:00/0000:00:01.0", "0000:01:00.4", "0\n");
    const char *folder = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/";
    tree_put(&tree, arena_printf(&tree.arena, "%sresource", folder), resource);
    tree_put(&tree, arena_printf(&tree.arena, "%scurrent_link_speed", folder), "2.5 GT/s PCIe\n");
    tree_put(&tree, arena_printf(&tree.arena, "%smax_link_speed", folder), "32.0 GT/s PCIe\n");
    tree_link(&tree, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.4/physfn", "../0000:01:00.0");
    run_pci();
    expect_rows(&tree,
                "SELECT link_speed, max_link_speed, upstream, bar1_mib, virtual_function FROM "
                "pci_device",
                "2.5 GT/s PCIe|32.0 GT/s PCIe|0000:00:01.0|131072|0\n~|~|0000:00:01.0|~|1");
    expect_rows(&tree, "SELECT count(*) FROM gpu_link", "0"); /* a function of the same GPU */
}

Test(probe_hardware, windows)
{
    static const char none[] = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
    static const char all[] = "0x0000000000000000 0xffffffffffffffff 0x0000000000040200\n";
    cr_expect_eq(pci_largest_window(resource, sizeof resource - 1).value, 131072);
    cr_expect_eq(pci_largest_window(none, sizeof none - 1).value, 0);
    cr_expect(pci_largest_window(none, sizeof none - 1).known);
    cr_expect_eq(pci_largest_window(all, sizeof all - 1).value, 0); /* 2^64 is no size */
    cr_expect_not(pci_largest_window("", 0).known);
    cr_expect_not(pci_largest_window("0x1 0x2\n", 8).known);
    cr_expect_not(pci_largest_window("a b c\n", 6).known);
    cr_expect_not(pci_largest_window("0x11111111111111111 0x2 0x3\n", 28).known);
}
