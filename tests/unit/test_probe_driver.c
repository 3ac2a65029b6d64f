#include "probe_tree.h"

#include "ldcache_write.h"

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

TestSuite(probe_driver, .init = start, .fini = finish);

static void device(const char *address, const char *vendor, const char *id, const char *class)
{
    char path[128];
    const char *names[][2] = {{"vendor", vendor}, {"device", id}, {"class", class}};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", address, names[i][0]);
        tree_put(&tree, path, names[i][1]);
    }
}

Test(probe_driver, pci)
{
    device("0000:01:00.0", "0x10de\n", "0x2684\n", "0x030000\n");
    tree_link(&tree, "/sys/bus/pci/devices/0000:01:00.0/driver",
              "../../../../bus/pci/drivers/nvidia");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/power/runtime_status", "suspended\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/numa_node", "-1\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/current_link_width", "8\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/max_link_width", "255\n");
    device("0000:01:00.1", "0x10de\n", "0x22ba\n", "0x040300\n"); /* its sound device */
    device("0000:02:00.0", "0x10DE\n", "0x2330\n", "0x030200\n");
    device("0000:03:00.0", "0x10de\n", "0x22a3\n", "0x068000\n"); /* NVSwitch */
    device("0000:04:00.0", "0x10de\n", "0x0373\n", "0x068000\n"); /* network of an nForce board */
    device("0000:05:00.0", "0x1002\n", "0x744c\n", "0x030000\n");
    device("0000:06:00.0", "0x10de\n", "0x\n", "0x030000\n");
    tree_open(&tree);
    tree_run(&tree, &probe_pci);
    expect_rows(&tree,
                "SELECT pci_address, vendor_id, device_id, class, kind, driver, runtime_status, "
                "numa_node, link_width, max_link_width FROM pci_device",
                "0000:01:00.0|10de|2684|030000|gpu|nvidia|suspended|~|8|~\n"
                "0000:02:00.0|10de|2330|030200|gpu|none|~|~|~|~\n"
                "0000:03:00.0|10de|22a3|068000|nvswitch|none|~|~|~|~");
    expect_rows(&tree, "SELECT status, path FROM probe ORDER BY rowid",
                "ok|/sys/bus/pci/devices\nmalformed|/sys/bus/pci/devices/0000:06:00.0");
}

Test(probe_driver, nothing_there)
{
    tree_open(&tree);
    tree_run(&tree, &probe_pci);
    tree_run(&tree, &probe_kernel_module);
    tree_run(&tree, &probe_driver_version);
    tree_run(&tree, &probe_gpu_proc);
    tree_run(&tree, &probe_loader_cache);
    tree_run(&tree, &probe_driver_library);
    tree_run(&tree, &probe_toolkit);
    tree_run(&tree, &probe_device_node);
    tree_run(&tree, &probe_service);
    expect_rows(&tree, "SELECT name, status, error, fills FROM probe ORDER BY rowid",
                "pci|absent|2|pci_device\n"
                "kernel_module|absent|2|kernel_module\n"
                "kernel_module|absent|2|kernel_module\n"
                "driver_version|absent|2|driver\n"
                "driver_version|absent|2|driver\n"
                "gpu_proc|absent|2|gpu\n"
                "loader_cache|absent|2|loader_cache\n"
                "driver_library|absent|~|driver_library\n"
                "toolkit|absent|~|toolkit\n"
                "device_node|skipped|~|device_node\n"
                "service|skipped|~|service");
}

Test(probe_driver, modules)
{
    tree_put(&tree, "/proc/modules",
             "nvidia_uvm 1830912 - - Live 0xffffffffc080c000 (O)\n"
             "nvidia 14299136 - - Unloading 0xffffffffc0400000 (O)\next4 1 0 - Live 0x0\n");
    tree_put(&tree, "/sys/module/nvidia/version", "580.159.04\n");
    tree_put(&tree, "/sys/module/nouveau/initstate", "coming\n");
    tree_folder(&tree, "/sys/module/nova_core");
    tree_open(&tree);
    tree_run(&tree, &probe_kernel_module);
    expect_rows(&tree, "SELECT name, source, state, version, version_key FROM kernel_module",
                "nvidia|/proc/modules|unloading|580.159.04|580159004\n"
                "nvidia_uvm|/proc/modules|live|~|~\n"
                "nouveau|/sys/module/nouveau|loading|~|~\n"
                "nova_core|/sys/module/nova_core|live|~|~");
}

