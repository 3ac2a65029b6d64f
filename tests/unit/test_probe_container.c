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

TestSuite(probe_container, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_device_node);
    tree_run(&tree, &probe_host);
    tree_run(&tree, &probe_container);
    tree_run(&tree, &probe_cdi);
}

static void put_linux(void)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0-60-generic #1 SMP x86_64\n");
}

Test(probe_container, host)
{
    put_linux();
    run();
    expect_rows(&tree, "SELECT count(*) FROM container", "0");
    expect_rows(&tree, "SELECT status, path, fills FROM probe WHERE name = 'container'",
                "absent|/etc/docker/daemon.json|container_setting");
    expect_rows(&tree, "SELECT status, path FROM probe WHERE name = 'cdi'", "absent|/etc/cdi");
}

Test(probe_container, kubernetes_pod)
{
    put_linux();
    tree_put(&tree, "/.record/dev",
             "crw-rw-rw- root root 195,0 /dev/nvidia0\ncrw-rw-rw- root root 195,1 /dev/nvidia1\n"
             "crw-rw-rw- root root 195,255 /dev/nvidiactl\n");
    tree_put(&tree, "/.record/environ",
             "KUBERNETES_SERVICE_HOST=10.0.0.1\nNVIDIA_VISIBLE_DEVICES=GPU-1,GPU-2\n"
             "CUDA_VERSION=12.4.1\n");
    tree_put(&tree, "/NGC-DL-CONTAINER-LICENSE", "");
    tree_put(&tree, "/proc/self/uid_map", "         0          0 4294967295\n");
    tree_put(&tree, "/proc/self/status", "Name:\tx\nCapBnd:\t00000000a80425fb\n");
    tree_put(&tree, "/proc/sys/kernel/cap_last_cap", "40\n");
    tree_put(&tree, "/proc/self/mountinfo",
             "1 0 0:1 / / rw - overlay overlay rw\n"
             "2 1 8:1 /usr/lib/libcuda.so.550.54.14 /usr/lib/x86_64-linux-gnu/"
             "libcuda.so.550.54.14 ro - ext4 /dev/sda1 rw\n"
             "3 1 8:1 /usr/bin/nvidia-smi /usr/bin/nvidia-smi ro - ext4 /dev/sda1 rw\n"
             "4 1 0:9 /x /proc/driver/nvidia ro - tmpfs tmpfs rw\n"
             "5 1 8:1 / /etc/hosts rw - ext4 /dev/sda1 rw\n");
    run();
    expect_rows(&tree,
                "SELECT engine, evidence, rootless, privileged, requested, capabilities, "
                "driver_mounts, mounted_driver, nvidia_nodes, apptainer_nv, base_image, base_cuda, "
                "base_cuda_key FROM container",
                "kubernetes|KUBERNETES_SERVICE_HOST|0|0|GPU-1,GPU-2|compute,utility|2|550.54.14|2|"
                "~|cuda|12.4.1|1204");
}

Test(probe_container, rootless_podman)
{
    put_linux();
    tree_put(&tree, "/.record/environ", "container=podman\n");
    tree_put(&tree, "/run/.containerenv", "engine=\"podman-5.0\"\nname=\"x\"\nrootless=1\n");
    tree_put(&tree, "/proc/self/status", "CapBnd:\t0\nX\nCapBnd:\t000001ffffffffff\n");
    tree_put(&tree, "/proc/sys/kernel/cap_last_cap", "40\n");
    run();
    expect_rows(&tree,
                "SELECT engine, evidence, rootless, privileged, requested, capabilities "
                "FROM container",
                "podman|/run/.containerenv|1|1|~|~");
    expect_rows(&tree, "SELECT container FROM host", "podman");
    expect_rows(&tree, "SELECT driver_mounts, nvidia_nodes FROM container", "~|~");
}

