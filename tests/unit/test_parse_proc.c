#include <criterion/criterion.h>

#include <string.h>

#include "base/pci_address.h"
#include "parse/elf_head.h"
#include "parse/proc.h"

static struct arena arena;

static void done(void)
{
    arena_done(&arena);
}

TestSuite(parse_proc, .fini = done);

static bool nvrm(const char *text, struct nvrm_version *ret)
{
    *ret = (struct nvrm_version){0};
    return parse_nvrm_version(text, strlen(text), &arena, ret);
}

Test(parse_proc, nvrm_open)
{
    struct nvrm_version v;
    cr_assert(nvrm("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release "
                   "Build  (builder@host)  Tue\nGCC version:  gcc version 12.3.0\n",
                   &v));
    cr_expect_str_eq(v.version, "580.95.05");
    cr_expect_str_eq(v.flavour, "open");
}

Test(parse_proc, nvrm_proprietary)
{
    struct nvrm_version v;
    cr_assert(nvrm("NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.76  Mon Sep 12 19:21:56 "
                   "UTC 2022\n",
                   &v));
    cr_expect_str_eq(v.version, "515.76");
    cr_expect_str_eq(v.flavour, "proprietary");
}

Test(parse_proc, nvrm_garbage)
{
    struct nvrm_version v;
    cr_expect_not(nvrm("", &v));
    cr_expect_not(nvrm("NVRM version: NVIDIA UNIX x86_64 Kernel Module\n", &v));
    cr_expect_not(nvrm("NVRM version: Kernel Module  none  12.2.0 (1.2)\n", &v));
    cr_expect_not(nvrm("GCC version: Kernel Module 515.76\n", &v));
}