Test(probe_driver, module_versions)
{
    tree_put(&tree, "/proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "
             "(me@home)\n");
    tree_put(&tree, "/sys/module/nvidia/version", "580.142\n");
    tree_put(&tree, "/proc/driver/nvidia/gpus/0000:00:06.0/information",
             "Model: \t NVIDIA H200\nGPU UUID: \t GPU-1\nDevice Minor: \t 3\n");
    tree_put(&tree, "/proc/driver/nvidia/gpus/0000:00:07.0/information", "\1\2\3");
    tree_open(&tree);
    tree_run(&tree, &probe_driver_version);
    tree_run(&tree, &probe_gpu_proc);
    expect_rows(&tree, "SELECT source, part, version, version_key, flavour, cuda, path FROM driver",
                "proc|module|580.159.04|580159004|open|~|/proc/driver/nvidia/version\n"
                "sys|module|580.142|580142000|~|~|/sys/module/nvidia/version");
    expect_rows(&tree, "SELECT source, pci_address, uuid, name, device_minor, gpu_index FROM gpu",
                "proc|0000:00:06.0|GPU-1|NVIDIA H200|3|~");
    expect_rows(&tree, "SELECT path, fills FROM probe WHERE status = 'malformed'",
                "/proc/driver/nvidia/gpus/0000:00:07.0/information|gpu");
}

static void put_cache(const struct ldcache_entry *entries, size_t count)
{
    struct text bytes = {0};
    ldcache_write(entries, count, NULL, &bytes);
    tree_put_bytes(&tree, "/etc/ld.so.cache", bytes.data, bytes.length);
    text_done(&bytes);
}

static void run_libraries(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_host);
    tree_run(&tree, &probe_loader_cache);
    tree_run(&tree, &probe_driver_library);
}

Test(probe_driver, libraries_in_the_loaders_order)
{
    tree_elf(&tree, "/opt/drv/libcuda.so.550.90.07", 62);
    tree_link(&tree, "/opt/drv/libcuda.so.1", "libcuda.so.550.90.07");
    tree_elf(&tree, "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.10", 62);
    tree_link(&tree, "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.570.86.10");
    tree_link(&tree, "/lib", "usr/lib");
    tree_elf(&tree, "/usr/lib/i386-linux-gnu/libcuda.so.570.86.10", 3);
    tree_link(&tree, "/usr/lib/i386-linux-gnu/libcuda.so.1", "libcuda.so.570.86.10");
    tree_elf(&tree, "/usr/local/cuda-12.9/compat/libcuda.so.575.57.08", 62);
    tree_link(&tree, "/usr/local/cuda-12.9/compat/libcuda.so.1", "libcuda.so.575.57.08");
    tree_put(&tree, "/.record/environ", "LD_LIBRARY_PATH=/nowhere:/opt/drv/:$ORIGIN/x\n");
    static const struct ldcache_entry entries[] = {
        {"libcuda.so.1", "/usr/local/cuda-12.9/compat/libcuda.so.1", LDCACHE_X86_64},
        {"libcuda.so.1", "/lib/i386-linux-gnu/libcuda.so.1", LDCACHE_I386},
        {"libcuda.so.1", "/lib/x86_64-linux-gnu/libcuda.so.1", LDCACHE_X86_64},
        {"libnvidia-ml.so.1", "/lib/x86_64-linux-gnu/libnvidia-ml.so.1", LDCACHE_X86_64},
        {"libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1", LDCACHE_X86_64},
    };
    put_cache(entries, 5);
    run_libraries();
    expect_rows(
        &tree,
        "SELECT name, path, version, bits, arch, found_by, stub, compat, size "
        "FROM driver_library",
        "libcuda|/opt/drv/libcuda.so.1|550.90.07|64|x86_64|LD_LIBRARY_PATH|0|0|64\n"
        "libcuda|/usr/local/cuda-12.9/compat/libcuda.so.1|575.57.08|64|x86_64|cache|0|1|64\n"
        "libcuda|/lib/i386-linux-gnu/libcuda.so.1|570.86.10|32|i386|cache|0|0|64\n"
        "libcuda|/lib/x86_64-linux-gnu/libcuda.so.1|570.86.10|64|x86_64|cache|0|0|64");
    expect_rows(&tree, "SELECT source, part, version, path FROM driver",
                "library|library|550.90.07|/opt/drv/libcuda.so.550.90.07");
    expect_rows(&tree, "SELECT position, soname, arch, present FROM loader_cache",
                "0|libcuda.so.1|x86_64|1\n1|libcuda.so.1|i386|1\n2|libcuda.so.1|x86_64|1\n"
                "3|libnvidia-ml.so.1|x86_64|0");
}

