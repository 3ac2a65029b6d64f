#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/internal.h"
#include "parse/nvidia_log.h"
#include "parse/nvidia_log_text.h"

static struct arena arena;
static struct text out;

static void finish(void)
{
    text_done(&out);
    arena_done(&arena);
}

TestSuite(nvidia_log, .fini = finish);

/* kind|xid|address|text of each message, one a line */
static const char *messages(const char *log)
{
    size_t cursor = 0;
    struct log_message m;
    text_clear(&out);
    while (log_next(log, strlen(log), &cursor, &arena, &m)) {
        text_printf(&out, "%s%s|", out.length ? "\n" : "", m.kind);
        if (m.xid.known)
            text_printf(&out, "%d", (int)m.xid.value);
        text_printf(&out, "|%s|%s", m.pci_address ? m.pci_address : "", m.text);
    }
    return text_get(&out);
}
#define expect_messages(log, expected) cr_expect_str_eq(messages(log), expected)

Test(nvidia_log, xid)
{
    expect_messages("[  123.456789] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', "
                    "name=<unknown>, GPU has fallen off the bus.\n",
                    "xid|79|0000:3b:00.0|NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the "
                    "bus.");
    expect_messages("[    1.0] [ T1234] NVRM: Xid (PCI:0001:81:00 GPU-I:02 GPU-CI:00): 43, "
                    "pid=411, name=secret.py, Ch 00000008\n",
                    "xid|43|0001:81:00.0|NVRM: Xid (PCI:0001:81:00 GPU-I:02 GPU-CI:00): 43, "
                    "Ch 00000008");
    expect_messages("[    1.0] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link "
                    "46 MC TS crumbstore MCTO (First)\n",
                    "sxid|28006|0000:c1:00.0|nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, "
                    "Non-fatal, Link 46 MC TS crumbstore MCTO (First)");
}

Test(nvidia_log, api_mismatch_is_one_message)
{
    expect_messages(
        "[  9.1] NVRM: API mismatch: the client 'nvidia-smi' (pid 1234)\n"
        "[  9.1] NVRM: has the version 535.129.03, but this kernel module has\n"
        "[  9.1] NVRM: the version 535.104.05.  Please\n"
        "[  9.1] NVRM: make sure that this kernel module and all NVIDIA driver\n"
        "[  9.1] NVRM: components have the same version.\n"
        "[  9.2] NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1474)\n",
        "api-mismatch|||NVRM: API mismatch: the client has the version 535.129.03, but this kernel "
        "module has the version 535.104.05.  Please\n"
        "init-failed||0000:01:00.0|NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1474)");
    expect_messages("NVRM: API mismatch: the client has the version 535.54.03, but\n"
                    "NVRM: this kernel module has the version 525.116.04.  Please\n"
                    "NVRM: make sure that this kernel module and all NVIDIA driver\n"
                    "NVRM: components have the same version.\n",
                    "api-mismatch|||NVRM: API mismatch: the client has the version 535.54.03, but "
                    "this kernel module has the version 525.116.04.  Please make sure that this "
                    "kernel module and all NVIDIA driver");
}

Test(nvidia_log, gpus_the_module_refuses)
{
    expect_messages(
        "[ 3.3] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b80)\n"
        "[ 3.3] NVRM: installed in this system is not supported by open\n"
        "[ 3.3] NVRM: nvidia.ko because it does not include the required GPU\n"
        "[ 3.3] NVRM: System Processor (GSP).\n"
        "[ 3.3] NVRM: Please see the 'Open Linux Kernel Modules' and 'GSP\n"
        "[ 3.3] NVRM: Firmware' sections in the driver README, available on\n"
        "[ 3.3] NVRM: www.nvidia.com.\n"
        "[ 3.4] nvidia: probe of 0000:01:00.0 failed with error -1\n",
        "unsupported-gpu||0000:01:00.0|NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b80) "
        "installed in this system is not supported by open nvidia.ko because it does not include "
        "the required GPU System Processor (GSP).\n"
        "init-failed||0000:01:00.0|nvidia: probe of 0000:01:00.0 failed with error -1");
    expect_messages(
        "[ 3.3] NVRM: The NVIDIA GPU 0000:02:00.0 (PCI ID: 10de:2b85)\n"
        "[ 3.3] NVRM: installed in this system requires use of the NVIDIA open kernel "
        "modules.\n"
        "[ 3.3] NVRM: GPU 0000:02:00.0 is already bound to nouveau.\n",
        "unsupported-gpu||0000:02:00.0|NVRM: The NVIDIA GPU 0000:02:00.0 (PCI ID: "
        "10de:2b85) installed in this system requires use of the NVIDIA open kernel "
        "modules.\n"
        "probe-missed||0000:02:00.0|NVRM: GPU 0000:02:00.0 is already bound to nouveau.");
    expect_messages("[ 3.3] NVRM: The NVIDIA GeForce GT 630 GPU installed in this system is\n"
                    "[ 3.3] NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please\n"
                    "[ 3.3] NVRM:  visit http://www.nvidia.com/object/unix.html for more\n"
                    "[ 3.3] NVRM:  information.  The 535.54.03 NVIDIA driver will ignore\n"
                    "[ 3.3] NVRM:  this GPU.  Continuing probe...\n"
                    "[ 3.3] NVRM: ignoring the legacy GPU 0000:01:00.0\n",
                    "legacy-gpu|||NVRM: The NVIDIA GeForce GT 630 GPU installed in this system is "
                    "supported through the NVIDIA 470.xx Legacy drivers. Please visit "
                    "http://www.nvidia.com/object/unix.html for more information.  The 535.54.03 "
                    "NVIDIA driver will ignore this GPU.  Continuing probe...\n"
                    "legacy-gpu||0000:01:00.0|NVRM: ignoring the legacy GPU 0000:01:00.0");
}

