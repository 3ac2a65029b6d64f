/* Kernels, modules on disk, DKMS and parameters. */
#include <archive.h>
#include <archive_entry.h>

#include "parse/dkms_log.h"
#include "parse/modinfo.h"
#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0-60-generic #1 SMP x86_64\n");
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_kernel, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_host);
    tree_run(&tree, &probe_kernel_module);
    tree_run(&tree, &probe_system_package);
    tree_run(&tree, &probe_kernel);
}

#define K "/lib/modules/6.8.0-60-generic"
#define FILES \
    "SELECT name, replace(path, '/lib/modules/', ''), version, version_from, flavour, vermagic, " \
    "is_signed, compression, preferred FROM module_file ORDER BY path"

/* --- kernels --- */

Test(probe_kernel, kernels)
{
    tree_put(&tree, K "/modules.dep", "");
    tree_put(&tree, "/usr/src/linux-headers-6.8.0-60-generic/Makefile", "");
    tree_link(&tree, K "/build", "/usr/src/linux-headers-6.8.0-60-generic");
    tree_put(&tree, "/lib/modules/6.8.0-64-generic/modules.dep", "");
    tree_link(&tree, "/lib/modules/6.8.0-64-generic/build",
              "/usr/src/linux-headers-6.8.0-64-generic");
    tree_folder(&tree, "/lib/modules/6.5.0-1-generic");
    tree_put(&tree, "/lib/modules/6.5.0-1-generic/updates/dkms/nvidia.ko", "left behind");
    tree_put(&tree, "/boot/grub/grub.cfg",
             "if [ \"${next_entry}\" ] ; then\n   set default=\"${next_entry}\"\nelse\n   set "
             "default=\"0\"\nfi\nmenuentry 'Ubuntu' {\n\tset root='hd0'\n\tlinux\t"
             "/boot/vmlinuz-6.8.0-64-generic root=UUID=x ro\n}\nsubmenu 'x' {\nmenuentry 'y' {\n"
             "linux /boot/vmlinuz-6.8.0-60-generic\n}\n}\n");
    run();
    expect_rows(&tree, "SELECT release, release_key, running, headers, boots_next FROM kernel",
                "6.8.0-60-generic|6008000|1|1|0\n6.8.0-64-generic|6008000|0|0|1");
    expect_rows(&tree, "SELECT status FROM probe WHERE path = '/lib/modules'", "ok");
}

Test(probe_kernel, next_by_entry)
{
    tree_put(&tree, K "/vmlinuz", "");
    tree_put(&tree, "/lib/modules/6.9.4-200.fc40.x86_64/vmlinuz", "");
    tree_put(
        &tree, "/boot/grub2/grubenv",
        "# GRUB Environment Block\nsaved_entry=0123-6.9.4-200.fc40.x86_64\nboot_success=1\n##");
    tree_put(&tree, "/boot/loader/entries/0123-6.9.4-200.fc40.x86_64.conf",
             "title Fedora\nversion 6.9.4-200.fc40.x86_64\nlinux /vmlinuz-6.9.4-200.fc40.x86_64\n");
    run();
    expect_rows(&tree, "SELECT release, boots_next FROM kernel",
                "6.8.0-60-generic|0\n6.9.4-200.fc40.x86_64|1");
}

/* A saved title, a single start of another: not told plainly. */
Test(probe_kernel, next_is_unknown)
{
    tree_put(&tree, K "/vmlinuz", "");
    tree_put(&tree, "/boot/grub/grubenv", "saved_entry=gnulinux-advanced>x/../../etc/passwd\n");
    tree_put(&tree, "/boot/grub/grub.cfg",
             "set default=\"0\"\nmenuentry 'x' {\nlinux /boot/vmlinuz-6.8.0-60-generic\n}\n");
    tree_put(&tree, "/boot/loader/loader.conf", "default arch-*\n");
    run();
    expect_rows(&tree, "SELECT release, boots_next FROM kernel", "6.8.0-60-generic|~");
}

