#include "probe_tree.h"

#include "parse/mountinfo.h"
#include "parse/release_files.h"
#include "probe/hide_user.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_mount, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_host);
    tree_run(&tree, &probe_pci);
    tree_run(&tree, &probe_environment);
    tree_run(&tree, &probe_mount);
    tree_run(&tree, &probe_platform);
}

static void put_venv(const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s/pyvenv.cfg", folder);
    tree_put(&tree, path, "home = /usr/bin\nversion = 3.12\n");
    snprintf(path, sizeof path, "%s/bin/python3", folder);
    tree_put(&tree, path, "");
}

Test(probe_mount, lines)
{
    static const char text[] =
        "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=x\n"
        "37 35 98:0 / /\\134x\\7 ro - 9p C:\\134 \n"
        "junk\n"
        "1 2 3 4 5 6\n"
        "1 2 3 / rel rw - a b c\n";
    struct mount_line line;
    size_t cursor = 0;
    tree_open(&tree);
    cr_assert(parse_mount_line(text, sizeof text - 1, &cursor, &tree.arena, &line));
    cr_expect_str_eq(line.path, "/mnt 2");
    cr_expect_str_eq(line.type, "ext3");
    cr_expect_str_eq(line.super_options, "rw,errors=x");
    cr_expect(mount_option(line.options, "noatime"));
    cr_expect_not(mount_option(line.options, "atime"));
    cr_assert(parse_mount_line(text, sizeof text - 1, &cursor, &tree.arena, &line));
    cr_expect_str_eq(line.path, "/\\x\\7");
    cr_expect_str_eq(line.source, "C:\\");
    for (int i = 0; i < 3; i++) {
        cr_assert(parse_mount_line(text, sizeof text - 1, &cursor, &tree.arena, &line));
        cr_expect_null(line.path);
    }
    cr_expect_not(parse_mount_line(text, sizeof text - 1, &cursor, &tree.arena, &line));
}

Test(probe_mount, workstation_with_a_home_over_nfs)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.record/user", "ann 1000 1000\n");
    tree_put(&tree, "/.record/environ", "HOME=/home/ann\nVIRTUAL_ENV=/scratch/ann/venv\n");
    put_venv("/scratch/ann/venv");
    tree_put(&tree, "/proc/self/mountinfo",
             "1 0 8:1 / / ro,relatime - ext4 /dev/sda1 rw\n"
             "2 1 0:2 / /dev/shm rw,nosuid - tmpfs tmpfs rw\n"
             "3 1 0:3 /ann /home/ann rw - nfs4 server.example:/export/ann rw,addr=10.0.0.1\n"
             "4 1 0:4 / /scratch rw,noexec - lustre x@tcp:/scratch rw\n"
             "5 1 0:5 / /scratch2 rw - xfs /dev/sdb rw\n"
             "6 1 0:6 / /mnt/auto rw - autofs systemd-1 rw\n");
    run();
    expect_rows(&tree, "SELECT path, type, purpose, readonly, noexec, network FROM mount",
                "/|ext4|root|1|0|0\n/dev/shm|tmpfs|shm|0|0|0\n"
                "/scratch|lustre|environment|0|1|1\n/home/<user>|nfs4|home|0|0|1");
    expect_rows(&tree, "SELECT status FROM probe WHERE name = 'mount'", "ok");
}

Test(probe_mount, container_and_drives)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_put(&tree, "/proc/self/mountinfo",
             "1 0 8:1 / / rw - overlay overlay rw\n"
             "2 1 8:1 /x /usr/lib/libcuda.so.550.54.14 ro,nosuid - ext4 /dev/sda1 rw\n"
             "3 1 0:5 /nvidia0 /dev/nvidia0 rw - devtmpfs udev rw\n"
             "4 1 0:6 / /mnt/d rw - drvfs D: rw\n"
             "no mount\n");
    run();
    expect_rows(&tree, "SELECT path, type, purpose FROM mount WHERE purpose <> 'home'",
                "/|overlay|root\n/usr/lib/libcuda.so.550.54.14|ext4|driver\n"
                "/dev/nvidia0|devtmpfs|device\n/mnt/d|drvfs|windows");
    expect_rows(&tree, "SELECT status, detail FROM probe WHERE name = 'mount'",
                "malformed|1 lines are no mounts");
}