Test(nvidia_log, no_names_of_people)
{
    expect_messages("[1.0] NVRM: made by (root@builder-7.local) @ 0x0\n",
                    "nvrm|||NVRM: made by () @ 0x0");
}

Test(nvidia_log, bars_and_probes)
{
    expect_messages(
        "[1.0] NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:\n"
        "[1.0] NVRM: BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)\n"
        "[1.0] NVRM: The NVIDIA probe routine was not called for 1 device(s).\n"
        "[1.0] NVRM: None of the NVIDIA devices were initialized.\n"
        "[1.0] NVRM: No NVIDIA GPU found.\n",
        "bar||0000:01:00.0|NVRM: This PCI I/O region assigned to your NVIDIA device is invalid: "
        "BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)\n"
        "probe-missed|||NVRM: The NVIDIA probe routine was not called for 1 device(s).\n"
        "no-gpu|||NVRM: None of the NVIDIA devices were initialized.\n"
        "no-gpu|||NVRM: No NVIDIA GPU found.");
}

Test(nvidia_log, other_speakers)
{
    expect_messages(
        "[1.0] nvidia: version magic '6.8.0-59-generic SMP' should be '6.8.0-60-generic SMP'\n"
        "[1.0] nvidia_uvm: Unknown symbol nvUvmInterfaceRegisterGpu (err -2)\n"
        "[1.0] Loading of unsigned module is rejected\n"
        "[1.0] Lockdown: my-tool: unsigned module loading is restricted; see man "
        "kernel_lockdown.7\n"
        "[1.0] pcieport 0000:00:01.0: AER: enabled with IRQ 122\n"
        "[1.0] pcieport 0000:00:01.0: AER: Corrected error message received from 0000:01:00.0\n"
        "[1.0] DMAR: [DMA Read NO_PASID] Request device [01:00.0] fault addr 0xffff [fault reason "
        "0x06] PTE Read access is not set\n"
        "[1.0] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=train.py,pid=1,uid=0\n"
        "[1.0] Out of memory: Killed process 411 (train.py) total-vm:1kB\n"
        "[1.0] nouveau 0000:01:00.0: gr: failed to construct context\n"
        "[1.0] usb 1-1: new device\n"
        "[1.0] nvidia 0000:01:00.0: vgaarb: changed VGA decodes\n",
        "module-version|||nvidia: version magic '6.8.0-59-generic SMP' should be "
        "'6.8.0-60-generic SMP'\n"
        "module-version|||nvidia_uvm: Unknown symbol nvUvmInterfaceRegisterGpu (err -2)\n"
        "module-signature|||Loading of unsigned module is rejected\n"
        "module-signature|||Lockdown: unsigned module loading is restricted; see man "
        "kernel_lockdown.7\n"
        "aer||0000:01:00.0|pcieport 0000:00:01.0: AER: Corrected error message received from "
        "0000:01:00.0\n"
        "iommu||0000:01:00.0|DMAR: [DMA Read NO_PASID] Request device [01:00.0] fault addr 0xffff "
        "[fault reason 0x06] PTE Read access is not set\n"
        "oom|||oom-kill:constraint=CONSTRAINT_MEMCG\n"
        "oom|||Out of memory: Killed\n"
        "nouveau||0000:01:00.0|nouveau 0000:01:00.0: gr: failed to construct context");
}