Test(probe_container, apptainer_with_nv)
{
    put_linux();
    tree_put(&tree, "/.record/environ", "APPTAINER_CONTAINER=/x.sif\n");
    tree_put(&tree, "/.singularity.d/libs/libcuda.so.1", "");
    tree_put(&tree, "/proc/self/uid_map", "1000 1000 1\n");
    tree_put(&tree, "/proc/self/mountinfo",
             "2 1 8:1 /usr/lib64/libcuda.so.535.129.03 /.singularity.d/libs/libcuda.so.1 ro - xfs "
             "/dev/sda1 rw\n");
    run();
    expect_rows(&tree,
                "SELECT engine, rootless, privileged, driver_mounts, mounted_driver, apptainer_nv "
                "FROM container",
                "apptainer|1|~|1|535.129.03|1");
}

Test(probe_container, enroot_hides_its_lock)
{
    put_linux();
    tree_put(&tree, "/.lock", "");
    tree_put(&tree, "/proc/self/mountinfo",
             "1 0 0:1 / / rw - overlay overlay rw\n"
             "2 1 0:1 /.lock /.lock ro,nosuid,nodev,noexec - overlay overlay rw\n");
    run();
    expect_rows(&tree, "SELECT engine, evidence FROM container", "enroot|/.lock");
    expect_rows(&tree, "SELECT container FROM host", "other");
}

Test(probe_container, nspawn_and_gvisor)
{
    tree_put(&tree, "/.record/uname", "Linux 4.4.0 #1 SMP x86_64\n");
    run();
    expect_rows(&tree, "SELECT engine FROM container", "gvisor");
    expect_rows(&tree, "SELECT container FROM host", "other");
}

/* GPUs work as gVisor has it, whoever started it. */
Test(probe_container, gvisor_in_docker)
{
    tree_put(&tree, "/.record/uname", "Linux 4.4.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.dockerenv", "");
    run();
    expect_rows(&tree, "SELECT engine, evidence FROM container",
                "gvisor|/proc/version and /.dockerenv");
    expect_rows(&tree, "SELECT container FROM host", "docker");
}

/* Red Hat's first kernel of that number has modules. */
Test(probe_container, docker_on_an_old_kernel)
{
    tree_put(&tree, "/.record/uname", "Linux 4.4.0 #1 SMP x86_64\n");
    tree_put(&tree, "/.dockerenv", "");
    tree_folder(&tree, "/sys");
    tree_folder(&tree, "/sys/module");
    run();
    expect_rows(&tree, "SELECT engine, evidence FROM container", "docker|/.dockerenv");
}

Test(probe_container, nspawn)
{
    put_linux();
    tree_put(&tree, "/run/systemd/container", "systemd-nspawn\n");
    run();
    expect_rows(&tree, "SELECT engine FROM container", "systemd-nspawn");
}

Test(probe_container, image_at_rest)
{
    tree_put(&tree, "/etc/os-release", "ID=ubuntu\n");
    tree_put(&tree, "/opt/nvidia/nvidia_entrypoint.sh", "");
    tree_put(&tree, "/opt/pytorch/x", "");
    tree_put(&tree, "/NGC-DL-CONTAINER-LICENSE", "");
    tree_put(&tree, "/usr/local/cuda-12.8/x", "");
    tree_link(&tree, "/etc/alternatives-cuda", "/usr/local/cuda-12.8");
    tree_link(&tree, "/usr/local/cuda", "/etc/alternatives-cuda");
    run();
    expect_rows(&tree,
                "SELECT engine, evidence, base_image, base_cuda, nvidia_nodes FROM container",
                "image|~|ngc|12.8|~");
}

