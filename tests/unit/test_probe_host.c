#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_host, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_device_node);
    tree_run(&tree, &probe_host);
}

Test(probe_host, ubuntu)
{
    tree_put(
        &tree, "/etc/os-release",
        "PRETTY_NAME=\"Ubuntu 24.04.3 LTS\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n");
    tree_put(&tree, "/.record/uname", "Linux 6.8.0-60-generic #1 SMP PREEMPT x86_64\n");
    tree_put(&tree, "/.record/glibc", "2.39\n");
    tree_put(&tree, "/.record/user", "ann 1000 1000 44\n");
    tree_put(&tree, "/.record/partial", "");
    tree_put_bytes(&tree,
                   "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                   "\6\0\0\0\1", 5);
    run();
    expect_rows(&tree,
                "SELECT machine_kind, partial, os_id, os_id_like, os_version, os_name, kernel, "
                "kernel_key, arch, glibc, glibc_key, libc FROM host",
                "recorded|1|ubuntu|debian|24.04|Ubuntu 24.04.3 LTS|6.8.0-60-generic|6008000|x86_64|"
                "2.39|239|glibc");
    expect_rows(&tree,
                "SELECT wsl, tegra, container, user_name, uid, secure_boot, immutable FROM host",
                "0|0|none|ann|1000|1|0");
}

Test(probe_host, shim_validation_off)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 x86_64\n");
    tree_put_bytes(&tree,
                   "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                   "\6\0\0\0\1", 5);
    tree_put_bytes(&tree,
                   "/sys/firmware/efi/efivars/MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23",
                   "\6\0\0\0\1", 5);
    run();
    expect_rows(&tree, "SELECT secure_boot FROM host", "0");
}

Test(probe_host, docker_in_wsl2)
{
    tree_put(&tree, "/.record/uname", "Linux 6.6.87.2-microsoft-standard-WSL2 #1 SMP x86_64\n");
    tree_put(&tree, "/.dockerenv", "");
    run();
    expect_rows(&tree, "SELECT wsl, container FROM host", "2|docker");
}

Test(probe_host, wsl_with_own_kernel)
{
    tree_put(&tree, "/.record/uname", "Linux 6.9.0-custom #1 SMP x86_64\n");
    tree_put(&tree, "/.record/dev", "crw-rw-rw- root root 10,125 /dev/dxg\n");
    tree_put(&tree, "/usr/lib/wsl/lib/x", "");
    tree_put(&tree, "/run/systemd/container", "wsl\n");
    run();
    expect_rows(&tree, "SELECT wsl, container FROM host", "2|none");
}

Test(probe_host, containers)
{
    tree_put(&tree, "/.record/uname", "Linux 6.9.0 #1 SMP x86_64\n");
    tree_put(&tree, "/proc/1/cgroup", "1:name=systemd:/system.slice/docker.service\n");
    tree_put(&tree, "/.record/environ", "APPTAINER_CONTAINER=/x.sif\n");
    run();
    expect_rows(&tree, "SELECT container FROM host", "apptainer");
}

Test(probe_host, host_of_docker_is_no_container)
{
    tree_put(&tree, "/.record/uname", "Linux 6.9.0 #1 SMP x86_64\n");
    tree_put(&tree, "/proc/1/cgroup", "1:name=systemd:/system.slice/docker.service\n");
    run();
    expect_rows(&tree, "SELECT container FROM host", "none");
}

Test(probe_host, jetson_and_spark)
{
    tree_put(&tree, "/.record/uname", "Linux 5.15.148-tegra #1 SMP aarch64\n");
    tree_put(&tree, "/etc/nv_tegra_release", "# R36 (release), REVISION: 4.0\n");
    run();
    tree_run(&tree, &probe_gpu_proc);
    expect_rows(&tree, "SELECT tegra, arch FROM host", "1|aarch64");
    expect_rows(&tree, "SELECT source, name, cc, cc_key, memory_mib FROM gpu",
                "tegra|Orin|8.7|807|~");
}

Test(probe_host, spark_is_no_tegra)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0-1014-nvidia #1 SMP aarch64\n");
    tree_put(
        &tree, "/proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build\n");
    run();
    tree_run(&tree, &probe_gpu_proc);
    expect_rows(&tree, "SELECT tegra FROM host", "0");
    expect_rows(&tree, "SELECT count(*) FROM gpu", "0");
}

