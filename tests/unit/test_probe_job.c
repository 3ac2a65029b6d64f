#include "parse/slurm_conf.h"
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

TestSuite(probe_job, .init = start, .fini = finish);

static void run(const char *variables)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    if (variables)
        tree_put(&tree, "/.record/environ", variables);
    tree_open(&tree);
    tree_run(&tree, &probe_job);
}

static const char all_rows[] =
    "SELECT scheduler, in_job, gpus, gpus_from, gpu_count, confines_devices, path FROM job";

Test(probe_job, slurm_login_node)
{
    tree_put(&tree, "/etc/slurm/slurm.conf", "ClusterName=x\n");
    run("PATH=/usr/bin\n");
    expect_rows(&tree, all_rows, "slurm|0|~|~|~|0|/etc/slurm/slurm.conf");
}

Test(probe_job, slurm_job)
{
    tree_put(&tree, "/etc/slurm/slurm.conf", "TaskPlugin=task/affinity,task/cgroup # both\n");
    tree_put(&tree, "/etc/slurm/cgroup.conf", "ConstrainCores=yes\nconstraindevices=YES\n");
    tree_put(&tree, "/etc/slurm/gres.conf", "NodeName=n[1-9] Name=gpu File=/dev/nvidia[0-3]\n");
    run("SLURM_JOB_ID=12\nSLURM_JOB_GPUS=2,3\nSLURM_GPUS_ON_NODE=2\nSLURM_JOB_USER=ann\n");
    expect_rows(&tree, all_rows, "slurm|1|2,3|SLURM_JOB_GPUS|2|1|/etc/slurm/slurm.conf");
}

Test(probe_job, slurm_job_without_gpus)
{
    tree_put(&tree, "/etc/slurm/slurm.conf", "TaskPlugin=task/cgroup\n");
    tree_put(&tree, "/etc/slurm/gres.conf", "#Name=gpu\nAutoDetect=nvml\n");
    run("SLURM_JOB_ID=12\n");
    expect_rows(&tree, all_rows, "slurm|1|~|~|0|~|/etc/slurm/slurm.conf");
}

Test(probe_job, slurm_job_where_nothing_is_told)
{
    run("SLURM_JOB_ID=12\n");
    expect_rows(&tree, all_rows, "slurm|1|~|~|~|~|~");
}

Test(probe_job, environment_unknown)
{
    tree_put(&tree, "/usr/bin/sinfo", "");
    run(NULL);
    expect_rows(&tree, all_rows, "slurm|~|~|~|~|~|/usr/bin/sinfo");
}

Test(probe_job, kubernetes)
{
    run("KUBERNETES_SERVICE_HOST=10.0.0.1\nNVIDIA_VISIBLE_DEVICES=GPU-5ed1bd95-0000,"
        "GPU-5ed1bd95-0001\n");
    expect_rows(&tree, all_rows,
                "kubernetes|1|GPU-5ed1bd95-0000,GPU-5ed1bd95-0001|NVIDIA_VISIBLE_DEVICES|2|~|~");
}

Test(probe_job, kubernetes_with_what_the_image_sets)
{
    run("KUBERNETES_SERVICE_HOST=10.0.0.1\nNVIDIA_VISIBLE_DEVICES=all\n");
    expect_rows(&tree, all_rows, "kubernetes|1|all|NVIDIA_VISIBLE_DEVICES|~|~|~");
}

Test(probe_job, kubernetes_device_mounts)
{
    tree_folder(&tree, "/var");
    tree_folder(&tree, "/var/run");
    tree_put(&tree, "/var/run/nvidia-container-devices/GPU-1", "");
    run("KUBERNETES_SERVICE_HOST=10.0.0.1\nNVIDIA_VISIBLE_DEVICES=/var/run/"
        "nvidia-container-devices\n");
    expect_rows(&tree, all_rows, "kubernetes|1|GPU-1|/var/run/nvidia-container-devices|1|~|~");
}

Test(probe_job, launchers_inside_each_other)
{
    run("LSB_JOBID=7\nCUDA_VISIBLE_DEVICES=\nRANK=0\nLOCAL_RANK=0\nWORLD_SIZE=2\n");
    expect_rows(&tree, "SELECT scheduler, in_job, gpus, gpu_count FROM job",
                "lsf|1||0\ntorchrun|1|~|~");
}

Test(probe_job, none)
{
    run("RANK=0\n");
    expect_rows(&tree, "SELECT count(*) FROM job", "0");
    expect_rows(&tree, "SELECT status, fills FROM probe", "absent|job");
}

Test(probe_job, hostile_files)
{
    tree_fifo(&tree, "/etc/slurm/slurm.conf");
    tree_put(&tree, "/etc/slurm/gres.conf", "Name==gpu\n\xff=\n=\nName\n");
    run("SLURM_JOB_ID=\nSLURM_STEP_GPUS=0-99999999,x\nSLURM_GPUS_ON_NODE=a100:x\n");
    expect_rows(&tree, "SELECT in_job, gpus, gpu_count FROM job", "1|0-99999999,x|~");
    expect_rows(&tree, "SELECT status FROM probe WHERE path = '/etc/slurm/slurm.conf'",
                "malformed");
}

Test(probe_job, counts)
{
    cr_expect_eq(parse_gpu_list_count("0-3,5").value, 5);
    cr_expect_eq(parse_gpu_list_count("MIG-5ed1bd95-1111").value, 1);
    cr_expect_eq(parse_gpu_list_count("0 1").value, 2);
    cr_expect(!parse_gpu_list_count("void").known);
    cr_expect(!parse_gpu_list_count("3-1").known);
    cr_expect_eq(parse_gpu_count("gpu:a100:4,gpu:h100:2").value, 6);
    cr_expect_eq(parse_gpu_count("8").value, 8);
    cr_expect(!parse_gpu_count("a100").known);
}
