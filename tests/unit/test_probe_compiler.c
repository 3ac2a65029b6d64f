#include "parse/compiler_name.h"
#include "parse/host_config.h"
#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_compiler, .init = start, .fini = finish);

static void program(const char *path, const char *text)
{
    tree_put(&tree, path, text);
    cr_assert_eq(chmod(tree_inside(&tree, path), 0755), 0);
}

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_toolkit);
    tree_run(&tree, &probe_compiler);
}

static const char all_rows[] =
    "SELECT name, path, real_path, family, version, major, found_by FROM "
    "compiler";

Test(probe_compiler, debian)
{
    static const char gcc[] = "\177ELF..\0collect2\00012.2.0\000%s";
    tree_put(&tree, "/.record/environ", "PATH=/usr/local/bin:/usr/bin\n");
    tree_put_bytes(&tree, "/usr/bin/x86_64-linux-gnu-gcc-12", gcc, sizeof gcc);
    cr_assert_eq(chmod(tree_inside(&tree, "/usr/bin/x86_64-linux-gnu-gcc-12"), 0755), 0);
    tree_link(&tree, "/usr/bin/gcc-12", "x86_64-linux-gnu-gcc-12");
    tree_link(&tree, "/usr/bin/gcc", "gcc-12");
    tree_link(&tree, "/etc/alternatives/cc", "/usr/bin/gcc");
    tree_link(&tree, "/usr/bin/cc", "/etc/alternatives/cc");
    program("/usr/bin/x86_64-linux-gnu-g++-13", "");
    tree_link(&tree, "/usr/bin/g++-13", "x86_64-linux-gnu-g++-13");
    tree_put(&tree, "/usr/lib/gcc/x86_64-linux-gnu/12/x", "");
    tree_put(&tree, "/usr/lib/gcc/x86_64-linux-gnu/13/x", "");
    program("/usr/lib/llvm-14/bin/clang", "");
    tree_put(&tree, "/usr/lib/llvm-14/lib/clang/14.0.6/x", "");
    tree_link(&tree, "/usr/bin/clang", "../lib/llvm-14/bin/clang");
    run();
    expect_rows(&tree, all_rows,
                "gcc|/usr/bin/gcc|/usr/bin/x86_64-linux-gnu-gcc-12|gcc|12.2.0|12|PATH\n"
                "clang|/usr/bin/clang|/usr/lib/llvm-14/bin/clang|clang|14.0.6|14|PATH\n"
                "cc|/usr/bin/cc|/usr/bin/x86_64-linux-gnu-gcc-12|gcc|12.2.0|12|PATH\n"
                "g++|/usr/bin/g++-13|/usr/bin/x86_64-linux-gnu-g++-13|gcc|13|13|place");
}

/* Fedora's gcc is a program of its own name; Arch's folder has the whole version. */
Test(probe_compiler, one_folder_tells)
{
    program("/usr/bin/gcc", "");
    tree_put(&tree, "/usr/lib/gcc/x86_64-redhat-linux/14/x", "");
    tree_put(&tree, "/usr/lib/gcc/x86_64-w64-mingw32/13/x", "");
    program("/opt/rh/gcc-toolset-13/root/usr/bin/gcc", "");
    tree_put(&tree, "/opt/rh/gcc-toolset-13/root/usr/lib/gcc/x86_64-redhat-linux/13.2.1/x", "");
    run();
    expect_rows(&tree, all_rows,
                "gcc|/usr/bin/gcc|/usr/bin/gcc|gcc|14|14|place\n"
                "gcc|/opt/rh/gcc-toolset-13/root/usr/bin/gcc|"
                "/opt/rh/gcc-toolset-13/root/usr/bin/gcc|gcc|13.2.1|13|place");
}