Test(probe_driver, stub_leftover_and_dangling)
{
    tree_elf(&tree, "/usr/local/cuda/lib64/stubs/libcuda.so", 62);
    tree_link(&tree, "/usr/local/cuda/lib64/stubs/libcuda.so.1", "libcuda.so");
    tree_put(&tree, "/usr/lib64/libcuda.so.1", "");
    tree_link(&tree, "/usr/lib64/libnvidia-ml.so.1", "libnvidia-ml.so.535.54.03");
    tree_put(&tree, "/.record/environ", "LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs\n");
    run_libraries();
    expect_rows(
        &tree, "SELECT path, version, size, bits, stub FROM driver_library",
        "/usr/local/cuda/lib64/stubs/libcuda.so.1|~|64|64|1\n/usr/lib64/libcuda.so.1|~|0|~|0");
    expect_rows(&tree, "SELECT count(*) FROM driver", "0");
    expect_rows(&tree,
                "SELECT status, detail FROM probe WHERE path = '/usr/lib64/libnvidia-ml.so.1'",
                "absent|it is a link that leads nowhere");
}

Test(probe_driver, files_without_links)
{
    tree_elf(&tree, "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14", 62);
    tree_elf(&tree, "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15", 62);
    tree_elf(&tree, "/usr/lib/x86_64-linux-gnu/libcudart.so.12.4.127", 62);
    run_libraries();
    expect_rows(&tree, "SELECT name, path, found_by FROM driver_library",
                "libcuda|/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14|place\n"
                "libnvidia-ml|/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.54.15|place");
    expect_rows(&tree, "SELECT version FROM driver WHERE source = 'library'",
                "550.54.14\n550.54.15");
}

/* Container-Optimized OS, Flatcar, Talos and Bottlerocket: no loader cache knows these. */
Test(probe_driver, hosts_that_cannot_be_written_to)
{
    static const char *const folders[] = {
        "/home/kubernetes/bin/nvidia/lib64",
        "/opt/nvidia/current/usr/lib64",
        "/opt/nvidia/current/usr/lib",
        "/usr/local/glibc/usr/lib",
        "/x86_64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla",
        "/aarch64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla",
    };
    for (int i = 0; i < 6; i++)
        tree_elf(&tree, arena_printf(&tree.arena, "%s/libcuda.so.550.127.0%d", folders[i], i), 62);
    run_libraries();
    for (int i = 0; i < 6; i++)
        expect_rows(&tree,
                    arena_printf(&tree.arena,
                                 "SELECT path FROM driver_library WHERE version = '550.127.0%d'",
                                 i),
                    arena_printf(&tree.arena, "%s/libcuda.so.550.127.0%d", folders[i], i));
}

Test(probe_driver, wsl_copies_have_no_version)
{
    tree_elf(&tree, "/usr/lib/wsl/lib/libcuda.so.1.1", 62);
    tree_elf(&tree, "/usr/lib/wsl/lib/libcuda.so.1", 62);
    tree_elf(&tree, "/run/opengl-driver/lib/libcuda.so.1", 62);
    run_libraries();
    expect_rows(&tree, "SELECT path, version FROM driver_library",
                "/usr/lib/wsl/lib/libcuda.so.1|~\n/run/opengl-driver/lib/libcuda.so.1|~");
    expect_rows(&tree, "SELECT count(*) FROM driver", "0");
}

