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

TestSuite(probe_nvml, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_pci);
    tree_run(&tree, &probe_nvml_start);
    tree_run(&tree, &probe_nvml_finish);
}

Test(probe_nvml, recorded_answer)
{
    tree_put(&tree, "/.record/nvidia-smi.xml",
             "<?xml version=\"1.0\" ?>\n<nvidia_smi_log><driver_version>580.95.05</driver_version>"
             "<cuda_version>13.0</cuda_version><attached_gpus>1</attached_gpus>"
             "<gpu id=\"00000000:3B:00.0\"><product_name>NVIDIA H200</product_name>"
             "<uuid>GPU-1</uuid><minor_number>0</minor_number>"
             "<fb_memory_usage><total>143771 MiB</total></fb_memory_usage>"
             "<compute_mode>Default</compute_mode></gpu></nvidia_smi_log>\n");
    run();
    expect_rows(&tree, "SELECT source, status, code FROM nvml", ".record/nvidia-smi.xml|ok|~");
    expect_rows(&tree, "SELECT source, part, version, cuda, cuda_key, path FROM driver",
                "nvidia-smi|library|580.95.05|13.0|1300|.record/nvidia-smi.xml");
    expect_rows(&tree,
                "SELECT source, pci_address, gpu_index, uuid, name, memory_mib, device_minor, cc "
                "FROM gpu",
                "nvidia-smi|0000:3b:00.0|0|GPU-1|NVIDIA H200|143771|0|~");
    expect_rows(&tree, "SELECT status, ms FROM probe WHERE name = 'nvml'", "ok|~");
}

static void fail_with(const char *words)
{
    tree_put(&tree, "/.record/nvidia-smi.err", words);
    run();
}

Test(probe_nvml, mismatch_leaves_gpus_open)
{
    fail_with("Failed to initialize NVML: Driver/library version mismatch\n");
    expect_rows(&tree, "SELECT status, code, code_name FROM nvml",
                "failed|18|LIB_RM_VERSION_MISMATCH");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE name = 'nvml'",
                "malformed|nvml gpu driver");
}

Test(probe_nvml, mismatch_with_gpu_on_the_bus)
{
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    fail_with("Failed to initialize NVML: Driver/library version mismatch\n");
    expect_rows(&tree, "SELECT fills FROM probe WHERE name = 'nvml'", "nvml driver");
}

Test(probe_nvml, no_permission)
{
    fail_with("Failed to initialize NVML: Insufficient Permissions\n");
    expect_rows(&tree, "SELECT code FROM nvml", "4");
    expect_rows(&tree, "SELECT status FROM probe WHERE name = 'nvml'", "denied");
}

Test(probe_nvml, driver_not_loaded_is_a_fact)
{
    fail_with("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make "
              "sure that the latest NVIDIA driver is installed and running.\n");
    expect_rows(&tree, "SELECT status, code FROM nvml", "failed|9");
    expect_rows(&tree, "SELECT status FROM probe WHERE name = 'nvml'", "absent");
}

Test(probe_nvml, nothing_recorded)
{
    run();
    expect_rows(&tree, "SELECT status, message FROM nvml",
                "skipped|the record does not hold NVML's answer");
    expect_rows(&tree, "SELECT status FROM probe WHERE name = 'nvml'", "skipped");
}

/* A live machine without a loaded driver is never asked, whatever else it has. */
Test(probe_nvml, live_without_driver)
{
    tree_open(&tree);
    machine_free(tree.machine);
    cr_assert_eq(machine_open_live(&tree.machine, &tree.error), 0);
    tree.context.machine = tree.machine;
    facts_add_host(tree.facts, &(struct row_host){.tegra = known(0), .wsl = known(0)});
    if (machine_exists(tree.machine, "/proc/modules") ||
        machine_exists(tree.machine, "/sys/module")) {
        facts_add_device_node(tree.facts, &(struct row_device_node){.path = "/dev/nvidiactl"});
        facts_add_device_node(tree.facts, &(struct row_device_node){.path = "/dev/nvidia0"});
    }
    tree_run(&tree, &probe_nvml_start);
    cr_expect_null(tree.context.nvml);
    tree_run(&tree, &probe_nvml_finish);
    expect_rows(&tree, "SELECT status, message FROM nvml",
                "skipped|no NVIDIA kernel module is loaded");
}

static void live_reason(const struct row_host *host, const char *reason)
{
    tree_open(&tree);
    machine_free(tree.machine);
    cr_assert_eq(machine_open_live(&tree.machine, &tree.error), 0);
    tree.context.machine = tree.machine;
    facts_add_host(tree.facts, host);
    facts_add_driver(tree.facts, &(struct row_driver){.source = "proc", .part = "module"});
    tree_run(&tree, &probe_nvml_start);
    cr_assert_null(tree.context.nvml);
    expect_rows(&tree, "SELECT message FROM nvml", reason);
}

Test(probe_nvml, tegra_is_not_asked)
{
    live_reason(&(struct row_host){.tegra = known(1)}, "Tegra has no NVML");
}

Test(probe_nvml, wsl_without_dxg_is_not_asked)
{
    live_reason(&(struct row_host){.wsl = known(2)},
                "WSL has no /dev/dxg: it hands no GPU through");
}

Test(probe_nvml, driver_without_node_is_not_asked)
{
    live_reason(&(struct row_host){.wsl = known(0)}, "there is no /dev/nvidiactl");
}

Test(probe_nvml, sleeping_gpu_is_not_woken)
{
    tree_open(&tree);
    machine_free(tree.machine);
    cr_assert_eq(machine_open_live(&tree.machine, &tree.error), 0);
    tree.context.machine = tree.machine;
    facts_add_host(tree.facts, &(struct row_host){.wsl = known(0)});
    facts_add_driver(tree.facts, &(struct row_driver){.source = "proc", .part = "module"});
    facts_add_device_node(tree.facts, &(struct row_device_node){.path = "/dev/nvidiactl"});
    facts_add_pci_device(tree.facts,
                         &(struct row_pci_device){.kind = "gpu", .runtime_status = "suspended"});
    tree_run(&tree, &probe_nvml_start);
    cr_assert_null(tree.context.nvml);
    expect_rows(&tree, "SELECT message FROM nvml", "a GPU sleeps; --wake asks it nevertheless");
}
