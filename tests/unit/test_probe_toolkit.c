#include "probe/scan.h"
#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
    tree_folder(&tree, "/.record");
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_toolkit, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_toolkit);
}

Test(probe_toolkit, one_row_for_all_ways)
{
    tree_put(&tree, "/.record/environ",
             "CUDA_HOME=/usr/local/cuda\nCUDA_PATH=/gone\nPATH=/bin:/usr/local/cuda/bin\n");
    tree_link(&tree, "/usr/local/cuda", "/etc/alternatives/cuda");
    tree_link(&tree, "/etc/alternatives/cuda", "/usr/local/cuda-13.0");
    tree_put(&tree, "/usr/local/cuda-13.0/version.json",
             "{\"cuda\":{\"version\":\"13.0.2\"},\"cuda_nvcc\":{\"version\":\"13.0.88\"}}");
    tree_elf(&tree, "/usr/local/cuda-13.0/bin/nvcc", 62);
    run();
    expect_rows(&tree,
                "SELECT path, version, version_key, nvcc, nvcc_version, found_by, evidence_path "
                "FROM toolkit",
                "/usr/local/cuda-13.0|13.0.2|1300|/usr/local/cuda-13.0/bin/nvcc|13.0.88|"
                "PATH CUDA_HOME /usr/local/cuda /usr/local/cuda-13.0|"
                "/usr/local/cuda-13.0/version.json");
    expect_rows(&tree, "SELECT status, detail FROM probe WHERE path = '/gone'",
                "absent|CUDA_PATH names it");
}

Test(probe_toolkit, versions_by_other_files)
{
    tree_put(&tree, "/usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n");
    tree_put(&tree, "/usr/local/cuda-12.4/lib64/libcudart.so.12.4.127", "");
    tree_put(&tree, "/usr/local/cuda-12.8/include/cuda.h", "#define CUDA_VERSION 12080\n");
    tree_put(&tree, "/usr/local/cuda-9/README", "nothing here");
    run();
    expect_rows(&tree, "SELECT path, version, nvcc FROM toolkit",
                "/usr/local/cuda-10.2|10.2.89|~\n/usr/local/cuda-12.4|12.4|~\n"
                "/usr/local/cuda-12.8|12.8|~");
}

/* The literal lies across the border of two chunks. */
Test(probe_toolkit, nvcc_literal_across_chunks)
{
    static const char literal[] = "Cuda compilation tools, release 12.6, V12.6.85";
    size_t size = 600 * 1024, at = SCAN_CHUNK - 20;
    char *bytes = calloc(1, size);
    cr_assert(bytes);
    memcpy(bytes, "\177ELF", 4);
    memcpy(bytes + at, literal, sizeof literal);
    tree_put_bytes(&tree, "/opt/cuda/bin/nvcc", bytes, size);
    free(bytes);
    run();
    expect_rows(&tree, "SELECT path, version, nvcc_version, evidence_path FROM toolkit",
                "/opt/cuda|12.6.85|12.6.85|/opt/cuda/bin/nvcc");
}

/* With section headers only the constants are searched: what stands outside is not seen. */
Test(probe_toolkit, nvcc_sections)
{
    static const char literal[] = "Cuda compilation tools, release 13.0, V13.0.88";
    static const char decoy[] = "Cuda compilation tools, release 9.0, V9.0.176";
    char bytes[1024] = "\177ELF\2\1\1";
    bytes[18] = 62;
    bytes[40] = 64; /* section headers behind the file header */
    bytes[58] = 64;
    bytes[60] = 2;
    bytes[64 + 4] = 1; /* code */
    bytes[64 + 8] = 6;
    bytes[128 + 4] = 1; /* constants, of 256 bytes at 512 */
    bytes[128 + 8] = 2;
    bytes[128 + 25] = 2;
    bytes[128 + 33] = 1;
    memcpy(bytes + 300, decoy, sizeof decoy);
    memcpy(bytes + 520, literal, sizeof literal);
    tree_put_bytes(&tree, "/opt/cuda/bin/nvcc", bytes, sizeof bytes);
    run();
    expect_rows(&tree, "SELECT nvcc_version FROM toolkit", "13.0.88");
}

Test(probe_toolkit, debian_wrapper)
{
    tree_put(&tree, "/.record/environ", "PATH=/usr/bin\n");
    tree_put(&tree, "/usr/bin/nvcc",
             "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n");
    static const char program[] = "\177ELF..Cuda compilation tools, release 11.8, V11.8.89\0";
    tree_put_bytes(&tree, "/usr/lib/nvidia-cuda-toolkit/bin/nvcc", program, sizeof program);
    run();
    expect_rows(&tree, "SELECT path, version, found_by FROM toolkit",
                "/usr/lib/nvidia-cuda-toolkit|11.8.89|PATH /usr/lib/nvidia-cuda-toolkit");
}

