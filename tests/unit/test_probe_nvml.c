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

static char *corpus(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", SOURCE_DIR, name);
    char *text = arena_alloc(&tree.arena, 16 * 1024);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    text[fread(text, 1, 16 * 1024 - 1, file)] = '\0';
    fclose(file);
    return text;
}

Test(probe_nvml, states_and_mig_devices_of_a_report)
{
    tree_put(&tree, "/.record/nvidia-smi.xml", corpus("smi_xml/a100-mig-470.xml"));
    run();
    expect_rows(&tree,
                "SELECT pci_address, mig, mig_pending, mig_instances, virtualization, "
                "recovery_action, gsp_firmware, addressing_mode, nvlinks FROM gpu",
                "0000:21:00.0|1|1|2|host-vgpu|~|~|~|~\n0000:81:00.0|0|1|0|~|~|~|~|~");
    expect_rows(&tree,
                "SELECT source, pci_address, mig_index, gpu_instance, compute_instance, uuid, "
                "memory_mib FROM mig_device",
                "nvidia-smi|0000:21:00.0|0|3|0|~|9856\n"
                "nvidia-smi|0000:21:00.0|1|5|1|MIG-22220000-0000-0000-0000-000000000470|~");
}

Test(probe_nvml, recovery_firmware_and_addressing_of_a_report)
{
    tree_put(&tree, "/.record/nvidia-smi.xml", corpus("smi_xml/laptop-575.xml"));
    run();
    expect_rows(&tree,
                "SELECT virtualization, recovery_action, gsp_firmware, addressing_mode FROM gpu",
                "none|None|575.51.02|HMM");
    expect_rows(&tree, "SELECT count(*) FROM mig_device", "0");
}

Test(probe_nvml, pasted_table)
{
    tree_put(&tree, "/.record/nvidia-smi.txt", corpus("smi_table/a100-mig-535"));
    run();
    expect_rows(&tree, "SELECT source, status FROM nvml", ".record/nvidia-smi.txt|ok");
    expect_rows(&tree, "SELECT source, version, cuda FROM driver", "nvidia-smi|535.183.01|12.2");
    expect_rows(&tree,
                "SELECT source, pci_address, gpu_index, name, memory_mib, mig, mig_pending, "
                "mig_instances, compute_mode, uuid FROM gpu",
                "nvidia-smi|0000:21:00.0|0|NVIDIA A100-PCIE-40GB|40960|1|1|2|Default|~\n"
                "nvidia-smi|0000:81:00.0|1|NVIDIA A100-PCIE-40GB|40960|0|1|0|Default|~");
    expect_rows(&tree, "SELECT mig_index, gpu_instance, memory_mib FROM mig_device",
                "0|3|9856\n1|4|9856");
}

Test(probe_nvml, answer_of_a_library)
{
    tree_open(&tree);
    machine_free(tree.machine);
    cr_assert_eq(machine_open_live(&tree.machine, &tree.error), 0);
    tree.context.machine = tree.machine;
    setenv("FAKE_NVML", "ok", 1);
    tree.context.nvml =
        nvml_start(tree.machine,
                   &(struct nvml_options){.library = FAKE_NVML, .deadline_ms = 10000, .smi = ""});
    tree_run(&tree, &probe_nvml_finish);
    expect_rows(&tree,
                "SELECT gpu_index, mig_pending, virtualization, addressing_mode, recovery_action, "
                "nvlinks, nvlinks_active, gsp_firmware FROM gpu",
                "0|1|passthrough|None|None|4|3|580.159.04\n1|1|host-vgpu|HMM|~|0|0|~");
    expect_rows(&tree,
                "SELECT source, pci_address, mig_index, gpu_instance, compute_instance, uuid, "
                "name, memory_mib FROM mig_device",
                "nvml|000a:0b:00.0|0|1|0|MIG-0000|NVIDIA A100 MIG 3g.20gb|20096\n"
                "nvml|000a:0b:00.0|3|2|0|MIG-3333|NVIDIA A100 MIG 3g.20gb|20096");
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
                "malformed|nvml gpu driver mig_device");
}

Test(probe_nvml, mismatch_with_gpu_on_the_bus)
{
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/device", "0x2684\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    fail_with("Failed to initialize NVML: Driver/library version mismatch\n");
    expect_rows(&tree, "SELECT fills FROM probe WHERE name = 'nvml'", "nvml driver mig_device");
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
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE name = 'nvml'",
                "skipped|nvml gpu driver mig_device");
}

/* Nobody would have answered: nothing is left open. */
Test(probe_nvml, nothing_recorded_without_driver)
{
    tree_put(&tree, "/proc/modules", "ext4 1 0 - Live 0x0\n");
    tree_open(&tree);
    tree_run(&tree, &probe_nvml_start);
    tree_run(&tree, &probe_nvml_finish);
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE name = 'nvml'", "skipped|nvml");
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