Test(probe_container, settings)
{
    put_linux();
    tree_put(&tree, "/.record/user", "ann 1000 1000\n");
    tree_put(&tree, "/.record/environ", "HOME=/home/ann\n");
    tree_put(&tree, "/home/ann/.config/docker/daemon.json",
             "{\"default-runtime\":\"nvidia\",\"runtimes\":{\"nvidia\":{\"path\":"
             "\"nvidia-container-runtime\"},\"kata\":{\"path\":\"/usr/bin/kata\"}},"
             "\"features\":{\"cdi\":true},\"exec-opts\":[\"native.cgroupdriver=cgroupfs\"],"
             "\"registry-mirrors\":[\"https://user:secret@mirror\"]}");
    tree_put(&tree, "/etc/docker/daemon.json", "{\"default-runtime\": \"nvidia\",}");
    tree_put(&tree, "/etc/containerd/config.toml",
             "version = 2\nimports = [\"/etc/containerd/conf.d/*.toml\"]\n"
             "[plugins.\"io.containerd.grpc.v1.cri\"]\nenable_cdi = true\n"
             "[plugins.\"io.containerd.grpc.v1.cri\".registry.configs.x.auth]\npassword = 'p'\n");
    tree_put(&tree, "/etc/containerd/conf.d/99-nvidia.toml",
             "[plugins.\"io.containerd.grpc.v1.cri\".containerd]\n"
             "default_runtime_name = \"nvidia\"\n"
             "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia.options]\n"
             "BinaryName = \"/usr/bin/nvidia-container-runtime\"\n"
             "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc.options]\n"
             "BinaryName = \"/usr/bin/runc\"\n");
    tree_put(&tree, "/etc/nvidia-container-runtime/config.toml",
             "disable-require = false\n#debug = 1\n[nvidia-container-cli]\nno-cgroups = true\n"
             "ldconfig = \"@/sbin/ldconfig.real\"\n[nvidia-container-runtime]\nmode = \"auto\"\n"
             "runtimes = [\"docker-runc\", \"runc\"]\n");
    tree_put(&tree, "/etc/apptainer/apptainer.conf",
             "# x\nalways use nv = yes\nmount home = yes\n");
    tree_put(&tree, "/etc/enroot/enroot.conf", "#ENROOT_X y\nENROOT_RESTRICT_DEV yes\n");
    tree_put(&tree, "/etc/enroot/hooks.d/98-nvidia.sh", "");
    run();
    expect_rows(&tree,
                "SELECT tool, name, value FROM container_setting WHERE tool IN ('docker', "
                "'containerd') ORDER BY tool, name",
                "containerd|cdi|true\ncontainerd|default-runtime|nvidia\n"
                "containerd|runtime.nvidia|/usr/bin/nvidia-container-runtime\n"
                "docker|cdi|true\ndocker|cgroup-driver|cgroupfs\ndocker|default-runtime|nvidia\n"
                "docker|runtime.nvidia|nvidia-container-runtime");
    expect_rows(&tree,
                "SELECT name, value FROM container_setting WHERE tool = "
                "'nvidia-container-runtime' ORDER BY name, value",
                "disable-require|false\nldconfig|@/sbin/ldconfig.real\nmode|auto\n"
                "no-cgroups|true\nruntimes|docker-runc\nruntimes|runc");
    expect_rows(&tree,
                "SELECT tool, name, value FROM container_setting WHERE tool IN ('apptainer', "
                "'enroot') ORDER BY tool, name",
                "apptainer|always use nv|yes\nenroot|ENROOT_RESTRICT_DEV|yes\n"
                "enroot|hook.nvidia|/etc/enroot/hooks.d/98-nvidia.sh");
    expect_rows(&tree, "SELECT DISTINCT path FROM container_setting WHERE tool = 'docker'",
                "/home/<user>/.config/docker/daemon.json");
    expect_rows(&tree,
                "SELECT status, fills, detail LIKE 'it is no JSON: line 1%' FROM probe WHERE path "
                "= '/etc/docker/daemon.json'",
                "malformed|container_setting|1");
    expect_rows(&tree, "SELECT count(*) FROM container_setting WHERE value LIKE '%secret%'", "0");
}

/* The library's words for a mistake quote what stands there. */
Test(probe_container, mistake_beside_a_password)
{
    put_linux();
    tree_put(&tree, "/etc/docker/daemon.json",
             "{\n\"proxies\": {\"http-proxy\" \"http://user:secret@proxy\"}}");
    run();
    expect_rows(
        &tree,
        "SELECT status, detail LIKE 'it is no JSON: line 2: %', detail LIKE '%secret%' FROM "
        "probe WHERE path = '/etc/docker/daemon.json'",
        "malformed|1|0");
}