Test(probe_driver, nodes_and_services)
{
    tree_put(&tree, "/.record/user", "ann 1000 1000\n");
    tree_put(
        &tree, "/.record/dev",
        "crw-rw---- root video 195,0 /dev/nvidia0\ncrw-rw-rw- root root 195,255 /dev/nvidiactl\n");
    tree_put(&tree, "/.record/services",
             "nvidia-fabricmanager.service failed\ndocker.service active\n");
    tree_open(&tree);
    tree_run(&tree, &probe_device_node);
    tree_run(&tree, &probe_service);
    expect_rows(
        &tree,
        "SELECT path, mode, owner, owner_group, major, minor, usable, error FROM device_node",
        "/dev/nvidia0|432|root|video|195|0|0|13\n/dev/nvidiactl|438|root|root|195|255|1|~");
    expect_rows(&tree, "SELECT name, state FROM service ORDER BY name",
                "docker|active\nnvidia-fabricmanager|failed");
}

Test(probe_driver, gpu_firmware_and_exclusion)
{
    static const char folder[] = "/proc/driver/nvidia/gpus";
    tree_put(&tree, arena_printf(&tree.arena, "%s/0000:01:00.0/information", folder),
             "Model: NVIDIA A100\nGPU UUID: GPU-1\nDevice Minor: 0\nGPU Firmware: 550.54.15\n"
             "GPU Excluded: No\n");
    tree_put(&tree, arena_printf(&tree.arena, "%s/0000:02:00.0/information", folder),
             "Model: NVIDIA A100\nGPU Firmware: N/A\nGPU Excluded: Yes\n");
    tree_put(&tree, arena_printf(&tree.arena, "%s/0000:03:00.0/information", folder), "\1\2\n");
    tree_open(&tree);
    tree_run(&tree, &probe_gpu_proc);
    expect_rows(&tree, "SELECT pci_address, gsp_firmware, excluded FROM gpu",
                "0000:01:00.0|550.54.15|0\n0000:02:00.0|~|1");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE path LIKE '%03:00.0%'",
                "malformed|gpu");
}

Test(probe_driver, licensing_of_a_guest)
{
    tree_put(&tree, "/etc/nvidia/gridd.conf", "ServerAddress=10.0.0.1\n");
    tree_put(&tree, "/.record/services", "nvidia-gridd.service active\nslurmd.service active\n");
    tree_open(&tree);
    tree_run(&tree, &probe_service);
    expect_rows(&tree, "SELECT name, state FROM service ORDER BY name",
                "nvidia-gridd|active\nslurmd|active");
    expect_rows(&tree, "SELECT status, path, detail FROM probe WHERE path IS NOT NULL",
                "ok|/etc/nvidia/gridd.conf|vGPU licensing is configured");
}

/* What should be a text file is a FIFO, a folder, garbage, a link in a circle. */
Test(probe_driver, hostile_files)
{
    tree_fifo(&tree, "/proc/modules");
    tree_folder(&tree, "/proc/driver/nvidia/version");
    tree_link(&tree, "/sys/module/nvidia/version", "version");
    tree_put(&tree, "/etc/ld.so.cache", "\177ELF garbage");
    tree_put(&tree, "/usr/lib64/libcuda.so.1", "#!/bin/sh\nexit 1\n");
    tree_fifo(&tree, "/usr/lib64/libnvidia-ml.so.1");
    run_libraries();
    tree_run(&tree, &probe_kernel_module);
    tree_run(&tree, &probe_driver_version);
    expect_rows(&tree,
                "SELECT path, status, error FROM probe WHERE status = 'malformed' ORDER BY path",
                "/etc/ld.so.cache|malformed|~\n/proc/driver/nvidia/version|malformed|21\n"
                "/proc/modules|malformed|22\n/sys/module/nvidia/version|malformed|40\n"
                "/usr/lib64/libcuda.so.1|malformed|~\n/usr/lib64/libnvidia-ml.so.1|malformed|22");
    expect_rows(&tree, "SELECT path, bits FROM driver_library", "/usr/lib64/libcuda.so.1|~");
}

/* Without the suite's fixture, which a skipped test would leave behind. */
Test(probe_denied, modules)
{
    if (geteuid() == 0)
        cr_skip("root may read every file");
    start();
    tree_put(&tree, "/proc/modules", "nvidia 1 0 - Live 0x0\n");
    chmod(tree_inside(&tree, "/proc/modules"), 0);
    tree_open(&tree);
    tree_run(&tree, &probe_kernel_module);
    expect_rows(&tree, "SELECT status, error FROM probe WHERE path = '/proc/modules'", "denied|13");
    finish();
}