Test(probe_mount, too_many)
{
    struct text text = {0};
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    for (int i = 0; i < 20001; i++)
        text_printf(&text, "1 0 8:1 / /dev/nvidia%d rw - a b rw\n", i);
    tree_put(&tree, "/proc/self/mountinfo", text_get(&text));
    text_done(&text);
    run();
    expect_rows(&tree, "SELECT count(*) FROM mount", "64");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE name = 'mount'", "malformed|mount");
}

Test(probe_mount, no_record_of_mounts)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM mount", "0");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE name = 'mount'", "skipped|mount");
}

Test(probe_mount, hidden_users)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.record/user", "ann 1000 1000\n");
    tree_put(&tree, "/.record/environ", "HOME=/data/people/a.b\n");
    tree_open(&tree);
    static const char *const paths[][2] = {
        {"/home/bob/x", "/home/<user>/x"},
        {"/home", "/home"},
        {"/home/", "/home/"},
        {"/mnt/c/Users/Bob/.wslconfig", "/mnt/c/Users/<user>/.wslconfig"},
        {"C:\\Users\\Bob\\k", "C:\\Users\\<user>\\k"},
        {"/mnt/c/Users/Public/x", "/mnt/c/Users/Public/x"},
        {"/scratch/ann/env", "/scratch/<user>/env"},
        {"/scratch/anna/env", "/scratch/anna/env"},
        {"/data/people/a.b/env", "/data/people/<user>/env"},
        {"/data/people/a.c/env", "/data/people/a.c/env"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        cr_expect_str_eq(hide_user(&tree.context, paths[i][0]), paths[i][1]);
    cr_expect_null(hide_user(&tree.context, NULL));
}

Test(probe_mount, jetson)
{
    tree_put(&tree, "/.record/uname", "Linux 5.15.148-tegra #1 SMP aarch64\n");
    tree_put(&tree, "/etc/nv_tegra_release",
             "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64\n");
    tree_put_bytes(&tree, "/proc/device-tree/model",
                   "NVIDIA Jetson Orin Nano Developer Kit Super\0", 44);
    tree_put_bytes(&tree, "/proc/device-tree/compatible",
                   "nvidia,p3768-0000+p3767-0005\0nvidia,tegra234\0", 45);
    run();
    expect_rows(&tree, "SELECT kind, name, release, chip, path FROM platform",
                "jetson|NVIDIA Jetson Orin Nano Developer Kit Super|36.4.3|tegra234|"
                "/etc/nv_tegra_release");
}

Test(probe_mount, dgx_spark_without_its_serial_number)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0-1014-nvidia #1 SMP aarch64\n");
    tree_put(&tree, "/etc/dgx-release",
             "DGX_NAME=\"DGX Spark\"\nDGX_PRETTY_NAME=\"NVIDIA DGX Spark\"\n"
             "DGX_SWBUILD_DATE=\"2025-09-10-13-50-03\"\nDGX_SWBUILD_VERSION=\"7.2.3\"\n"
             "DGX_PLATFORM=\"DGX Server for KVM\"\nDGX_SERIAL_NUMBER=\"1234567\"\n"
             "DGX_OTA_VERSION=\"7.3.1\"\nDGX_OTA_VERSION=\"7.5.0\"\n");
    tree_put(&tree, "/sys/bus/pci/devices/000f:01:00.0/vendor", "0x10de\n");
    tree_put(&tree, "/sys/bus/pci/devices/000f:01:00.0/device", "0x2e12\n");
    tree_put(&tree, "/sys/bus/pci/devices/000f:01:00.0/class", "0x030200\n");
    run();
    expect_rows(&tree, "SELECT kind, name, release, chip, path FROM platform",
                "dgx-spark|NVIDIA DGX Spark|7.5.0|gb10|/etc/dgx-release");
}