Test(nvidia_log, nothing_that_identifies)
{
    expect_messages("[1.0] NVRM: GPU Board Serial Number: 1323721009827\n"
                    "[1.0] NVRM: GPU at PCI:0000:01:00: GPU-5ed1bd95-ffff-ffff-ffff-ffffffffffff\n"
                    "[1.0] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  "
                    "Release Build  (ann@laptop)\n",
                    "");
}

/* One GPU among all is named by none of these. */
Test(nvidia_log, serial_numbers_in_any_spelling)
{
    static const char *const spellings[] = {
        "GPU serial number is 1653923026510.",
        "serial 1653923026510",
        "SERIAL NUMBER: 1653923026510",
        "Serial#: 1653923026510",
        "S/N 1653923026510",
        "SN=1653923026510",
        "serialNumber = 1653923026510",
        "gpu_serial_no 1653923026510",
        "1653923026510 is the serial number",
        "Board 1653923026510",
        "board_id=PN-1653923026510-A",
        "uuid GPU-16539230-2651-0abc-def0-1653923026510",
        "GPU-16539230-2651-0abc-def0-165392302651",
    };
    expect_messages("[1.0] NVRM: GPU 0000:5d:00.0: GPU serial number is 1653923026510.\n"
                    "[1.0] NVRM: GPU 0000:5d:00.0: GPU is on Board 1653923026510.\n",
                    "");
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const char *log =
            arena_printf(&arena, "[1.0] NVRM: GPU 0000:5d:00.0: x. %s\n", spellings[i]);
        const char *found = messages(log);
        cr_expect(!strstr(found, "1653923") && !strstr(found, "2651"), "%s", found);
        cr_expect(strstr(found, "|0000:5d:00.0|NVRM: GPU 0000:5d:00.0: x. "), "%s", found);
    }
    expect_messages("[1.0] NVRM: GPU 00000000:81:00.0: GPU has fallen off the bus. Serial 16539\n"
                    "[1.0] nouveau 0000:01:00.0: board 0 of serial port 1\n",
                    "fallen-off||0000:81:00.0|NVRM: GPU 00000000:81:00.0: GPU has fallen off the "
                    "bus. Serial \n"
                    "nouveau||0000:01:00.0|nouveau 0000:01:00.0: board 0 of serial port 1");
}

/* dmesg and journalctl print blanks where the time of the message stands in its first line. */
Test(nvidia_log, indented_lines)
{
    expect_messages("[ 1843.3] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
                    "               NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
                    "               NVRM: fallen off the bus and is not responding to commands.\n"
                    "[ 1844.0] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85)\n"
                    "\t\tNVRM: installed in this system requires use of the NVIDIA open kernel "
                    "modules.\n",
                    "fallen-off||0000:b3:00.0|NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: "
                    "10de:26b5) installed in this system has fallen off the bus and is not "
                    "responding to commands.\n"
                    "unsupported-gpu||0000:01:00.0|NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: "
                    "10de:2b85) installed in this system requires use of the NVIDIA open kernel "
                    "modules.");
    expect_messages("[6.0] NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:\n"
                    "      NVRM: BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)\n",
                    "bar||0000:01:00.0|NVRM: This PCI I/O region assigned to your NVIDIA device is "
                    "invalid: BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)");
}

Test(nvidia_log, rsyslog_escapes_ends_of_lines)
{
    expect_messages("2024-09-09T10:00:00.123456+00:00 box kernel: NVRM: The NVIDIA GPU "
                    "0000:b3:00.0#012NVRM: (PCI ID:#01110de:26b5) installed in this system "
                    "has#012#011NVRM: fallen off the bus and is not responding to commands.\n"
                    "2024-09-09T10:00:01.5+00:00 box kernel: [1.0] NVRM: X#011b#012\n"
                    "2024-09-09T10:00:02.5+00:00 box prog: hello#012NVRM: No NVIDIA GPU found.\n",
                    "fallen-off||0000:b3:00.0|NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: "
                    "10de:26b5) installed in this system has fallen off the bus and is not "
                    "responding to commands.\n"
                    "nvrm|||NVRM: X b");
}