Test(probe_compiler, conda_and_variables)
{
    tree_put(&tree, "/.record/environ",
             "PATH=/usr/bin\nCONDA_PREFIX=/conda\nCC=/conda/bin/x86_64-conda-linux-gnu-cc\n"
             "CXX=ccache g++-11 -m64\nCUDAHOSTCXX=/gone/g++\nNVCC_CCBIN=/opt/bin\n"
             "NVCC_PREPEND_FLAGS=-O2 -ccbin=/usr/bin/g++-11\n");
    program("/conda/bin/x86_64-conda-linux-gnu-gcc", "");
    program("/conda/bin/x86_64-conda-linux-gnu-cc", "");
    tree_put(&tree, "/conda/lib/gcc/x86_64-conda-linux-gnu/12.4.0/x", "");
    program("/usr/bin/g++-11", "");
    program("/opt/bin/gcc", "#!/bin/sh\n");
    run();
    expect_rows(
        &tree, all_rows,
        "cc|/conda/bin/x86_64-conda-linux-gnu-cc|/conda/bin/x86_64-conda-linux-gnu-cc|~|~|~|CC\n"
        "g++|/usr/bin/g++-11|/usr/bin/g++-11|gcc|11|11|CXX\n"
        "gcc|/opt/bin/gcc|/opt/bin/gcc|~|~|~|NVCC_CCBIN\n"
        "g++|/usr/bin/g++-11|/usr/bin/g++-11|gcc|11|11|NVCC_PREPEND_FLAGS\n"
        "gcc|/conda/bin/x86_64-conda-linux-gnu-gcc|/conda/bin/"
        "x86_64-conda-linux-gnu-gcc|gcc|12.4.0|"
        "12|place");
    expect_rows(&tree,
                "SELECT path, detail FROM probe WHERE status = 'absent' AND path IS NOT NULL",
                "/gone/g++|CUDAHOSTCXX names it");
}

Test(probe_compiler, ccache_runs_the_next_of_its_name)
{
    tree_put(&tree, "/.record/environ", "PATH=/usr/lib/ccache:/usr/bin\n");
    program("/usr/bin/ccache", "");
    tree_link(&tree, "/usr/lib/ccache/gcc", "../../bin/ccache");
    program("/usr/bin/gcc-10", "");
    tree_link(&tree, "/usr/bin/gcc", "gcc-10");
    run();
    expect_rows(&tree, all_rows, "gcc|/usr/lib/ccache/gcc|/usr/bin/gcc-10|gcc|10|10|PATH");
}

Test(probe_compiler, ccache_alone)
{
    tree_put(&tree, "/.record/environ", "PATH=/usr/lib/ccache\n");
    program("/usr/bin/ccache", "");
    tree_link(&tree, "/usr/lib/ccache/gcc", "../../bin/ccache");
    run();
    expect_rows(&tree, all_rows, "gcc|/usr/lib/ccache/gcc|~|~|~|~|PATH");
}

Test(probe_compiler, none)
{
    tree_put(&tree, "/usr/bin/gcc", "not executable");
    run();
    expect_rows(&tree, "SELECT count(*) FROM compiler", "0");
    expect_rows(&tree, "SELECT status FROM probe WHERE name = 'compiler'", "absent");
}

static const char header[] =
    "#if defined(__GRCO_CLANG_COMPILER__)\n"
    "#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || (__clang_major__ > 19))\n"
    "#error -- unsupported Grace clang version! The version must be 16.x to 19.x. The nvcc flag\n"
    "#endif\n#endif\n"
    "#if defined(__GNUC__)\n\n#if __GNUC__ > 14\n\n"
    "#error -- unsupported GNU version! gcc versions later than 14 are not supported! The nvcc "
    "flag "
    "'-allow-unsupported-compiler' can be used\n\n#endif\n"
    "#if (__clang_major__ >= 20) || (__clang_major__ < 3) || ((__clang_major__ == 3) &&  "
    "(__clang_minor__ < 3))\n"
    "#error -- unsupported clang version! clang version must be less than 20 and greater than 3.2 "
    ". "
    "The nvcc flag '-allow-unsupported-compiler'\n";

static const char host_rows[] =
    "SELECT toolkit, compiler, min_major, max_major, path, evidence FROM nvcc_host";

Test(probe_compiler, bounds_of_the_toolkit)
{
    program("/usr/local/cuda-12.8/bin/nvcc", "");
    tree_put(&tree, "/usr/local/cuda-12.8/version.txt", "CUDA Version 12.8.1\n");
    tree_put(&tree, "/usr/local/cuda-12.8/targets/x86_64-linux/include/crt/host_config.h", header);
    tree_put(&tree, "/usr/local/cuda-12.1/version.txt", "CUDA Version 12.1.0\n");
    run();
    expect_rows(&tree, host_rows,
                "/usr/local/cuda-12.8|gcc|~|14|"
                "/usr/local/cuda-12.8/targets/x86_64-linux/include/crt/host_config.h|"
                "unsupported GNU version! gcc versions later than 14 are not supported!\n"
                "/usr/local/cuda-12.8|clang|3|19|"
                "/usr/local/cuda-12.8/targets/x86_64-linux/include/crt/host_config.h|"
                "unsupported clang version! clang version must be less than 20 and greater than "
                "3.2 .");
}