Test(probe_mount, gb10_of_another_maker)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0 #1 SMP aarch64\n");
    tree_put(&tree, "/sys/bus/pci/devices/000f:01:00.0/vendor", "0x10de\n");
    tree_put(&tree, "/sys/bus/pci/devices/000f:01:00.0/device", "0x2e12\n");
    tree_put(&tree, "/sys/bus/pci/devices/000f:01:00.0/class", "0x030200\n");
    tree_put(&tree, "/sys/class/dmi/id/product_name", "GX10\n");
    tree_put(&tree, "/etc/dgx-release", "\1\2");
    run();
    expect_rows(&tree, "SELECT kind, name, release, chip FROM platform", "gb10|GX10|~|gb10");
    expect_rows(&tree, "SELECT status FROM probe WHERE path = '/etc/dgx-release'", "malformed");
}

/* ASUS's machine has NVIDIA's names in the system's file. */
static void put_dgx_file(const char *platform)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0 #1 SMP aarch64\n");
    tree_put(&tree, "/etc/dgx-release",
             arena_printf(&tree.arena,
                          "DGX_NAME=\"DGX Spark\"\nDGX_PRETTY_NAME=\"NVIDIA DGX Spark\"\n"
                          "DGX_SWBUILD_VERSION=\"7.2.3\"\nDGX_PLATFORM=\"%s\"\n",
                          platform));
}

Test(probe_mount, dgx_os_of_another_maker_by_its_firmware)
{
    put_dgx_file("DGX Server for KVM");
    tree_put(&tree, "/sys/class/dmi/id/product_name", "GX10\n");
    run();
    expect_rows(&tree, "SELECT kind, release FROM platform", "gb10|7.2.3");
}

Test(probe_mount, dgx_os_of_another_maker_by_its_file)
{
    put_dgx_file("GX10");
    run();
    expect_rows(&tree, "SELECT kind, release FROM platform", "gb10|7.2.3");
}

Test(probe_mount, dgx_spark_by_its_firmware)
{
    put_dgx_file("P4242");
    tree_put(&tree, "/sys/class/dmi/id/product_name", "NVIDIA_DGX_Spark\n");
    run();
    expect_rows(&tree, "SELECT kind FROM platform", "dgx-spark");
}

Test(probe_mount, sagemaker_training)
{
    tree_put(&tree, "/.record/uname", "Linux 6.1.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.record/environ", "SM_CURRENT_HOST=algo-1\n");
    tree_put(&tree, "/opt/ml/input/config/resourceconfig.json",
             "{\"current_host\":\"algo-1\",\"hosts\":[\"algo-1\"]}");
    run();
    expect_rows(&tree, "SELECT kind, name, path FROM platform",
                "sagemaker|Amazon SageMaker|/opt/ml/input/config/resourceconfig.json");
}

Test(probe_mount, clouds)
{
    tree_put(&tree, "/.record/uname", "Linux 6.1.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.record/environ",
             "COLAB_GPU=1\nCOLAB_RELEASE_TAG=release-colab_20260101\nRUNPOD_POD_ID=secret\n");
    tree_put(&tree, "/opt/deeplearning/metadata/env_version", "x\n");
    tree_put(&tree, "/opt/deeplearning/metadata/version", "M125\n");
    run();
    expect_rows(&tree, "SELECT kind, release, path FROM platform",
                "colab|release-colab_20260101|COLAB_RELEASE_TAG\nrunpod|~|RUNPOD_POD_ID\n"
                "gcp-dlvm|M125|/opt/deeplearning/metadata/env_version");
}

Test(probe_mount, l4t_releases)
{
    struct {
        const char *text, *release;
    } cases[] = {
        {"# R35 (release), REVISION: 5.0, GCID: 1\n", "35.5.0"},
        {"# R32 (release), REVISION: 7.1, GCID: 1\n", "32.7.1"},
        {"# R38 (release), REVISION: 2, GCID\n", "38.2"},
        {"# R36 (release), REVISION: x\n", NULL},
        {"# R36\n", NULL},
        {"", NULL},
    };
    tree_open(&tree);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *release = parse_l4t_release(cases[i].text, strlen(cases[i].text), &tree.arena);
        cr_expect(text_equal(release, cases[i].release), "%s: %s", cases[i].text,
                  release ? release : "-");
    }
}