Test(parse_proc, driver_version)
{
    cr_expect(is_driver_version("570.144"));
    cr_expect(is_driver_version("470.57.02"));
    const char *bad[] = {"",      "1.1",   "570",    "570.",   "570.1.2.3",
                         "570.x", "95.1a", "570..1", "57000.1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(is_driver_version(bad[i]), "%s", bad[i]);
}

Test(parse_proc, modules)
{
    const char *text = "nvidia_uvm 1830912 2 - Live 0x0000000000000000 (OE)\n"
                       "nvidia 14299136 - - Loading 0xffffffffc0400000 (O)\n"
                       "nouveau 3096576 0\n"
                       "broken\n"
                       "\n"
                       "nvidia_drm words 0 - Live 0x0\n";
    const char *expected[][2] = {{"nvidia_uvm", "live"}, {"nvidia", "loading"}, {"nouveau", NULL},
                                 {NULL, NULL},           {NULL, NULL},          {NULL, NULL}};
    size_t cursor = 0, n = 0;
    struct module_line line;
    for (; parse_module_line(text, strlen(text), &cursor, &arena, &line); n++) {
        cr_assert_lt(n, 6);
        if (!expected[n][0])
            cr_expect_null(line.name);
        else
            cr_expect_str_eq(line.name, expected[n][0]);
        if (!expected[n][1])
            cr_expect_null(line.state);
        else
            cr_expect_str_eq(line.state, expected[n][1]);
    }
    cr_expect_eq(n, 6);
}

static struct os_release os(const char *text)
{
    struct os_release ret;
    parse_os_release(text, strlen(text), &arena, &ret);
    return ret;
}

Test(parse_proc, os_release_quoting)
{
    struct os_release r =
        os("# comment\nNAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE='debian x'\r\n"
           "PRETTY_NAME=\"A \\\"B\\\" \\$C\"\n  VERSION_ID=\"24.04\"\nVARIANT_ID=\n");
    cr_expect_str_eq(r.id, "ubuntu");
    cr_expect_str_eq(r.id_like, "debian x");
    cr_expect_str_eq(r.pretty_name, "A \"B\" $C");
    cr_expect_str_eq(r.version_id, "24.04");
    cr_expect_null(r.variant_id);
    cr_expect_null(os("XID=debian\nVERSION_IDX=1\n").id);
    cr_expect_null(os("ID=\"\xff\xfe\"\n").id);
}

Test(parse_proc, gpu_information)
{
    const char *text = "Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\n"
                       "GPU UUID: \t GPU-00000000-1111-2222-3333-444444444444\n"
                       "Bus Location: \t 0000:3B:00.0\nDevice Minor: \t 7\n"
                       "GPU Firmware: \t 580.159.04\nGPU Excluded:\t No\n";
    struct gpu_information gpu;
    cr_assert(parse_gpu_information(text, strlen(text), &arena, &gpu));
    cr_expect_str_eq(gpu.model, "NVIDIA H200");
    cr_expect_str_eq(gpu.uuid, "GPU-00000000-1111-2222-3333-444444444444");
    cr_expect_str_eq(gpu.bus, "0000:3b:00.0");
    cr_expect(gpu.minor.known && gpu.minor.value == 7);
    cr_expect_str_eq(gpu.gsp_firmware, "580.159.04");
    cr_expect(gpu.excluded.known && gpu.excluded.value == 0);
}

/* "N/A" is said of a GPU without that processor as well as before the first use. */
Test(parse_proc, gpu_information_of_an_excluded_gpu)
{
    const char *text = "Model: \t NVIDIA A100\nGPU Firmware: \t N/A\nGPU Excluded:\t Yes\n";
    struct gpu_information gpu;
    cr_assert(parse_gpu_information(text, strlen(text), &arena, &gpu));
    cr_expect_null(gpu.gsp_firmware);
    cr_expect(gpu.excluded.known && gpu.excluded.value == 1);
    text = "GPU Firmware: garbage\nGPU Excluded: \n";
    cr_assert(parse_gpu_information(text, strlen(text), &arena, &gpu));
    cr_expect_null(gpu.gsp_firmware);
    cr_expect_not(gpu.excluded.known);
}

Test(parse_proc, gpu_information_before_first_use)
{
    const char *text = "Model: Unknown\nGPU UUID: GPU-????????"
                       "-????"
                       "-????"
                       "-????"
                       "-????????????\n"
                       "Device Minor: x\n";
    struct gpu_information gpu;
    cr_assert(parse_gpu_information(text, strlen(text), &arena, &gpu));
    cr_expect_null(gpu.model);
    cr_expect_null(gpu.uuid);
    cr_expect_not(gpu.minor.known);
    cr_expect_not(parse_gpu_information("no keys: here", 13, &arena, &gpu));
}

Test(parse_proc, proc_version_and_wsl)
{
    const char *text = "Linux version 5.15.90.1-microsoft-standard-WSL2 (oe@x) (gcc) #1 SMP\n";
    char *release = parse_proc_version(text, strlen(text), &arena);
    cr_expect_str_eq(release, "5.15.90.1-microsoft-standard-WSL2");
    cr_expect_eq(wsl_of_release(release), 2);
    cr_expect_eq(wsl_of_release("4.19.128-microsoft-standard"), 2);
    cr_expect_eq(wsl_of_release("4.4.0-19041-Microsoft"), 1);
    cr_expect_eq(wsl_of_release("5.15.0-1050-azure"), 0);
    cr_expect_null(parse_proc_version("FreeBSD", 7, &arena));
}

Test(parse_proc, pci_address)
{
    cr_expect_str_eq(pci_address("00000000:3B:00.0", &arena), "0000:3b:00.0");
    cr_expect_str_eq(pci_address("0009:01:00.0", &arena), "0009:01:00.0");
    cr_expect_str_eq(pci_address("10000:01:00.0", &arena), "10000:01:00.0");
    const char *bad[] = {"", "0000:01:00", "0000:01:00.0x", "000:01:00.0", "g000:01:00.0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_null(pci_address(bad[i], &arena), "%s", bad[i]);
}

Test(parse_proc, tegra)
{
    const char *release =
        "# R36 (release), REVISION: 4.0, GCID: 0, BOARD: generic, EABI: aarch64\n";
    cr_expect_eq(parse_tegra_release(release, strlen(release)), 36);
    cr_expect_eq(parse_tegra_release("# Rx", 4), 0);
    const char orin[] = "nvidia,p3737-0000+p3701-0000\0nvidia,p3701-0000\0nvidia,tegra234";
    cr_expect_eq(parse_tegra_compatible(orin, sizeof orin), 234);
    cr_expect_eq(parse_tegra_compatible("raspberrypi,5", 13), 0);
    cr_expect_str_eq(tegra_cc(234), "8.7");
    cr_expect_str_eq(tegra_cc(194), "7.2");
    cr_expect_str_eq(tegra_cc(264), "11.0");
    cr_expect_null(tegra_cc(0));
}

Test(parse_proc, elf_head)
{
    char head[ELF_HEAD] = "\177ELF\2\1\1";
    struct elf_head elf;
    head[18] = 62;
    cr_assert(parse_elf_head(head, sizeof head, &elf));
    cr_expect(elf.bits == 64 && strcmp(elf.arch, "x86_64") == 0);
    head[4] = 1, head[18] = 3;
    cr_assert(parse_elf_head(head, sizeof head, &elf));
    cr_expect(elf.bits == 32 && strcmp(elf.arch, "i386") == 0);
    cr_expect_not(parse_elf_head(head, 19, &elf));
    head[4] = 7;
    cr_expect_not(parse_elf_head(head, sizeof head, &elf));
    cr_expect_not(parse_elf_head("#!/bin/sh and more text", 23, &elf));
}
