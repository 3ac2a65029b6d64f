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

TestSuite(probe_kernel_log, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_kernel_log);
}

Test(probe_kernel_log, repeats_are_one_row)
{
    tree_put(&tree, "/.record/dmesg",
             "[   10.5] NVRM: Xid (PCI:0000:01:00): 31, pid=1, name=a, MMU Fault at 0x7f00\n"
             "[   11.5] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n"
             "[   12.5] NVRM: Xid (PCI:0000:01:00): 31, pid=2, name=b, MMU Fault at 0x7f99\n"
             "[   13.5] NVRM: Xid (PCI:0000:02:00): 31, pid=2, name=b, MMU Fault at 0x7f99\n");
    run();
    expect_rows(&tree,
                "SELECT kind, xid, pci_address, text, count, position, seconds, source, this_boot "
                "FROM kernel_log ORDER BY position",
                "xid|79|0000:01:00.0|NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the "
                "bus.|1|2|11|/.record/dmesg|1\n"
                "xid|31|0000:01:00.0|NVRM: Xid (PCI:0000:01:00): 31, MMU Fault at "
                "0x7f00|2|3|12|/.record/dmesg|1\n"
                "xid|31|0000:02:00.0|NVRM: Xid (PCI:0000:02:00): 31, MMU Fault at "
                "0x7f99|1|4|13|/.record/dmesg|1");
    expect_rows(&tree, "SELECT status, path FROM probe", "ok|/.record/dmesg");
}

Test(probe_kernel_log, file_tells_which_lines_are_of_this_start)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0-60-generic #1 SMP x86_64\n");
    tree_put(&tree, "/var/log/kern.log", "");
    tree_put(&tree, "/var/log/syslog",
             "Nov 29 10:00:00 box kernel: [ 100.0] NVRM: No NVIDIA GPU found.\n"
             "Nov 30 10:00:00 box kernel: [   0.0] Linux version 6.8.0-60-generic (b@h)\n"
             "Nov 30 10:00:00 box kernel: [ 101.0] NVRM: Xid (PCI:0000:01:00): 13, x\n");
    run();
    expect_rows(&tree, "SELECT kind, this_boot, source FROM kernel_log",
                "no-gpu|0|/var/log/syslog\nxid|1|/var/log/syslog");
    expect_rows(&tree, "SELECT status, path, fills FROM probe",
                "ok|/var/log/syslog|kernel_log\nskipped|/.record/dmesg|~");
}

Test(probe_kernel_log, file_of_another_kernel)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0-1-generic #1 SMP x86_64\n");
    tree_put(&tree, "/var/log/messages",
             "Nov 30 10:00:00 box kernel: Linux version 6.8.0-60-generic (b@h)\n"
             "Nov 30 10:00:00 box kernel: NVRM: Xid (PCI:0000:01:00): 13, x\n");
    run();
    expect_rows(&tree, "SELECT xid, this_boot FROM kernel_log", "13|0");
}

Test(probe_kernel_log, tail_without_a_start)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0-1-generic #1 SMP x86_64\n");
    char *big = malloc((2 << 20) + 128);
    cr_assert(big);
    memset(big, 'x', 2 << 20);
    strcpy(big + (2 << 20), "\nNov 30 10:00:00 box kernel: [ 5.0] NVRM: No NVIDIA GPU found.\n");
    tree_put(&tree, "/var/log/kern.log", big);
    free(big);
    run();
    expect_rows(&tree, "SELECT kind, this_boot, seconds FROM kernel_log", "no-gpu|~|5");
}

Test(probe_kernel_log, journal_alone_is_skipped)
{
    tree_put(&tree, "/.record/uname", "Linux 6.11.0-1-generic #1 SMP x86_64\n");
    tree_folder(&tree, "/var");
    tree_folder(&tree, "/var/log");
    tree_folder(&tree, "/var/log/journal");
    tree_fifo(&tree, "/var/log/syslog");
    run();
    expect_rows(&tree, "SELECT count(*) FROM kernel_log", "0");
    expect_rows(&tree, "SELECT status, path, fills FROM probe",
                "malformed|/var/log/syslog|~\nskipped|/var/log/journal|~\n"
                "skipped|/.record/dmesg|kernel_log");
}

Test(probe_kernel_log, text_that_is_no_log)
{
    tree_put(&tree, "/.record/dmesg", "{\"dmesg\": [\n{\"pri\": 3}\n]}\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM kernel_log", "0");
    expect_rows(&tree, "SELECT status, fills, detail FROM probe",
                "malformed|kernel_log|it has text, but no line in a form that is known");
}

Test(probe_kernel_log, empty_log_is_no_fault)
{
    tree_put(&tree, "/.record/dmesg", "\n");
    run();
    expect_rows(&tree, "SELECT status, fills, detail FROM probe", "ok|kernel_log|~");
}

Test(probe_kernel_log, image_has_none)
{
    tree_put(&tree, "/var/log/dmesg", "[1.0] NVRM: No NVIDIA GPU found.\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM kernel_log", "0");
    expect_rows(&tree, "SELECT status FROM probe", "skipped");
}

Test(probe_kernel_log, more_than_the_cap)
{
    struct text log = {0};
    for (int i = 0; i < 600; i++)
        text_printf(&log, "[%d.0] nvidia: version magic '%d' should be '6'\n", i, i);
    tree_put(&tree, "/.record/dmesg", text_get(&log));
    text_done(&log);
    run();
    expect_rows(&tree, "SELECT count(*), min(position), max(position) FROM kernel_log",
                "500|101|600");
    expect_rows(&tree, "SELECT detail FROM probe WHERE status = 'malformed'",
                "it holds more than 500 different lines about GPUs; the oldest 100 were left out");
}