Test(probe_kernel, next_by_systemd_boot)
{
    tree_put(&tree, K "/vmlinuz", "");
    tree_put(&tree, "/efi/loader/loader.conf", "timeout 3\ndefault arch.conf\n");
    tree_put(&tree, "/efi/loader/entries/arch.conf",
             "title Arch\nlinux /0123/6.8.0-60-generic/linux\nversion 6.8.0-60-generic\n");
    run();
    expect_rows(&tree, "SELECT boots_next FROM kernel", "1");
}

Test(probe_kernel, no_modules)
{
    run();
    expect_rows(&tree, "SELECT count(*) FROM kernel", "0");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE path = '/lib/modules'",
                "absent|kernel module_file");
}

/* --- module files --- */

/* An ELF file with the sections that matter, and at its end a signature's mark where `is_signed`.
 */
static void module(struct text *out, const char *info, size_t size, bool is_signed)
{
    static const char names[] = "\0.modinfo\0.shstrtab";
    char header[64] = "\177ELF\2\1\1";
    char sections[3][64] = {0};
    uint64_t info_at = 64, names_at = info_at + size, sections_at = names_at + sizeof names;
    header[16] = 1, header[18] = 62;
    memcpy(header + 40, &sections_at, 8);
    header[58] = 64, header[60] = 3, header[62] = 2;
    sections[1][0] = 1, sections[2][0] = 10;
    memcpy(sections[1] + 24, &info_at, 8);
    memcpy(sections[1] + 32, &size, 8);
    memcpy(sections[2] + 24, &names_at, 8);
    sections[2][32] = (char)sizeof names;
    text_add_bytes(out, header, 64);
    text_add_bytes(out, info, size);
    text_add_bytes(out, names, sizeof names);
    text_add_bytes(out, sections, sizeof sections);
    if (is_signed)
        text_add(out, "signature~Module signature appended~\n");
}

static const char open_info[] =
    "license=Dual MIT/GPL\0alias=pci:v000010DEd*\0version=580.95.05\0supported=external\0"
    "srcversion=AB\0vermagic=6.8.0-60-generic SMP preempt mod_unload modversions ";
static const char closed_info[] =
    "version=535.183.01\0license=NVIDIA\0vermagic=6.8.0-64-generic SMP preempt ";

static void put_module(const char *path, const char *info, size_t size, bool is_signed)
{
    struct text text = {0};
    module(&text, info, size, is_signed);
    tree_put_bytes(&tree, path, text.data, text.length);
    text_done(&text);
}

Test(probe_kernel, modules_of_dkms)
{
    tree_put(&tree, K "/modules.dep",
             "kernel/drivers/gpu/drm/nouveau/nouveau.ko.zst: kernel/drivers/video/video.ko.zst\n"
             "kernel/drivers/video/fbdev/nvidia/nvidiafb.ko.zst:\n"
             "kernel/drivers/platform/x86/nvidia-wmi-ec-backlight.ko.zst:\n"
             "updates/dkms/nvidia.ko: kernel/x.ko\nupdates/dkms/nvidia-uvm.ko: "
             "updates/dkms/nvidia.ko\n");
    put_module(K "/updates/dkms/nvidia.ko", open_info, sizeof open_info, true);
    put_module(K "/updates/dkms/nvidia-uvm.ko", open_info, sizeof open_info, false);
    put_module(K "/kernel/drivers/video/nvidia.ko", closed_info, sizeof closed_info, false);
    tree_put(&tree, "/lib/modules/6.8.0-64-generic/modules.dep", "");
    put_module("/lib/modules/6.8.0-64-generic/kernel/nvidia-535srv/nvidia.ko", closed_info,
               sizeof closed_info, true);
    run();
    expect_rows(
        &tree, FILES,
        "nouveau|6.8.0-60-generic/kernel/drivers/gpu/drm/nouveau/nouveau.ko.zst|~|~|~|~|~|zst|1\n"
        "nvidia|6.8.0-60-generic/kernel/drivers/video/nvidia.ko|535.183.01|modinfo|proprietary|"
        "6.8.0-64-generic|0|none|0\n"
        "nvidia_uvm|6.8.0-60-generic/updates/dkms/nvidia-uvm.ko|580.95.05|modinfo|~|"
        "6.8.0-60-generic|0|none|1\n"
        "nvidia|6.8.0-60-generic/updates/dkms/nvidia.ko|580.95.05|modinfo|open|6.8.0-60-generic|1|"
        "none|1\n"
        "nvidia|6.8.0-64-generic/kernel/nvidia-535srv/nvidia.ko|535.183.01|modinfo|proprietary|"
        "6.8.0-64-generic|1|none|~");
    expect_rows(&tree, "SELECT DISTINCT kernel FROM module_file",
                "6.8.0-60-generic\n6.8.0-64-generic");
}