Test(probe_toolkit, broken_files)
{
    tree_put(&tree, "/usr/local/cuda-13.0/version.json", "{\"cuda\": {\"vers");
    tree_put(&tree, "/usr/local/cuda-13.0/include/cuda.h", "#define CUDA_VERSION 13000\n");
    tree_fifo(&tree, "/usr/local/cuda-12.0/version.json");
    tree_link(&tree, "/usr/local/cuda", "/usr/local/cuda-11.7");
    run();
    expect_rows(&tree, "SELECT path, version FROM toolkit", "/usr/local/cuda-13.0|13.0");
    expect_rows(&tree, "SELECT path, error FROM probe WHERE status = 'malformed' ORDER BY path",
                "/usr/local/cuda-12.0/version.json|22\n/usr/local/cuda-13.0/version.json|~");
}

Test(probe_toolkit, clusters_and_conda)
{
    tree_put(&tree, "/.record/environ",
             "EBROOTCUDA=/apps/CUDA/12.4.0\nNVHPC_ROOT=/apps/nvhpc/Linux_x86_64/24.5\n"
             "SPACK_ROOT=/apps/spack\nCONDA_PREFIX=/conda\n");
    tree_put(&tree, "/apps/CUDA/12.4.0/version.json", "{\"cuda\":{\"version\":\"12.4.0\"}}");
    tree_put(&tree, "/apps/nvhpc/Linux_x86_64/24.5/cuda/12.3/include/cuda.h",
             "#define CUDA_VERSION 12030\n");
    tree_put(&tree, "/opt/nvidia/hpc_sdk/Linux_x86_64/23.1/cuda/11.8/include/cuda.h",
             "#define CUDA_VERSION 11080\n");
    tree_put(&tree, "/apps/spack/opt/spack/linux-zen3/gcc-12.2.0/cuda-12.1.1-abc/include/cuda.h",
             "#define CUDA_VERSION 12010\n");
    tree_put(&tree, "/apps/spack/opt/spack/linux-zen4/cuda-12.2.0-def/include/cuda.h",
             "#define CUDA_VERSION 12020\n");
    tree_elf(&tree, "/conda/bin/nvcc", 62);
    tree_put(&tree, "/conda/targets/x86_64-linux/include/cuda.h", "#define CUDA_VERSION 12060\n");
    tree_put(&tree, "/opt/cuda/include/cuda.h", "#define CUDA_VERSION 13000\n");
    run();
    expect_rows(&tree, "SELECT path, version, found_by FROM toolkit ORDER BY version_key",
                "/opt/nvidia/hpc_sdk/Linux_x86_64/23.1/cuda/11.8|11.8|"
                "/opt/nvidia/hpc_sdk/Linux_x86_64/23.1/cuda/11.8\n"
                "/apps/spack/opt/spack/linux-zen3/gcc-12.2.0/cuda-12.1.1-abc|12.1|"
                "/apps/spack/opt/spack/linux-zen3/gcc-12.2.0/cuda-12.1.1-abc\n"
                "/apps/spack/opt/spack/linux-zen4/cuda-12.2.0-def|12.2|"
                "/apps/spack/opt/spack/linux-zen4/cuda-12.2.0-def\n"
                "/apps/nvhpc/Linux_x86_64/24.5/cuda/12.3|12.3|"
                "/apps/nvhpc/Linux_x86_64/24.5/cuda/12.3\n"
                "/apps/CUDA/12.4.0|12.4.0|EBROOTCUDA\n"
                "/conda|12.6|CONDA_PREFIX\n"
                "/opt/cuda|13.0|/opt/cuda");
}

/* The name of the runtime library tells that this is a toolkit, but not always its version. */
Test(probe_toolkit, runtime_of_unknown_version)
{
    tree_elf(&tree, "/usr/local/cuda-13.0/lib64/libcudart.so.13", 183);
    run();
    expect_rows(&tree, "SELECT path, version, nvcc FROM toolkit", "/usr/local/cuda-13.0|~|~");
}

/* Libraries alone do not make an environment a toolkit. */
Test(probe_toolkit, conda_without_compiler)
{
    tree_put(&tree, "/.record/environ", "CONDA_PREFIX=/conda\n");
    tree_put(&tree, "/conda/targets/x86_64-linux/lib/libcudart.so.12.4.127", "");
    run();
    expect_rows(&tree, "SELECT count(*) FROM toolkit", "0");
}

Test(probe_toolkit, more_than_the_cap)
{
    for (int i = 0; i < 70; i++)
        tree_put(&tree, arena_printf(&tree.arena, "/usr/local/cuda-%02d/version.txt", i),
                 "CUDA Version 10.2.89\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM toolkit", "64");
    expect_rows(&tree, "SELECT status, fills FROM probe WHERE path IS NULL", "malformed|toolkit");
}
