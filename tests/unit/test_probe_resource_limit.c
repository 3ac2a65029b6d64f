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

TestSuite(probe_resource_limit, .init = start, .fini = finish);

static void run(void)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_open(&tree);
    tree_run(&tree, &probe_resource_limit);
}

static const char all_rows[] = "SELECT name, soft, hard, unlimited, path FROM resource_limit";

Test(probe_resource_limit, process)
{
    tree_put(&tree, "/proc/self/limits",
             "Limit                     Soft Limit           Hard Limit           Units     \n"
             "Max stack size            8388608              unlimited            bytes     \n"
             "Max processes             unlimited            unlimited            processes \n"
             "Max open files            1024                 1048576              files     \n"
             "Max locked memory         65536                65536                bytes     \n");
    run();
    expect_rows(&tree, all_rows,
                "memlock|65536|65536|0|/proc/self/limits\n"
                "nofile|1024|1048576|0|/proc/self/limits\n"
                "nproc|~|~|1|/proc/self/limits\n"
                "stack|8388608|~|0|/proc/self/limits");
    expect_rows(&tree, "SELECT status, path FROM probe",
                "ok|/proc/self/limits\nabsent|/proc/self/mountinfo\nabsent|/proc/self/cgroup");
}

Test(probe_resource_limit, shm_of_docker)
{
    tree_put(&tree, "/proc/self/mountinfo",
             "25 24 0:23 / /dev rw - tmpfs tmpfs rw,size=65536k\n"
             "30 25 0:27 / /dev/shm rw,nosuid shared:4 - tmpfs shm rw,size=65536k,inode64\n");
    run();
    expect_rows(&tree, all_rows, "shm|67108864|~|0|/proc/self/mountinfo");
}

Test(probe_resource_limit, shm_default_is_half_of_the_memory)
{
    tree_put(&tree, "/proc/self/mountinfo", "30 25 0:27 / /dev/shm rw - tmpfs tmpfs rw,inode64\n");
    tree_put(&tree, "/proc/meminfo", "MemTotal:       32768000 kB\nMemFree: 1 kB\n");
    run();
    expect_rows(&tree, "SELECT soft, unlimited FROM resource_limit", "16777216000|0");
}

Test(probe_resource_limit, shm_in_percent_and_overmounted)
{
    tree_put(&tree, "/proc/self/mountinfo",
             "30 25 0:27 / /dev/shm rw - tmpfs tmpfs rw,size=64m\n"
             "31 30 0:28 / /dev/shm rw - tmpfs tmpfs rw,size=25%\n");
    tree_put(&tree, "/proc/meminfo", "MemTotal: 1000 kB\n");
    run();
    expect_rows(&tree, "SELECT soft FROM resource_limit", "256000");
}

Test(probe_resource_limit, shm_of_unknown_size)
{
    tree_put(&tree, "/proc/self/mountinfo",
             "30 25 0:27 / /dev/shm rw - tmpfs tmpfs rw,size=99999999999999999999g\n");
    run();
    expect_rows(&tree, "SELECT name, soft, unlimited FROM resource_limit", "shm|~|~");
}

Test(probe_resource_limit, smallest_group_counts)
{
    tree_put(&tree, "/proc/self/cgroup", "0::/user.slice/job.scope\n");
    tree_put(&tree, "/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
    tree_put(&tree, "/sys/fs/cgroup/user.slice/job.scope/memory.max", "2147483648\n");
    tree_put(&tree, "/sys/fs/cgroup/user.slice/pids.max", "max\n");
    run();
    expect_rows(&tree, all_rows,
                "cgroup-memory|1073741824|~|0|/sys/fs/cgroup/user.slice/memory.max\n"
                "pids|~|~|1|/sys/fs/cgroup/user.slice/pids.max");
}

Test(probe_resource_limit, container_with_its_own_root)
{
    tree_put(&tree, "/proc/self/cgroup", "0::/\n");
    tree_put(&tree, "/sys/fs/cgroup/memory.max", "max\n");
    tree_put(&tree, "/sys/fs/cgroup/pids.max", "4096\n");
    run();
    expect_rows(&tree, "SELECT name, soft, unlimited FROM resource_limit",
                "cgroup-memory|~|1\npids|4096|0");
}

Test(probe_resource_limit, version_1)
{
    tree_put(&tree, "/proc/self/cgroup",
             "9:name=systemd:/\n4:memory,hugetlb:/docker/abc\n3:pids:/docker/abc\n0::/\n");
    tree_put(&tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree_put(&tree, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "536870912\n");
    tree_put(&tree, "/sys/fs/cgroup/pids/pids.max", "max\n");
    run();
    expect_rows(&tree, "SELECT name, soft, unlimited FROM resource_limit",
                "cgroup-memory|536870912|0\npids|~|1");
}

Test(probe_resource_limit, hostile)
{
    tree_put(&tree, "/proc/self/limits", "Max open files   many\nMax stack size\xff\n");
    tree_fifo(&tree, "/proc/self/mountinfo");
    tree_put(&tree, "/proc/self/cgroup", "0::/../../etc\n0:\n::::\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM resource_limit", "0");
    expect_rows(&tree, "SELECT status, path, fills FROM probe",
                "malformed|/proc/self/limits|resource_limit\n"
                "malformed|/proc/self/mountinfo|resource_limit\n"
                "ok|/proc/self/cgroup|resource_limit");
}

Test(probe_resource_limit, broken_number)
{
    tree_put(&tree, "/proc/self/cgroup", "0::/a\n");
    tree_put(&tree, "/sys/fs/cgroup/a/memory.max", "-1 garbage\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM resource_limit", "0");
    expect_rows(&tree, "SELECT path FROM probe WHERE status = 'malformed'",
                "/sys/fs/cgroup/a/memory.max");
}