Test(probe_kernel, debian_names)
{
    put_module(K "/updates/dkms/nvidia-current.ko", open_info, sizeof open_info, false);
    tree_put(&tree, K "/updates/dkms/nvidia-current-drm.ko.xz", "x");
    tree_put(&tree, K "/updates/dkms/nvidia-tesla-470-uvm.ko.xz", "x");
    run();
    expect_rows(&tree, "SELECT name, version, preferred FROM module_file ORDER BY path",
                "nvidia_drm|~|~\nnvidia|580.95.05|~\nnvidia_uvm|~|~");
}

static void compress(const char *path, int (*filter)(struct archive *), const struct text *text)
{
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    cr_assert_eq(filter(archive), ARCHIVE_OK);
    cr_assert_eq(archive_write_set_format_raw(archive), ARCHIVE_OK);
    cr_assert_eq(archive_write_open_filename(archive, tree_inside(&tree, path)), ARCHIVE_OK);
    archive_entry_set_filetype(entry, AE_IFREG);
    cr_assert_eq(archive_write_header(archive, entry), ARCHIVE_OK);
    cr_assert_eq(archive_write_data(archive, text->data, text->length), (ssize_t)text->length);
    archive_entry_free(entry);
    archive_write_free(archive);
}

/* The texts lie across the border of two blocks, whichever size those have. */
static void long_module(struct text *out)
{
    struct text info = {0};
    for (int i = 0; i < 3 * 1000 * 1000; i++)
        text_add_char(&info, i % 97 ? 'c' : '\0');
    text_add_bytes(&info, "\0version=%s\0license=", 20);
    text_add_char(&info, '\0');
    text_add_bytes(&info, open_info, sizeof open_info);
    module(out, info.data, info.length, true);
    text_done(&info);
}

static void expect_compressed(const char *suffix, int (*filter)(struct archive *))
{
    struct text text = {0};
    long_module(&text);
    compress(arena_printf(&tree.arena, K "/updates/dkms/nvidia.ko.%s", suffix), filter, &text);
    text_done(&text);
    run();
    expect_rows(&tree,
                "SELECT version, version_from, flavour, vermagic, is_signed FROM module_file",
                "580.95.05|modinfo|open|6.8.0-60-generic|~");
}

Test(probe_kernel, zst)
{
    expect_compressed("zst", archive_write_add_filter_zstd);
}

Test(probe_kernel, gz)
{
    expect_compressed("gz", archive_write_add_filter_gzip);
}

