#include "pe_file.h"
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

TestSuite(probe_wsl, .init = start, .fini = finish);

static void put_library(const char *path, unsigned a, unsigned b, unsigned c, unsigned d)
{
    unsigned char file[PE_SIZE];
    pe_make(file, a, b, c, d);
    tree_put_bytes(&tree, path, file, sizeof file);
}

static void put_wsl(void)
{
    tree_put(&tree, "/.record/uname", "Linux 6.6.87.2-microsoft-standard-WSL2 #1 SMP x86_64\n");
    tree_put(&tree, "/.record/dev", "crw-rw-rw- root root 10,125 /dev/dxg\n");
    tree_put(&tree, "/.record/environ",
             "WSL_DISTRO_NAME=Ubuntu-24.04\n"
             "PATH=/usr/bin:/usr/lib/wsl/lib:/mnt/c/Users/Ann/AppData/Local/bin\n");
    tree_put(&tree, "/proc/self/mountinfo",
             "70 60 8:32 / / rw,relatime - ext4 /dev/sdc rw\n"
             "80 70 0:50 / /usr/lib/wsl/drivers ro - 9p none ro,aname=drivers;fmask=222\n"
             "86 70 0:61 / /mnt/c rw,noatime - 9p C:\\134 "
             "rw,dirsync,aname=drvfs;path=C:\\134;uid=1000;symlinkroot=/mnt/,access=client\n");
    tree_put(&tree, "/usr/lib/wsl/lib/libcuda.so.1", "");
}

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_device_node);
    tree_run(&tree, &probe_host);
    tree_run(&tree, &probe_loader_cache);
    tree_run(&tree, &probe_wsl);
}

Test(probe_wsl, no_wsl_no_look)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_put(&tree, "/mnt/c/Users/Ann/.wslconfig", "[wsl2]\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM wsl", "0");
    expect_rows(&tree, "SELECT count(*) FROM probe WHERE name = 'wsl'", "0");
}

Test(probe_wsl, windows_side)
{
    put_wsl();
    put_library("/mnt/c/Windows/System32/kernel32.dll", 10, 0, 22621, 4317);
    put_library("/mnt/c/Windows/System32/nvcuda.dll", 32, 0, 15, 6590);
    static const char utf16[] = "\xff\xfe[\0w\0s\0l\0002\0]\0\n\0m\0e\0m\0o\0r\0y\0"
                                "=\0008\0G\0B\0\n";
    tree_put_bytes(&tree, "/mnt/c/Users/Ann/.wslconfig", utf16, sizeof utf16);
    tree_folder(&tree, "/mnt/c/Users/Public");
    tree_put(&tree, "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_aa/nv_dispi.inf", "");
    tree_put(&tree, "/usr/lib/wsl/drivers/nvhda.inf_amd64_bb/nvhda.inf", "");
    tree_put(&tree, "/usr/lib/wsl/drivers/nvlt.inf_amd64_cc/libcuda.so.1.1", "");
    tree_put(&tree, "/proc/sys/fs/binfmt_misc/WSLInterop", "enabled\ninterpreter /init\n");
    tree_put(&tree, "/etc/wsl.conf", "[boot]\nsystemd=true\n[network]\nhostname=secret\n");
    run();
    expect_rows(&tree,
                "SELECT distribution, dxg, libraries, in_loader_cache, on_path, gpu_enabled, "
                "ldconfig, append_lib_path, interop, systemd FROM wsl",
                "Ubuntu-24.04|1|1|0|1|1|1|1|1|1");
    expect_rows(&tree,
                "SELECT windows_mount, windows_build, windows_driver, windows_driver_key, "
                "windows_driver_path, driver_folders, safe_mode, memory_mib, kernel_path, "
                "wslconfig FROM wsl",
                "/mnt/c|10.0.22621.4317|565.90|565090000|/mnt/c/Windows/System32/nvcuda.dll|2|0|"
                "8192|~|/mnt/c/Users/<user>/.wslconfig");
    expect_rows(&tree, "SELECT count(*) FROM probe WHERE path LIKE '%Ann%'", "0");
}

Test(probe_wsl, settings_that_turn_things_off)
{
    put_wsl();
    tree_put(&tree, "/etc/wsl.conf",
             "[automount]\nldconfig = false\n[gpu]\nappendLibPath=0\n[interop]\nenabled = FALSE\n");
    tree_put(&tree, "/mnt/c/Users/Ann/.wslconfig",
             "[wsl2]\ngpuSupport=false\nsafeMode=true\nkernel=C:\\\\Users\\\\Ann\\\\bzImage\n"
             "memory=much\n");
    run();
    expect_rows(&tree,
                "SELECT gpu_enabled, ldconfig, append_lib_path, interop, systemd, safe_mode, "
                "memory_mib, kernel_path FROM wsl",
                "0|0|0|0|0|1|~|C:\\Users\\<user>\\bzImage");
}