/* CRI-O reads all files of its folder, in the order of their names. */
Test(probe_container, crio_reads_every_file)
{
    put_linux();
    tree_put(&tree, "/etc/crio/crio.conf.d/99-nvidia.toml",
             "[crio.runtime]\ndefault_runtime = \"nvidia\"\n[crio.runtime.runtimes.nvidia]\n"
             "runtime_path = \"/usr/local/nvidia/toolkit/nvidia-container-runtime\"\n");
    tree_put(&tree, "/etc/crio/crio.conf.d/10-crun.conf",
             "[crio.runtime]\ndefault_runtime = \"crun\"\n");
    tree_folder(&tree, "/etc/crio/crio.conf.d/old");
    run();
    expect_rows(&tree, "SELECT tool, name, value, path FROM container_setting ORDER BY rowid",
                "crio|default-runtime|crun|/etc/crio/crio.conf.d/10-crun.conf\n"
                "crio|default-runtime|nvidia|/etc/crio/crio.conf.d/99-nvidia.toml\n"
                "crio|runtime.nvidia|/usr/local/nvidia/toolkit/nvidia-container-runtime|"
                "/etc/crio/crio.conf.d/99-nvidia.toml");
    expect_rows(&tree,
                "SELECT count(*) FROM probe WHERE fills = 'container_setting' AND status <> 'ok'",
                "0");
}

static const char spec[] = "---\n"
                           "cdiVersion: \"0.5.0\"\nkind: nvidia.com/gpu\n"
                           "containerEdits:\n"
                           "  deviceNodes:\n  - path: /dev/nvidiactl\n"
                           "  hooks:\n  - hookName: createContainer\n"
                           "    path: /usr/bin/nvidia-cdi-hook\n"
                           "  mounts:\n"
                           "  - hostPath: /usr/lib/libcuda.so.550.54.14\n"
                           "    containerPath: /usr/lib/libcuda.so.550.54.14\n"
                           "devices:\n"
                           "- name: \"0\"\n  containerEdits:\n    deviceNodes:\n"
                           "    - path: /dev/nvidia0\n"
                           "- name: all\n  containerEdits:\n    deviceNodes:\n"
                           "    - path: /dev/nvidia0\n    - path: /dev/nvidia9\n"
                           "    - path: /dev/dri/card7\n";

Test(probe_container, cdi)
{
    put_linux();
    tree_put(&tree, "/.record/dev",
             "crw-rw-rw- root root 195,0 /dev/nvidia0\n"
             "crw-rw-rw- root root 195,255 /dev/nvidiactl\n");
    tree_put(&tree, "/run/cdi/nvidia.yaml", spec);
    tree_link(&tree, "/var/run", "../run");
    tree_put(&tree, "/usr/bin/nvidia-cdi-hook", "");
    tree_put(&tree, "/etc/cdi/a.json",
             "{\"cdiVersion\":\"0.6.0\",\"kind\":\"x/y\",\"devices\":[]}");
    tree_put(&tree, "/etc/cdi/README", "no specification");
    tree_put(&tree, "/etc/cdi/bad.yaml", "kind: [");
    tree_put(&tree, "/etc/cdi/binary.json", "\1\2\3");
    tree_fifo(&tree, "/etc/cdi/pipe.yaml");
    run();
    expect_rows(&tree,
                "SELECT path, kind, version, devices, driver, driver_key, missing, first_missing "
                "FROM cdi_spec",
                "/etc/cdi/a.json|x/y|0.6.0|0|~|~|0|~\n"
                "/var/run/cdi/nvidia.yaml|nvidia.com/gpu|0.5.0|2|550.54.14|550054014|2|"
                "/dev/nvidia9");
    expect_rows(&tree,
                "SELECT path, status FROM probe WHERE name = 'cdi' AND status <> 'ok' ORDER BY 1",
                "/etc/cdi/bad.yaml|malformed\n/etc/cdi/binary.json|malformed\n"
                "/etc/cdi/pipe.yaml|malformed");
}

Test(probe_container, cdi_nodes_without_a_record_of_them)
{
    put_linux();
    tree_put(&tree, "/etc/cdi/nvidia.yaml", spec);
    run();
    expect_rows(&tree, "SELECT missing, first_missing FROM cdi_spec", "2|/usr/bin/nvidia-cdi-hook");
}