/* With Secure Boot on, it matters whether the module is signed: then it is read to its end. */
Test(probe_kernel, xz_and_secure_boot)
{
    struct text text = {0};
    long_module(&text);
    tree_put_bytes(&tree,
                   "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                   "\6\0\0\0\1", 5);
    compress(K "/updates/dkms/nvidia.ko.xz", archive_write_add_filter_xz, &text);
    text_done(&text);
    run();
    expect_rows(&tree, "SELECT version, is_signed FROM module_file", "580.95.05|1");
}

/* What is loaded needs no decompressing, unless the packages are of another version. */
Test(probe_kernel, loaded)
{
    struct text text = {0};
    long_module(&text);
    compress(K "/kernel/nvidia-580/nvidia.ko.zst", archive_write_add_filter_zstd, &text);
    text_done(&text);
    tree_put(&tree, "/sys/module/nvidia/version", "580.95.05\n");
    run();
    expect_rows(&tree, "SELECT version, version_from FROM module_file", "~|~");
}

Test(probe_kernel, loaded_but_upgraded)
{
    struct text text = {0};
    long_module(&text);
    compress(K "/kernel/nvidia-580/nvidia.ko.zst", archive_write_add_filter_zstd, &text);
    text_done(&text);
    tree_put(&tree, "/sys/module/nvidia/version", "580.82.07\n");
    tree_put(&tree, "/var/lib/dpkg/status",
             "Package: nvidia-utils-580\nVersion: 580.95.05-0ubuntu1\n\n");
    run();
    expect_rows(&tree, "SELECT version, version_from FROM module_file", "580.95.05|modinfo");
}

/* Cheaper sources: DKMS, a package of this kernel's modules, a path that names the version. */
Test(probe_kernel, version_without_decompressing)
{
    tree_put(&tree, K "/updates/dkms/nvidia.ko.zst", "not read");
    tree_put(&tree, "/var/lib/dkms/nvidia/580.95.05/6.8.0-60-generic/x86_64/module/nvidia.ko.zst",
             "");
    tree_link(&tree, "/var/lib/dkms/nvidia/kernel-6.8.0-60-generic-x86_64",
              "580.95.05/6.8.0-60-generic/x86_64");
    run();
    expect_rows(&tree, "SELECT version, version_from FROM module_file", "580.95.05|dkms");
}

Test(probe_kernel, version_of_package)
{
    tree_put(&tree, K "/extramodules/nvidia.ko.zst", "not read");
    tree_put(&tree, "/var/lib/pacman/local/nvidia-open-580.95.05-4/desc",
             "%NAME%\nnvidia-open\n\n%VERSION%\n580.95.05-4\n");
    run();
    expect_rows(&tree, "SELECT version, version_from FROM module_file", "580.95.05|package");
}

/* Debian: what is loaded is of the version of the source's package, so what was built is too. */
static void put_debian(const char *loaded, const char *packages)
{
    tree_put(&tree, K "/modules.dep",
             "updates/dkms/nvidia-current-open.ko.xz:\n"
             "updates/dkms/nvidia-current-open-uvm.ko.xz:\n");
    tree_put(&tree, K "/updates/dkms/nvidia-current-open.ko.xz", "not read");
    tree_put(&tree, K "/updates/dkms/nvidia-current-open-uvm.ko.xz", "not read");
    tree_put(&tree, "/sys/module/nvidia/version", loaded);
    tree_put(&tree, "/var/lib/dpkg/status", packages);
    run();
}

Test(probe_kernel, version_of_the_sources_package)
{
    put_debian("550.163.01\n", "Package: nvidia-open-kernel-dkms\nStatus: install ok installed\n"
                               "Version: 550.163.01-2\n\n");
    expect_rows(&tree, "SELECT name, version, version_from, flavour FROM module_file ORDER BY name",
                "nvidia|550.163.01|package|open\nnvidia_uvm|550.163.01|package|~");
}

Test(probe_kernel, sources_package_of_another_version)
{
    put_debian("550.144.03\n", "Package: nvidia-open-kernel-dkms\nStatus: install ok installed\n"
                               "Version: 550.163.01-2\n\n");
    expect_rows(&tree, "SELECT DISTINCT version FROM module_file", "~");
}

static const char *flavour_by(const char *path, const char *dkms, const char *packages)
{
    finish();
    start();
    tree_put(&tree, path, "not read");
    if (dkms) {
        tree_put(&tree,
                 arena_printf(&tree.arena,
                              "/var/lib/dkms/%s/580.95.05/6.8.0-60-generic/x86_64/module/n.ko",
                              dkms),
                 "");
        tree_link(
            &tree,
            arena_printf(&tree.arena, "/var/lib/dkms/%s/kernel-6.8.0-60-generic-x86_64", dkms),
            "580.95.05/6.8.0-60-generic/x86_64");
    }
    tree_put(&tree, "/var/lib/dpkg/status", packages);
    run();
    return tree_rows(&tree, "SELECT flavour FROM module_file WHERE name = 'nvidia'");
}

Test(probe_kernel, flavour_of_names)
{
    static const char open[] = "Package: nvidia-dkms-580-open\nStatus: install ok installed\n"
                               "Version: 580.95.05-0ubuntu1\n\n";
    static const char closed[] = "Package: nvidia-dkms-580\nStatus: install ok installed\n"
                                 "Version: 580.95.05-0ubuntu1\n\n";
    const char *both = arena_printf(&tree.arena, "%s%s", open, closed);
    const char *dkms = K "/updates/dkms/nvidia.ko.zst", *file = NULL;
    char *kept = strdup(both);
    cr_expect_str_eq(flavour_by(dkms, "nvidia-open", ""), "open");
    cr_expect_str_eq(flavour_by(dkms, "nvidia", open), "open");
    cr_expect_str_eq(flavour_by(dkms, "nvidia", closed), "~");
    cr_expect_str_eq(flavour_by(dkms, "nvidia", kept), "~");
    cr_expect_str_eq(flavour_by(dkms, "nvidia", ""), "~");
    file = K "/kernel/nvidia-580srv-open/nvidia.ko.zst";
    cr_expect_str_eq(flavour_by(file, NULL, ""), "open");
    file = K "/kernel/nvidia-580/nvidia.ko.zst";
    cr_expect_str_eq(flavour_by(file, NULL, ""), "~");
    free(kept);
}

Test(probe_kernel, version_of_path)
{
    tree_put(&tree, "/nix/store/abc-nvidia-x11-580.95.05-6.12.5/lib/nvidia.ko.xz", "not read");
    tree_link(&tree, K "/misc/nvidia.ko.xz",
              "/nix/store/abc-nvidia-x11-580.95.05-6.12.5/lib/nvidia.ko.xz");
    run();
    expect_rows(&tree, "SELECT version, version_from FROM module_file", "580.95.05|path");
}

Test(probe_kernel, hostile_modules)
{
    char elf[64] = "\177ELF\2\1\1";
    memset(elf + 40, 0x7f, 24);
    elf[58] = 64, elf[59] = 0;
    tree_put(&tree, K "/updates/dkms/nvidia.ko", "no ELF");
    tree_put_bytes(&tree, K "/updates/nvidia.ko", elf, sizeof elf);
    tree_put(&tree, K "/extra/nvidia.ko.zst", "no zst");
    tree_fifo(&tree, K "/extra/nvidia-uvm.ko");
    tree_link(&tree, K "/weak-updates/nvidia.ko", "nvidia.ko");
    run();
    expect_rows(&tree, "SELECT count(*), count(version), count(version_from) FROM module_file",
                "5|0|0");
    expect_rows(&tree, "SELECT path, status FROM probe WHERE fills = 'module_file' ORDER BY path",
                K "/extra/nvidia-uvm.ko|malformed\n" K "/extra/nvidia.ko.zst|malformed\n" K
                  "/updates/dkms/nvidia.ko|malformed\n" K "/updates/nvidia.ko|malformed\n" K
                  "/weak-updates/nvidia.ko|malformed");
}

/* --- DKMS --- */

#define DKMS "/var/lib/dkms/nvidia"
#define LOG_LINE \
    "DKMS (dkms-3.2.0) make.log for nvidia/580.95.05 for kernel 6.8.0-64-generic (x86_64)\n"

Test(probe_kernel, dkms)
{
    tree_put(&tree, DKMS "/580.95.05/6.8.0-60-generic/x86_64/module/nvidia.ko", "");
    tree_put(&tree, DKMS "/580.95.05/6.8.0-60-generic/x86_64/log/make.log", "x");
    tree_link(&tree, DKMS "/kernel-6.8.0-60-generic-x86_64", "580.95.05/6.8.0-60-generic/x86_64");
    tree_put(&tree, DKMS "/580.95.05/6.8.0-58-generic/x86_64/module/nvidia.ko", "");
    tree_link(&tree, DKMS "/580.95.05/source", "/usr/src/nvidia-580.95.05");
    tree_put(&tree, DKMS "/580.95.05/build/make.log",
             LOG_LINE "Tue Nov  4 11:45:31 CET 2025\n\nBuilding module(s)\n"
                      "# command: make CC=gcc-14: not found\nmake[1]: Entering directory\n"
                      "/bin/sh: 1: gcc-14: not found\nmake: *** [Makefile:1] Error 127\n");
    tree_folder(&tree, "/var/lib/dkms/nvidia-open");
    tree_link(&tree, "/var/lib/dkms/nvidia-open/590.44.01/source", "/usr/src/nvidia-590.44.01");
    tree_put(&tree, "/var/lib/dkms/nvidia-fs/2.26.6/6.8.0-60-generic/x86_64/module/nvidia-fs.ko",
             "");
    tree_put(&tree, "/var/lib/dkms/dkms_dbversion", "2.0.0\n");
    run();
    expect_rows(&tree,
                "SELECT module, version, kernel, status, log, failure FROM dkms ORDER BY version, "
                "kernel",
                "nvidia|580.95.05|6.8.0-58-generic|built|~|~\n"
                "nvidia|580.95.05|6.8.0-60-generic|installed|" DKMS
                "/580.95.05/6.8.0-60-generic/x86_64/log/make.log|~\n"
                "nvidia|580.95.05|6.8.0-64-generic|failed|" DKMS
                "/580.95.05/build/make.log|/bin/sh: 1: gcc-14: not found\n"
                "nvidia-open|590.44.01|~|added|~|~");
    expect_rows(&tree, "SELECT status FROM probe WHERE path = '/var/lib/dkms'", "ok");
}

static const char *failure(const char *log)
{
    struct dkms_log parsed;
    parse_dkms_log(log, strlen(log), &tree.arena, &parsed);
    return parsed.failure ? parsed.failure : "~";
}

/* Links make a few folders look like millions: 60 modules of 60 versions of 60 kernels. */
Test(probe_kernel, dkms_links_that_multiply)
{
    char path[64];
    tree_put(&tree, "/x/arch/x86_64/log/make.log", "make: *** [x] Error 2\n");
    tree_folder(&tree, "/x/versions");
    for (int i = 0; i < 60; i++) {
        snprintf(path, sizeof path, "/x/kernels/6.8.%d", i);
        tree_link(&tree, path, "/x/arch");
        snprintf(path, sizeof path, "/x/versions/570.%d", 100 + i);
        tree_link(&tree, path, "/x/kernels");
        snprintf(path, sizeof path, "/var/lib/dkms/nvidia-%d", i);
        tree_link(&tree, path, "/x/versions");
    }
    run();
    expect_rows(&tree, "SELECT count(*) BETWEEN 16 AND 2000 FROM dkms", "1");
    expect_rows(&tree, "SELECT status, detail FROM probe WHERE name = 'dkms' AND status <> 'ok'",
                "malformed|it has more folders or logs than were looked at");
}

Test(probe_kernel, dkms_log)
{
    struct dkms_log log;
    static const char old[] = "DKMS make.log for nvidia-535.183.01 for kernel 6.8.0-60 (x86_64)\n";
    parse_dkms_log(old, sizeof old - 1, &tree.arena, &log);
    cr_expect_str_eq(log.kernel, "6.8.0-60");
    cr_expect_null(log.failure);
    cr_expect_str_eq(
        failure("x\nnv.c:1:2: error: implicit declaration of function 'f'\nmake: *** Error 2\n"),
        "nv.c:1:2: error: implicit declaration of function 'f'");
    cr_expect_str_eq(failure("a\nmake: *** [x] Error 2\nmake[1]: *** y\n"),
                     "make: *** [x] Error 2");
    cr_expect_str_eq(failure("gcc: error: unrecognized command-line option '-ftrivial'\n"),
                     "gcc: error: unrecognized command-line option '-ftrivial'");
    cr_expect_str_eq(failure("FATAL: modpost: GPL-incompatible module nvidia.ko uses x\n"),
                     "FATAL: modpost: GPL-incompatible module nvidia.ko uses x");
    cr_expect_str_eq(failure("all well\n"), "~");
    cr_expect_str_eq(failure(""), "~");
}

/* A verbose log: what failed stands behind megabytes of commands. */
Test(probe_kernel, dkms_long_log)
{
    struct text text = {0};
    text_add(&text, LOG_LINE);
    for (int i = 0; i < 60 * 1000; i++)
        text_add(&text, "  gcc -c -O2 -Wall -o nvidia/nv-something.o nvidia/nv-something.c\n");
    text_add(&text,
             "nvidia/nv.c:7: fatal error: linux/x.h: No such file or directory\nmake: *** y\n");
    tree_put(&tree, DKMS "/580.95.05/build/make.log", text_get(&text));
    text_done(&text);
    run();
    expect_rows(&tree, "SELECT kernel, status, failure FROM dkms",
                "6.8.0-64-generic|failed|nvidia/nv.c:7: fatal error: linux/x.h: No such file or "
                "directory");
}

/* --- parameters --- */

#define PARAMETERS \
    "SELECT module, name, value, source FROM module_parameter ORDER BY source, module, name, " \
    "value"

Test(probe_kernel, parameters)
{
    tree_put(&tree, "/proc/driver/nvidia/params",
             "ResmanDebugLevel: 4294967295\nDeviceFileMode: 438\nEnableGpuFirmware: 18\n"
             "RegistryDwords: \"\"\nExcludedGpus: \"0000:01:00.0\"\nNvLinkDisable: 0\n");
    tree_put(&tree, "/sys/module/nvidia_drm/parameters/modeset", "Y\n");
    tree_put(&tree, "/etc/modprobe.d/nvidia.conf",
             "# comment\nblacklist nouveau\noptions nvidia-drm modeset=1 \\\n fbdev=1\n"
             "options nvidia NVreg_PreserveVideoMemoryAllocations=1 "
             "NVreg_RegistryDwords=\"RMX=1; RMY=2\"\ninstall nvidia /bin/false --token=secret\n"
             "alias nouveau off\nsoftdep nvidia post: nvidia-uvm\nblacklist pcspkr\n"
             "options snd_hda_intel power_save=1\noptions nvidia-current NVreg_EnableMSI=1\n");
    tree_put(&tree, "/lib/modprobe.d/nvidia.conf", "blacklist nvidia\n");
    tree_put(&tree, "/lib/modprobe.d/blacklist-nova.conf", "blacklist nova-core\n");
    tree_put(&tree, "/etc/modprobe.d/off.conf.bak", "blacklist nvidia\n");
    tree_put(&tree, "/proc/cmdline",
             "BOOT_IMAGE=/vmlinuz root=UUID=1234 luks.key=secret nouveau.modeset=0 "
             "nvidia-drm.modeset=1 modprobe.blacklist=nouveau,pcspkr,nvidia nomodeset iommu=pt "
             "pci=realloc,noaer token=abc nvidia.NVreg_EnableGpuFirmware=0\n");
    run();
    expect_rows(&tree, PARAMETERS,
                "kernel|iommu|pt|cmdline\n"
                "kernel|nomodeset|1|cmdline\n"
                "kernel|pci|realloc,noaer|cmdline\n"
                "nouveau|modeset|0|cmdline\n"
                "nouveau|modprobe.blacklist|1|cmdline\n"
                "nvidia|EnableGpuFirmware|0|cmdline\n"
                "nvidia|modprobe.blacklist|1|cmdline\n"
                "nvidia_drm|modeset|1|cmdline\n"
                "nvidia|DeviceFileMode|438|in-force\n"
                "nvidia|EnableGpuFirmware|18|in-force\n"
                "nvidia|ExcludedGpus|0000:01:00.0|in-force\n"
                "nvidia|NvLinkDisable|0|in-force\n"
                "nvidia|RegistryDwords||in-force\n"
                "nvidia_drm|modeset|Y|in-force\n"
                "nouveau|alias|off|modprobe.d\n"
                "nouveau|blacklist|1|modprobe.d\n"
                "nova_core|blacklist|1|modprobe.d\n"
                "nvidia|EnableMSI|1|modprobe.d\n"
                "nvidia|PreserveVideoMemoryAllocations|1|modprobe.d\n"
                "nvidia|RegistryDwords|RMX=1; RMY=2|modprobe.d\n"
                "nvidia|install|/bin/false|modprobe.d\n"
                "nvidia_drm|fbdev|1|modprobe.d\n"
                "nvidia_drm|modeset|1|modprobe.d");
}

/* Devices set aside for virtual machines; what else vfio-pci takes is of no interest. */
Test(probe_kernel, parameters_that_set_devices_aside)
{
    tree_put(&tree, "/etc/modprobe.d/vfio.conf",
             "options vfio-pci ids=10de:2231,10de:1aef disable_vga=1\n"
             "options vfio_pci_core ids=1\nblacklist nvidiafb\noptions vfio ids=1\n");
    tree_put(&tree, "/proc/cmdline",
             "quiet vfio-pci.ids=10de:2231 vfio_pci.disable_idle_d3=1 pci-stub.ids=10de:1b80 "
             "xen-pciback.hide=(01:00.0) vfio-pci2.ids=1\n");
    run();
    expect_rows(&tree, PARAMETERS,
                "pci_stub|ids|10de:1b80|cmdline\n"
                "vfio_pci|ids|10de:2231|cmdline\n"
                "xen_pciback|hide|(01:00.0)|cmdline\n"
                "vfio_pci|ids|10de:2231,10de:1aef|modprobe.d");
}

Test(probe_kernel, hostile_parameters)
{
    char *big = calloc(1, 200 * 1000);
    memset(big, 'x', 199 * 1000);
    tree_put_bytes(&tree, "/etc/modprobe.d/big.conf", big, 200 * 1000);
    tree_fifo(&tree, "/etc/modprobe.d/fifo.conf");
    struct text text = {0};
    for (int i = 0; i < 2000; i++)
        text_printf(&text, "blacklist nvidia\n");
    text_add(&text, "options nvidia a=\"never closed \\");
    tree_put(&tree, "/etc/modprobe.d/many.conf", text_get(&text));
    tree_put_bytes(&tree, "/proc/cmdline", "\0\377 nouveau.=\" =x nvidia.", 24);
    run();
    expect_rows(&tree, "SELECT count(*) FROM module_parameter WHERE source = 'modprobe.d'", "512");
    expect_rows(&tree,
                "SELECT path, status FROM probe WHERE fills = 'module_parameter' AND status <> "
                "'ok' ORDER BY path",
                "/etc/modprobe.d/big.conf|malformed\n/etc/modprobe.d/fifo.conf|malformed\n"
                "/etc/modprobe.d/many.conf|malformed");
    text_done(&text);
    free(big);
}