Test(probe_compiler, header_of_debian_and_none)
{
    program("/usr/lib/nvidia-cuda-toolkit/bin/nvcc", "");
    tree_put(&tree, "/usr/include/crt/host_config.h", header);
    program("/usr/local/cuda-9/bin/nvcc", "");
    tree_put(&tree, "/usr/local/cuda-9/version.txt", "CUDA Version 9.0.1\n");
    program("/usr/local/cuda-8/bin/nvcc", "");
    tree_put(&tree, "/usr/local/cuda-8/version.txt", "CUDA Version 8.0.1\n");
    tree_put(&tree, "/usr/local/cuda-8/include/host_config.h", "\xff\0x");
    run();
    expect_rows(&tree, "SELECT toolkit, compiler, max_major FROM nvcc_host",
                "/usr/lib/nvidia-cuda-toolkit|gcc|14\n/usr/lib/nvidia-cuda-toolkit|clang|19");
    expect_rows(&tree,
                "SELECT status, path FROM probe WHERE name = 'compiler' AND fills = 'nvcc_host' "
                "ORDER BY path",
                "ok|/usr/include/crt/host_config.h\n"
                "malformed|/usr/local/cuda-8/include/host_config.h\n"
                "absent|/usr/local/cuda-9/include/crt/host_config.h");
}

static struct host_config parse(const char *text)
{
    struct host_config config;
    parse_host_config(text, strlen(text), &tree.arena, &config);
    return config;
}

/* CUDA 7.5 and 8.0 tell their bounds with minor numbers. */
Test(probe_compiler, old_headers)
{
    struct host_config config = parse(
        "#if __GNUC__ > 4 || (__GNUC__ == 4 && __GNUC_MINOR__ > 9)\n"
        "#error -- unsupported GNU version! gcc versions later than 4.9 are not supported!\n"
        "#if ((__clang_major__ == 3) && (__clang_minor__ > 8))\n"
        "#error -- unsupported clang version! clang version must be less than 3.9 and greater "
        "than 3.2\n");
    cr_expect_eq(config.gcc.max_major.value, 4);
    cr_expect_eq(config.clang.max_major.value, 3);
    cr_expect_eq(config.clang.min_major.value, 3);
    config = parse("#error -- unsupported GNU version! no number at all\n"
                   "#if __clang_major__ >= 99999999999999999999\n"
                   "#error -- unsupported clang version! less than \n#error\n#");
    cr_expect(!config.gcc.evidence && !config.clang.evidence);
}

Test(probe_compiler, names)
{
    static const struct {
        const char *text, *name, *family, *target, *version;
    } cases[] = {
        {"gcc", "gcc", "gcc", NULL, NULL},
        {"x86_64-linux-gnu-g++-12", "g++", "gcc", "x86_64-linux-gnu", "12"},
        {"clang++-18", "clang++", "clang", NULL, "18"},
        {"x86_64-conda-linux-gnu-c++", "c++", NULL, "x86_64-conda-linux-gnu", NULL},
        {"aarch64-linux-gnu-gcc-13.2.0", "gcc", "gcc", "aarch64-linux-gnu", "13.2.0"},
        {"icc", NULL, NULL, NULL, NULL},
        {"-12", NULL, NULL, NULL, NULL},
        {"", NULL, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct compiler_name name;
        parse_compiler_name(cases[i].text, &tree.arena, &name);
        cr_expect(text_equal(name.name, cases[i].name), "%s", cases[i].text);
        cr_expect(text_equal(name.family, cases[i].family), "%s", cases[i].text);
        cr_expect(text_equal(name.target, cases[i].target), "%s", cases[i].text);
        cr_expect(text_equal(name.version, cases[i].version), "%s", cases[i].text);
    }
    cr_expect_eq(compiler_major("12.2.0"), 12);
    cr_expect_eq(compiler_major("12x"), 0);
    cr_expect_eq(compiler_major("999"), 0);
}