Test(probe_wsl, newest_driver_folder_without_a_drive)
{
    put_wsl();
    tree_put(&tree, "/proc/self/mountinfo", "70 60 8:32 / / rw,relatime - ext4 /dev/sdc rw\n");
    tree_put(&tree, "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_aa/nv_dispi.inf",
             "[Version]\nDriverVer = 10/16/2024, 32.0.15.6590\n");
    tree_put(&tree, "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_bb/nv_dispi.inf",
             "[Version]\nDriverVer = 01/16/2026, 32.0.16.1058\n");
    tree_put(&tree, "/usr/lib/wsl/drivers/nv_dispi.inf_amd64_cc/nv_dispi.inf", "\1\2\3");
    tree_put(&tree, "/proc/sys/fs/binfmt_misc/status", "enabled\n");
    run();
    expect_rows(&tree,
                "SELECT windows_mount, windows_driver, windows_driver_path, driver_folders, "
                "gpu_enabled, interop FROM wsl",
                "none|610.58|/usr/lib/wsl/drivers/nv_dispi.inf_amd64_bb/nv_dispi.inf|3|~|0");
    expect_rows(&tree, "SELECT status FROM probe WHERE path LIKE '%_cc/nv_dispi.inf'", "malformed");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE path = '/mnt' AND name = 'wsl'",
                "absent|visual_studio");
}

Test(probe_wsl, several_users)
{
    put_wsl();
    tree_put(&tree, "/.record/environ", "PATH=/usr/bin\n");
    tree_put(&tree, "/mnt/c/Users/Ann/.wslconfig", "[wsl2]\ngpuSupport=false\n");
    tree_put(&tree, "/mnt/c/Users/Bob/.wslconfig", "[wsl2]\n");
    tree_put(&tree, "/mnt/c/Windows/System32/kernel32.dll", "MZ, but no library");
    run();
    expect_rows(&tree, "SELECT gpu_enabled, wslconfig, safe_mode, windows_build FROM wsl",
                "~|~|~|~");
    expect_rows(&tree, "SELECT status FROM probe WHERE path LIKE '%kernel32.dll'", "malformed");
}

Test(probe_wsl, visual_studio)
{
    put_wsl();
    const char *instances = "/mnt/c/ProgramData/Microsoft/VisualStudio/Packages/_Instances";
    char path[128];
    snprintf(path, sizeof path, "%s/0a1b2c3d/state.json", instances);
    tree_put(
        &tree, path,
        "\xef\xbb\xbf{\"installationPath\":\"C:\\\\Program Files\\\\Microsoft Visual "
        "Studio\\\\2022\\\\Community\",\"installationVersion\":\"17.11.35327.3\","
        "\"product\":{\"id\":\"Microsoft.VisualStudio.Product.Community\"},"
        "\"catalogInfo\":{\"productDisplayVersion\":\"17.11.5\"},\"selectedPackages\":[{\"id\":"
        "\"Microsoft.VisualStudio.Workload.NativeDesktop\"}]}");
    tree_folder(&tree, "/mnt/c/Program Files/Microsoft Visual Studio/2022/Community/VC/Tools/MSVC/"
                       "14.9.1");
    tree_folder(&tree, "/mnt/c/Program Files/Microsoft Visual Studio/2022/Community/VC/Tools/MSVC/"
                       "14.41.34120");
    tree_folder(&tree, "/mnt/c/Program Files/Microsoft Visual Studio/2022/Community/VC/Tools/MSVC/"
                       "14.41.34120/x");
    snprintf(path, sizeof path, "%s/1a1b2c3d/state.json", instances);
    tree_put(&tree, path,
             "{\"installationPath\":\"D:\\\\VS\\\\18\",\"installationVersion\":\"18.0.1.2\","
             "\"packages\":[]}");
    snprintf(path, sizeof path, "%s/2a1b2c3d/state.json", instances);
    tree_put(&tree, path, "{\"installationPath\":\"C:");
    run();
    expect_rows(&tree, "SELECT path, product, version, msvc, cxx_workload FROM visual_studio",
                "/mnt/c/Program Files/Microsoft Visual Studio/2022/Community|Community|17.11.5|"
                "14.41.34120|1\n/mnt/d/VS/18|~|18.0.1.2|none|0");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE path LIKE '%2a1b2c3d%'",
                "malformed|visual_studio");
}

Test(probe_wsl, container_in_wsl)
{
    put_wsl();
    tree_put(&tree, "/.dockerenv", "");
    run();
    expect_rows(&tree, "SELECT dxg, gpu_enabled, windows_mount FROM wsl", "1|~|~");
}

Test(probe_wsl, drives_elsewhere)
{
    put_wsl();
    tree_put(&tree, "/etc/wsl.conf", "[automount]\nroot = /win/\n");
    tree_put(&tree, "/proc/self/mountinfo",
             "70 60 8:32 / / rw,relatime - ext4 /dev/sdc rw\n"
             "85 70 0:60 / /win/d rw - virtiofs 0123-4567 rw\n"
             "86 70 0:61 / /win/e rw - virtiofs 89ab-cdef rw\n");
    put_library("/win/e/Windows/System32/ntoskrnl.exe", 10, 0, 19041, 5000);
    run();
    expect_rows(&tree, "SELECT windows_mount, windows_build, windows_driver FROM wsl",
                "/win/e|10.0.19041.5000|~");
}