Test(nvidia_log, times_of_dmesg_and_journalctl)
{
    static const char *const heads[] = {
        "2024-01-15T03:00:00,000000+00:00 ",       /* dmesg --time-format iso */
        "2024-01-15T03:00:00,000000+00:00 [ T1] ", /* with the caller */
        "[Mon Nov 30 10:00:00 2026] ",             /* dmesg -T */
        "[Nov30 10:00] ",                          /* dmesg -e */
        "[  +0.000003] ",                          /* dmesg -e, -d */
        "kern  :err   : [   12.345678] ",          /* dmesg -x */
        "kern  :err   : 2024-01-15T03:00:00,000000+00:00 ",
        "<3>[   12.345678] ", /* dmesg -r */
        "",                   /* dmesg -t */
        "Nov 30 10:00:00 box kernel: ",
        "2026-11-30T10:00:00+0000 box kernel: ", /* journalctl -o short-iso */
        "Mon 2026-11-30 10:00:00 UTC box kernel: ",
        "[   12.345678] box kernel: ", /* journalctl -o short-monotonic */
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const char *found = messages(
            arena_printf(&arena, "%sNVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has\n", heads[i]));
        cr_expect_str_eq(found, "xid|79|0000:3b:00.0|NVRM: Xid (PCI:0000:3b:00): 79, GPU has",
                         "%s: %s", heads[i], found);
    }
}

Test(nvidia_log, syslog_lines)
{
    const char *log =
        "Nov 29 09:00:00 box kernel: [    0.000000] Linux version 6.8.0-60-generic (b@h)\n"
        "Nov 30 10:00:00 box myprog: NVRM: Xid (PCI:0000:01:00): 31, not the kernel\n"
        "2026-11-30T10:00:01.5+01:00 box kernel: NVRM: No NVIDIA GPU found.\n"
        "Nov 30 10:00:02 box kernel: [  77.5] NVRM: Xid (PCI:0000:01:00): 31, pid=7, name=x, MMU\n"
        "Nov 30 10:00:03 box modprobe[9]: modprobe: ERROR: could not insert 'nvidia': Key was "
        "rejected by service\n";
    expect_messages(log, "no-gpu|||NVRM: No NVIDIA GPU found.\n"
                         "xid|31|0000:01:00.0|NVRM: Xid (PCI:0000:01:00): 31, MMU\n"
                         "module-signature|||modprobe: ERROR: could not insert 'nvidia': Key was "
                         "rejected by service");
    size_t offset = 0;
    char *release = NULL;
    cr_assert(log_last_start(log, strlen(log), &arena, &offset, &release));
    cr_expect_str_eq(release, "6.8.0-60-generic");
    cr_expect_eq(strncmp(log + offset, "Linux version", 13), 0);
    cr_expect(!log_last_start("x Linux version 1.2\n", 20, &arena, &offset, &release));
}

Test(nvidia_log, folds_what_differs_in_numbers)
{
    cr_expect_str_eq(log_fold("Ch 00000008, intr 10000000 at GPC0", &arena), "Ch #, intr # at #");
    cr_expect_str_eq(log_fold("none", &arena), "none");
}

Test(nvidia_log, hostile)
{
    expect_messages("", "");
    expect_messages("[", "");
    expect_messages("[1.0] NVRM: Xid (", "xid|||NVRM: Xid (");
    expect_messages("[1.0] NVRM: Xid (PCI:0000:01:00): 99999999999, \xff\x1b[31m",
                    "xid||0000:01:00.0|NVRM: Xid (PCI:0000:01:00): 99999999999, \\xff\\x1b[31m");
    size_t size = 1 << 20, cursor = 0, count = 0;
    char *log = malloc(size + 1);
    cr_assert(log);
    for (size_t i = 0; i < size; i++)
        log[i] = "Linux version "[i % 14];
    log[size] = '\0';
    struct log_message m;
    char *release;
    size_t offset;
    while (log_next(log, size, &cursor, &arena, &m))
        count++;
    cr_expect_eq(count, 0);
    cr_expect(log_last_start(log, size, &arena, &offset, &release));
    free(log);
}

/* The kernel escapes the ends of lines inside one record. */
Test(nvidia_log, record_of_kmsg)
{
    static const char record[] =
        "3,339,5140900,-;NVRM: has\\x0aNVRM: the \\x5cversion\\xzz\\x4\n SUBSYSTEM=pci\n";
    text_clear(&out);
    kernel_log_add_record(&out, record, sizeof record - 1);
    cr_expect_str_eq(text_get(&out),
                     "[    5.140900] NVRM: has\n[    5.140900] NVRM: the \\version\\xzz\\x4\n");
}