Test(probe_host, jetson_by_device_tree)
{
    static const char compatible[] = "nvidia,p3971\0nvidia,tegra264";
    tree_put(&tree, "/.record/uname", "Linux 6.8.12 #1 SMP aarch64\n");
    tree_put_bytes(&tree, "/proc/device-tree/compatible", compatible, sizeof compatible);
    tree_put_bytes(&tree, "/proc/device-tree/model", "NVIDIA Jetson AGX Thor", 23);
    run();
    tree_run(&tree, &probe_gpu_proc);
    expect_rows(&tree, "SELECT name, cc FROM gpu", "NVIDIA Jetson AGX Thor|11.0");
}

/* No uname, no environment: what an image does not say is unknown. */
Test(probe_host, alpine_image)
{
    tree_put(&tree, "/etc/os-release", "ID=alpine\nVERSION_ID=3.20.1\n");
    tree_elf(&tree, "/lib/ld-musl-aarch64.so.1", 183);
    tree_elf(&tree, "/bin/busybox", 183);
    tree_link(&tree, "/bin/sh", "/bin/busybox");
    run();
    tree_run(&tree, &probe_env_var);
    expect_rows(&tree,
                "SELECT machine_kind, os_id, kernel, arch, glibc, libc, wsl, tegra, container, "
                "secure_boot FROM host",
                "image|alpine|~|aarch64|~|musl|~|~|~|~");
    expect_rows(&tree, "SELECT status FROM probe WHERE name = 'env_var'", "skipped");
}

Test(probe_host, debian_image_tells_its_glibc)
{
    tree_elf(&tree, "/lib64/ld-linux-x86-64.so.2", 62);
    tree_put(&tree, "/etc/passwd", "root:x:0:0::/root:/bin/sh\n");
    static const char banner[] = "\177ELF....\0GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable "
                                 "release version 2.36.\nCopyright";
    tree_put_bytes(&tree, "/lib/x86_64-linux-gnu/libc.so.6", banner, sizeof banner);
    run();
    expect_rows(&tree, "SELECT arch, glibc, libc, os_id FROM host", "x86_64|2.36|glibc|~");
    expect_rows(&tree, "SELECT status FROM probe WHERE path = '/etc/os-release'", "absent");
}

Test(probe_host, only_allowed_variables)
{
    tree_put(&tree, "/.record/environ",
             "PATH=/bin\nHF_TOKEN=x\nCUDA_HOME=/usr/local/cuda\nNVIDIA_API_KEY=y\nHOME=/root\n");
    tree_open(&tree);
    tree_run(&tree, &probe_env_var);
    expect_rows(&tree, "SELECT name, value FROM env_var", "PATH|/bin\nCUDA_HOME|/usr/local/cuda");
}

/* Reaches every file that is denied, huge, or no file at all. */
Test(probe_host, hostile_os_release)
{
    char *big = calloc(1, 5 << 20);
    cr_assert(big);
    memset(big, 'A', 5 << 20);
    tree_put_bytes(&tree, "/etc/os-release", big, 5 << 20);
    free(big);
    tree_put(&tree, "/.record/uname", "Linux 6.9.0 #1 SMP x86_64\n");
    tree_fifo(&tree, "/proc/device-tree/compatible");
    run();
    expect_rows(&tree, "SELECT status, error FROM probe WHERE path = '/etc/os-release'",
                "malformed|27");
    expect_rows(&tree, "SELECT os_id, kernel, tegra FROM host", "~|6.9.0|~");
}
