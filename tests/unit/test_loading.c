/* What frameworks load, in small environments of shared objects made here. */
#include <elf.h>

#include "probe_tree.h"

#include "elf_made.h"
#include "elf_write.h"
#include "ldcache_write.h"

#define SITE "/v/lib/python3.12/site-packages"
#define NAMES(...) \
    (const char *const[]) \
    { \
        __VA_ARGS__ \
    }
#define NEEDS(...) \
    .needed = NAMES(__VA_ARGS__), .needed_count = sizeof NAMES(__VA_ARGS__) / sizeof(char *)
#define SYMBOLS(...) \
    (const struct elf_symbol[]) \
    { \
        __VA_ARGS__ \
    }
#define DEFINES(...) \
    .defined = SYMBOLS(__VA_ARGS__), \
    .defined_count = sizeof SYMBOLS(__VA_ARGS__) / sizeof(struct elf_symbol)
#define USES(...) \
    .undefined = SYMBOLS(__VA_ARGS__), \
    .undefined_count = sizeof SYMBOLS(__VA_ARGS__) / sizeof(struct elf_symbol)
#define put_elf(tree, path, ...) \
    write_elf(tree, path, \
              &(struct elf_spec){.machine = ELF_WRITE_X86_64, .class_bits = 64, __VA_ARGS__})

static void write_elf(struct probe_tree *tree, const char *path, const struct elf_spec *spec)
{
    CLEANUP_TEXT struct text bytes = {0};
    struct error err = {0};
    cr_assert_eq(elf_write(spec, &bytes, &err), 0, "%s", err.text);
    tree_put_bytes(tree, path, bytes.data, bytes.length);
}

static const struct descriptor libraries[] = {
    {"libraries/cudart.json",
     "{\"schema\":1,\"name\":\"cudart\",\"title\":\"CUDA runtime\",\"origin\":\"toolkit\","
     "\"sonames\":[\"libcudart.so\"],\"symbols\":[\"cuda\"],"
     "\"literal\":\"cudart (?<version>[0-9.]+)\","
     "\"opens\":[{\"by\":\"libcudart.so\",\"open\":\"libcuda.so.1\",\"optional\":true}]}"},
    {"libraries/driver.json",
     "{\"schema\":1,\"name\":\"driver\",\"title\":\"driver\",\"origin\":\"driver\","
     "\"sonames\":[\"libcuda.so\",\"libnvidia-ml.so\"],\"symbols\":[\"cuInit\"]}"},
    {"libraries/cudnn.json",
     "{\"schema\":1,\"name\":\"cudnn\",\"title\":\"cuDNN\",\"origin\":\"cudnn\","
     "\"sonames\":[\"libcudnn.so\",\"libcudnn_\"],\"symbols\":[\"cudnn\"],"
     "\"version_data\":[\"cudnn_graph_version\"],"
     "\"opens\":[{\"by\":\"libcudnn.so.\",\"open\":\"libcudnn_graph.so.{major}\"},"
     "{\"by\":\"libcudnn.so.\",\"first\":[\"libcudnn_ops.so.{version}\","
     "\"libcudnn_ops.so.{major}\",\"libcudnn_ops.so\"],\"optional\":true}]}"},
    {"libraries/nvjitlink.json",
     "{\"schema\":1,\"name\":\"nvjitlink\",\"title\":\"nvJitLink\",\"origin\":\"toolkit\","
     "\"sonames\":[\"libnvJitLink.so\"],\"symbols\":[\"__nvJitLink\",\"nvJitLink\"]}"},
    {"libraries/cusparse.json",
     "{\"schema\":1,\"name\":\"cusparse\",\"title\":\"cuSPARSE\",\"origin\":\"toolkit\","
     "\"sonames\":[\"libcusparse.so\"]}"},
    {"libraries/torch.json",
     "{\"schema\":1,\"name\":\"torch\",\"title\":\"PyTorch\",\"origin\":\"torch\","
     "\"sonames\":[\"libc10.so\",\"libtorch\"],\"symbols\":[\"_ZN3c10\"]}"},
};

#define FRAMEWORK(name, load) \
    { \
        "frameworks/" name ".json", "{\"schema\":1,\"name\":\"" name "\",\"load\":[" load "]}" \
    }

/* A recorded machine of this architecture, with these variables. */
static void start(struct probe_tree *tree, const char *variables)
{
    tree_start(tree);
    tree_put(tree, "/.record/uname", "Linux 6.8.0-60-generic #1 SMP x86_64\n");
    tree_put(tree, "/.record/glibc", "2.39\n");
    tree_put(tree, "/.record/environ", variables);
    tree_folder(tree, SITE);
}

static void add_environment(struct probe_tree *tree, const char *python)
{
    facts_add_environment(tree->facts, &(struct row_environment){.environment_id = "/v",
                                                                 .prefix = "/v",
                                                                 .kind = "venv",
                                                                 .depth = "read",
                                                                 .python_path = python});
    facts_add_search_path(tree->facts, &(struct row_search_path){.environment_id = "/v",
                                                                 .position = known(0),
                                                                 .path = SITE,
                                                                 .kind = "site",
                                                                 .present = known(1)});
}

static void add_framework(struct probe_tree *tree, const char *name, const char *cuda)
{
    facts_add_framework(tree->facts, &(struct row_framework){
                                         .environment_id = "/v",
                                         .framework_id = arena_printf(&tree->arena, "/v:%s", name),
                                         .name = name,
                                         .cuda = cuda,
                                     });
}

static void look(struct probe_tree *tree, const struct descriptor *frameworks, size_t count)
{
    tree->context.libraries = libraries;
    tree->context.library_count = sizeof libraries / sizeof *libraries;
    tree->context.descriptors = frameworks;
    tree->context.descriptor_count = count;
    tree_run(tree, &probe_library);
}

/* One framework "torch" with these steps. */
static void look_at_torch(struct probe_tree *tree, const struct descriptor *torch)
{
    tree_open(tree);
    add_environment(tree, NULL);
    add_framework(tree, "torch", "12.8");
    look(tree, torch, 1);
}

#define OF_TORCH " WHERE process_id = '/v:torch' "
#define OUTCOME "SELECT outcome, error FROM process" OF_TORCH
#define LOADED \
    "SELECT replace(path, '" SITE "/', ''), replace(loaded_by, '" SITE \
    "/', ''), how, via, family " \
    "FROM loaded" OF_TORCH "ORDER BY position"

Test(loading, order)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"torch/lib/libtorch_global_deps.so\",\"global\":true},"
                           "{\"open\":\"torch/_C.cpython-*.so\"},{\"open\":\"torch/gone/a.so\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/torch/lib/libtorch_global_deps.so", .soname = "libtorch_global_deps.so",
            .rpath = "$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN",
            NEEDS("libcudart.so.12", "libc10.so"));
    put_elf(&tree, SITE "/torch/lib/libc10.so", .soname = "libc10.so");
    put_elf(&tree, SITE "/nvidia/cuda_runtime/lib/libcudart.so.12", .soname = "libcudart.so.12");
    put_elf(&tree, SITE "/torch/_C.cpython-312-x86_64-linux-gnu.so", .runpath = "$ORIGIN/lib",
            NEEDS("libc10.so"));
    put_elf(&tree, SITE "/torch/_C.cpython-311-x86_64-linux-gnu.so", NEEDS("libgone.so"));
    put_elf(&tree, SITE "/torch/_C.cpython-312t-x86_64-linux-gnu.so", NEEDS("libgone.so"));
    put_elf(&tree, "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.10", .soname = "libcuda.so.1");
    tree_link(&tree, "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.570.86.10");
    look_at_torch(&tree, &torch);
    expect_rows(&tree,
                "SELECT process_id, environment_id, framework_id, program, outcome, error, "
                "objects FROM process ORDER BY process_id",
                "/v:torch|/v|/v:torch|~|loads|~|5\nprogram|~|~|~|loads|~|1");
    expect_rows(&tree, LOADED,
                "torch/lib/libtorch_global_deps.so|~|open|path|torch\n"
                "nvidia/cuda_runtime/lib/libcudart.so.12|torch/lib/libtorch_global_deps.so|need|"
                "RPATH|cudart\n"
                "torch/lib/libc10.so|torch/lib/libtorch_global_deps.so|need|RPATH|torch\n"
                "torch/_C.cpython-312-x86_64-linux-gnu.so|~|open|path|~\n"
                "/usr/lib/x86_64-linux-gnu/libcuda.so.1|nvidia/cuda_runtime/lib/libcudart.so.12|"
                "open|default folder|driver");
    expect_rows(&tree,
                "SELECT via_list, via_path IS NOT NULL FROM loaded WHERE soname = "
                "'libcudart.so.12'",
                SITE "/nvidia/cuda_runtime/lib|1");
    expect_rows(&tree,
                "SELECT name, how, required, via, family FROM resolution" OF_TORCH
                "ORDER BY position",
                SITE "/torch/lib/libtorch_global_deps.so|open|1|path|torch\n"
                     "libcudart.so.12|need|1|RPATH|cudart\nlibc10.so|need|1|RPATH|torch\n" SITE
                     "/torch/_C.cpython-312-x86_64-linux-gnu.so|open|1|path|~\n"
                     "libc10.so|need|1|loaded|torch\nlibcuda.so.1|open|0|default folder|driver");
    expect_rows(&tree,
                "SELECT real_path, family, file_version, inside, site, stub, compat FROM "
                "library WHERE environment_id = '/v' AND family = 'driver'",
                "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.10|driver|570.86.10|0|~|0|0");
    expect_rows(&tree,
                "SELECT inside, site, relative, rpath FROM library WHERE soname = "
                "'libtorch_global_deps.so'",
                "1|" SITE "|torch/lib/libtorch_global_deps.so|"
                "$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN");
    tree_finish(&tree);
}

/* cuSPARSE's RUNPATH loses to LD_LIBRARY_PATH, whose nvJitLink is older. */
Test(loading, shadow_and_symbol)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"nvidia/cusparse/lib/libcusparse.so.12\"}");
    struct probe_tree tree;
    start(&tree, "LD_LIBRARY_PATH=/opt/cuda-12.1/lib64\n");
    put_elf(&tree, SITE "/nvidia/cusparse/lib/libcusparse.so.12", .soname = "libcusparse.so.12",
            .runpath = "$ORIGIN/../../nvjitlink/lib", NEEDS("libnvJitLink.so.12"),
            USES({"__nvJitLinkCreate_12_8", "libnvJitLink.so.12", "libnvJitLink.so.12"},
                 {"__nvJitLinkCreate_12_0", "libnvJitLink.so.12", "libnvJitLink.so.12"}));
    put_elf(&tree, SITE "/nvidia/nvjitlink/lib/libnvJitLink.so.12", .soname = "libnvJitLink.so.12",
            DEFINES({"__nvJitLinkCreate_12_8", "libnvJitLink.so.12", NULL},
                    {"__nvJitLinkCreate_12_0", "libnvJitLink.so.12", NULL}));
    put_elf(&tree, "/opt/cuda-12.1/lib64/libnvJitLink.so.12", .soname = "libnvJitLink.so.12",
            DEFINES({"__nvJitLinkCreate_12_0", "libnvJitLink.so.12", NULL}));
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME,
                "fails|" SITE "/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: "
                "__nvJitLinkCreate_12_8, version libnvJitLink.so.12");
    expect_rows(&tree,
                "SELECT name, path, via, winner, winner_via, winner_list, family FROM "
                "shadowed",
                "libnvJitLink.so.12|" SITE "/nvidia/nvjitlink/lib/libnvJitLink.so.12|RUNPATH|"
                "/opt/cuda-12.1/lib64/libnvJitLink.so.12|LD_LIBRARY_PATH|/opt/cuda-12.1/lib64|"
                "nvjitlink");
    expect_rows(&tree, "SELECT path, symbol, version, provider, family, fatal FROM missing_symbol",
                SITE "/nvidia/cusparse/lib/libcusparse.so.12|__nvJitLinkCreate_12_8|"
                     "libnvJitLink.so.12|/opt/cuda-12.1/lib64/libnvJitLink.so.12|nvjitlink|1");
    expect_rows(&tree, "SELECT library_path FROM process" OF_TORCH, "/opt/cuda-12.1/lib64");
    expect_rows(
        &tree,
        "SELECT replace(path, '" SITE "/', ''), missing FROM symbol_check "
        "ORDER BY path",
        "/opt/cuda-12.1/lib64/libnvJitLink.so.12|0\nnvidia/cusparse/lib/libcusparse.so.12|1");
    tree_finish(&tree);
}

/* The same with the variable empty, in two frameworks: looked up once, told of both. */
Test(loading, symbols_fit)
{
    static const struct descriptor frameworks[] = {
        FRAMEWORK("torch", "{\"open\":\"a/libcusparse.so.12\"}"),
        FRAMEWORK("vision", "{\"after\":\"torch\"},{\"open\":\"a/vision.so\"}")};
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/a/libcusparse.so.12", .soname = "libcusparse.so.12", .runpath = "$ORIGIN",
            NEEDS("libnvJitLink.so.12"),
            USES({"__nvJitLinkCreate_12_8", "libnvJitLink.so.12", "libnvJitLink.so.12"}));
    put_elf(&tree, SITE "/a/libnvJitLink.so.12", .soname = "libnvJitLink.so.12",
            DEFINES({"__nvJitLinkCreate_12_8", "libnvJitLink.so.12", NULL}));
    put_elf(&tree, SITE "/a/vision.so", USES({.name = "nvJitLinkDestroy"}),
            NEEDS("libnvJitLink.so.12"));
    tree_open(&tree);
    add_environment(&tree, NULL);
    add_framework(&tree, "torch", NULL);
    add_framework(&tree, "vision", NULL);
    look(&tree, frameworks, 2);
    expect_rows(&tree, "SELECT process_id, outcome FROM process WHERE environment_id = '/v'",
                "/v:torch|loads\n/v:vision|fails");
    expect_rows(&tree,
                "SELECT process_id, checked, missing FROM symbol_check WHERE path LIKE "
                "'%cusparse%'",
                "/v:torch|1|0\n/v:vision|1|0");
    expect_rows(&tree, "SELECT process_id, symbol, version, family, fatal FROM missing_symbol",
                "/v:vision|nvJitLinkDestroy|~|nvjitlink|1");
    expect_rows(&tree, "SELECT count(*) FROM library WHERE path LIKE '%nvJitLink%'", "1");
    tree_finish(&tree);
}

/* RTLD_NOW fails for a function that is not there, RTLD_LAZY waits until it is called. */
Test(loading, bindings)
{
    static const struct {
        const char *step, *outcome;
    } cases[] = {
        {"{\"open\":\"a/user.so\"}", "fails"},
        {"{\"open\":\"a/user.so\",\"binds\":\"lazy\"}", "loads"},
        {"{\"open\":\"a/libopener.so\"},{\"open\":\"libuser.so\",\"by\":\"libopener\"}", "loads"},
        {"{\"open\":\"a/libopener.so\"},"
         "{\"open\":\"libuser.so\",\"by\":\"libopener\",\"binds\":\"now\"}",
         "fails"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct probe_tree tree;
        start(&tree, "");
        put_elf(&tree, SITE "/a/libopener.so", .soname = "libopener.so", .runpath = "$ORIGIN");
        put_elf(&tree, SITE "/a/user.so", .runpath = "$ORIGIN", NEEDS("libnvJitLink.so.12"),
                .uses_functions = true, USES({.name = "nvJitLinkDestroy"}));
        put_elf(&tree, SITE "/a/libuser.so", .soname = "libuser.so", .runpath = "$ORIGIN",
                NEEDS("libnvJitLink.so.12"), .uses_functions = true,
                USES({.name = "nvJitLinkDestroy"}));
        put_elf(&tree, SITE "/a/libnvJitLink.so.12", .soname = "libnvJitLink.so.12",
                DEFINES({.name = "nvJitLinkCreate"}));
        const char *json = arena_printf(
            &tree.arena, "{\"schema\":1,\"name\":\"torch\",\"load\":[%s]}", cases[i].step);
        look_at_torch(&tree, &(struct descriptor){"frameworks/torch.json", json});
        expect_rows(&tree, "SELECT outcome FROM process" OF_TORCH, cases[i].outcome);
        expect_rows(&tree, "SELECT symbol FROM missing_symbol", "nvJitLinkDestroy");
        tree_finish(&tree);
    }
}

Test(loading, missing)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/opt.so\",\"optional\":true},{\"open\":\"a/must.so\"},"
                           "{\"open\":\"a/more.so\",\"optional\":true}");
    struct probe_tree tree;
    start(&tree, "LD_LIBRARY_PATH=/x\n");
    put_elf(&tree, SITE "/a/opt.so", NEEDS("libcudnn.so.8"));
    put_elf(&tree, SITE "/a/must.so", .runpath = "$ORIGIN/lib", NEEDS("libcudart.so.13"));
    put_elf(&tree, SITE "/a/more.so");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME,
                "fails|libcudart.so.13: cannot open shared object file: No such file or directory");
    expect_rows(&tree, LOADED, "a/more.so|~|open|path|~");
    expect_rows(&tree,
                "SELECT replace(name, '" SITE "/', ''), how, required, found_path, family, "
                "error IS NULL FROM resolution" OF_TORCH "ORDER BY position",
                "a/opt.so|open|0|~|~|0\nlibcudnn.so.8|need|0|~|cudnn|0\n"
                "a/must.so|open|1|~|~|0\nlibcudart.so.13|need|1|~|cudart|0\n"
                "a/more.so|open|0|" SITE "/a/more.so|~|1");
    expect_rows(&tree,
                "SELECT trail LIKE 'LD_LIBRARY_PATH: /x/libcudart.so.13: not there%', "
                "trail LIKE '%RUNPATH: " SITE "/a/lib/libcudart.so.13: not there%' FROM "
                "resolution WHERE name = 'libcudart.so.13'",
                "1|1");
    tree_finish(&tree);
}

/* A need of what is optional is required where something else requires that. */
Test(loading, required_by_another)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/libx.so\",\"optional\":true},{\"open\":\"a/liby.so\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/a/libx.so", .soname = "libx.so", .rpath = "$ORIGIN", NEEDS("libz.so"));
    put_elf(&tree, SITE "/a/liby.so", .soname = "liby.so", NEEDS("libx.so"));
    put_elf(&tree, SITE "/a/libz.so", .soname = "libz.so");
    look_at_torch(&tree, &torch);
    expect_rows(&tree,
                "SELECT replace(name, '" SITE "/', ''), required, via FROM "
                "resolution" OF_TORCH "ORDER BY position",
                "a/libx.so|0|path\nlibz.so|1|RPATH\na/liby.so|1|path");
    tree_finish(&tree);
}

Test(loading, conditions)
{
    static const struct descriptor torch = FRAMEWORK(
        "torch",
        "{\"first\":[\"a/none.so\",\"a/broken.so\",\"a/one.so\",\"a/two.so\"]},"
        "{\"open\":\"a/eleven.so\",\"cuda\":\"11\"},{\"open\":\"a/twelve.so\",\"cuda\":\"12\"},"
        "{\"open\":\"a/if.so\",\"if\":\"libone\"},{\"open\":\"a/ifnot.so\",\"if\":\"libtwo\"},"
        "{\"open\":\"libinner.so\",\"by\":\"libone\"},{\"open\":\"libinner.so\",\"by\":\"libno\"},"
        "{\"open\":\"cu{cuda_major}/*.so\"},{\"open\":\"below.so/x.so\",\"below\":\"prefix\"}");
    struct probe_tree tree;
    start(&tree, "");
    tree_put(&tree, SITE "/a/broken.so",
             "no shared object at all, and longer than a header is"
             "................");
    put_elf(&tree, SITE "/a/one.so", .soname = "libone.so", .runpath = "$ORIGIN/in");
    put_elf(&tree, SITE "/a/two.so", .soname = "libtwo.so");
    put_elf(&tree, SITE "/a/eleven.so");
    put_elf(&tree, SITE "/a/twelve.so");
    put_elf(&tree, SITE "/a/if.so");
    put_elf(&tree, SITE "/a/ifnot.so");
    put_elf(&tree, SITE "/a/in/libinner.so", .soname = "libinner.so");
    put_elf(&tree, SITE "/cu12/b.so", .soname = "libb.so");
    put_elf(&tree, SITE "/cu12/a.so", .soname = "liba.so");
    put_elf(&tree, "/v/below.so/x.so");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME, "loads|~");
    expect_rows(&tree, LOADED,
                "a/one.so|~|open|path|~\na/twelve.so|~|open|path|~\na/if.so|~|open|path|~\n"
                "a/in/libinner.so|a/one.so|open|RUNPATH|~\ncu12/a.so|~|open|path|~\n"
                "cu12/b.so|~|open|path|~\n/v/below.so/x.so|~|open|path|~");
    expect_rows(&tree,
                "SELECT required, error LIKE '%: invalid ELF header' FROM resolution WHERE "
                "name LIKE '%broken%'",
                "0|1");
    tree_finish(&tree);
}

Test(loading, no_alternative_loads)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"first\":[\"liba.so\",\"libb.so\"]}");
    struct probe_tree tree;
    start(&tree, "");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME,
                "fails|liba.so: cannot open shared object file: No such file or directory");
    expect_rows(&tree, "SELECT name, required FROM resolution" OF_TORCH, "liba.so|1\nlibb.so|0");
    tree_finish(&tree);
}

/* cuDNN opens its parts by name, with its own RUNPATH. */
Test(loading, inner_open)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"nvidia/cudnn/lib/libcudnn.so.9\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/nvidia/cudnn/lib/libcudnn.so.9", .soname = "libcudnn.so.9",
            .runpath = "$ORIGIN");
    put_elf(&tree, SITE "/nvidia/cudnn/lib/libcudnn_graph.so.9", .soname = "libcudnn_graph.so.9");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, LOADED,
                "nvidia/cudnn/lib/libcudnn.so.9|~|open|path|cudnn\n"
                "nvidia/cudnn/lib/libcudnn_graph.so.9|nvidia/cudnn/lib/libcudnn.so.9|open|RUNPATH|"
                "cudnn");
    expect_rows(&tree, "SELECT required FROM resolution WHERE name = 'libcudnn_graph.so.9'", "1");
    tree_finish(&tree);
}

Test(loading, inner_open_fails)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/libcudnn.so.9\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/a/libcudnn.so.9", .soname = "libcudnn.so.9");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME,
                "fails|libcudnn_graph.so.9: cannot open shared object file: No such file or "
                "directory");
    tree_finish(&tree);
}

Test(loading, nothing)
{
    static const struct descriptor frameworks[] = {FRAMEWORK("torch", "{\"open\":\"a/b.so\"}"),
                                                   FRAMEWORK("empty", ""),
                                                   {"frameworks/bad.json", "{\"name\":1}"}};
    struct probe_tree tree;
    start(&tree, "");
    tree_open(&tree);
    add_environment(&tree, NULL);
    add_framework(&tree, "torch", NULL);
    add_framework(&tree, "empty", NULL);
    add_framework(&tree, "bad", NULL);
    add_framework(&tree, "unknown", NULL);
    look(&tree, frameworks, 3);
    expect_rows(&tree, "SELECT process_id, outcome, objects FROM process",
                "/v:torch|nothing|0\n"
                "program|loads|0");
    expect_rows(&tree, "SELECT path, status, detail FROM probe WHERE path LIKE 'frameworks%'",
                "frameworks/bad.json|malformed|\"name\" is missing, empty or not text");
    tree_finish(&tree);
}

/* In a tree that holds a part of a machine the C library is not missing; CUDA's runtime is. */
Test(loading, partial)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/one.so\"},{\"open\":\"a/two.so\",\"optional\":true}");
    struct probe_tree tree;
    start(&tree, "");
    tree_put(&tree, "/.record/partial", "");
    put_elf(&tree, SITE "/a/one.so", NEEDS("libc.so.6"),
            USES({"printf", "GLIBC_2.2.5", "libc.so.6"}, {.name = "_ZN3c10"}));
    put_elf(&tree, SITE "/a/two.so", NEEDS("libm.so.6", "libcudart.so.12"));
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME, "loads|~");
    expect_rows(&tree,
                "SELECT name, required, found_path, error FROM resolution WHERE how = "
                "'need' ORDER BY position",
                "libc.so.6|~|~|~\nlibm.so.6|~|~|~\nlibcudart.so.12|0|~|libcudart.so.12: cannot "
                "open shared object file: No such file or directory");
    expect_rows(&tree, "SELECT count(*) FROM missing_symbol", "0");
    tree_finish(&tree);
}

/* The program's RPATH serves what it opens; a link to it is resolved. */
Test(loading, python)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"libcudart.so.12\"},{\"open\":\"a/x.so\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, "/base/bin/python3.12", .rpath = "$ORIGIN/../lib", NEEDS("libz.so.1"));
    put_elf(&tree, "/base/lib/libz.so.1", .soname = "libz.so.1");
    put_elf(&tree, "/base/lib/libcudart.so.12", .soname = "libcudart.so.12");
    put_elf(&tree, SITE "/a/x.so", NEEDS("libz.so.1"));
    tree_link(&tree, "/v/bin/python3", "/base/bin/python3.12");
    tree_open(&tree);
    add_environment(&tree, "/v/bin/python3");
    add_framework(&tree, "torch", NULL);
    look(&tree, &torch, 1);
    expect_rows(&tree, "SELECT program, outcome FROM process" OF_TORCH,
                "/base/bin/python3.12|loads");
    expect_rows(&tree, "SELECT path, how, via, via_list FROM loaded" OF_TORCH "ORDER BY position",
                "/base/bin/python3.12|program|~|~\n"
                "/base/lib/libz.so.1|need|RPATH|/base/lib\n"
                "/base/lib/libcudart.so.12|open|RPATH|/base/lib\n" SITE "/a/x.so|open|path|~");
    tree_finish(&tree);
}

Test(loading, python_is_no_program)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/x.so\"}");
    struct probe_tree tree;
    start(&tree, "");
    tree_put(&tree, "/v/bin/python3", "");
    put_elf(&tree, SITE "/a/x.so");
    tree_open(&tree);
    add_environment(&tree, "/v/bin/python3");
    add_framework(&tree, "torch", NULL);
    look(&tree, &torch, 1);
    expect_rows(&tree, "SELECT program, outcome FROM process" OF_TORCH, "~|loads");
    tree_finish(&tree);
}

/* A stub by the name without number, which is all that its folder has. */
Test(loading, program)
{
    struct probe_tree tree;
    static const struct ldcache_entry cached[] = {
        {"libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", LDCACHE_X86_64}};
    CLEANUP_TEXT struct text cache = {0};
    start(&tree, "LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:/opt/compat\n");
    ldcache_write(cached, 1, NULL, &cache);
    tree_put_bytes(&tree, "/etc/ld.so.cache", cache.data, cache.length);
    put_elf(&tree, "/usr/local/cuda/lib64/stubs/libcuda.so", .soname = "libcuda.so.1");
    put_elf(&tree, "/usr/lib/x86_64-linux-gnu/libcuda.so.1", .soname = "libcuda.so.1");
    put_elf(&tree, "/opt/compat/libnvidia-ml.so.1", .soname = "libnvidia-ml.so.1");
    tree_open(&tree);
    look(&tree, NULL, 0);
    expect_rows(&tree, "SELECT process_id, environment_id, outcome, objects FROM process",
                "program|~|loads|3");
    expect_rows(&tree,
                "SELECT name, how, required, found_path, via, error FROM resolution "
                "ORDER BY position",
                "libcuda.so.1|open|0|/usr/lib/x86_64-linux-gnu/libcuda.so.1|cache|~\n"
                "libnvidia-ml.so.1|open|0|/opt/compat/libnvidia-ml.so.1|LD_LIBRARY_PATH|~\n"
                "libcuda.so|open|0|/usr/local/cuda/lib64/stubs/libcuda.so|LD_LIBRARY_PATH|~");
    expect_rows(&tree, "SELECT path, stub, compat, inside FROM library ORDER BY path",
                "/opt/compat/libnvidia-ml.so.1|0|1|~\n"
                "/usr/lib/x86_64-linux-gnu/libcuda.so.1|0|0|~\n"
                "/usr/local/cuda/lib64/stubs/libcuda.so|1|0|~");
    tree_finish(&tree);
}

/* The environment has what is taken from elsewhere, where the search does not come to it. */
Test(loading, not_on_its_path)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/x.so\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/a/x.so", NEEDS("libcudart.so.12"));
    put_elf(&tree, SITE "/nvidia/cuda_runtime/lib/libcudart.so.12", .soname = "libcudart.so.12");
    put_elf(&tree, "/usr/lib/x86_64-linux-gnu/libcudart.so.12.1.105", .soname = "libcudart.so.12");
    tree_link(&tree, "/usr/lib/x86_64-linux-gnu/libcudart.so.12", "libcudart.so.12.1.105");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT name, path, via, winner, winner_via FROM shadowed",
                "libcudart.so.12|" SITE "/nvidia/cuda_runtime/lib/libcudart.so.12|"
                "not on its path|/usr/lib/x86_64-linux-gnu/libcudart.so.12|default folder");
    expect_rows(&tree,
                "SELECT file_version, inside FROM library WHERE family = 'cudart' "
                "ORDER BY path",
                "12.1.105|0\n~|1");
    tree_finish(&tree);
}

Test(loading, literal)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/libcudart.so.12\"}");
    struct probe_tree tree;
    CLEANUP_TEXT struct text bytes = {0};
    struct error err;
    start(&tree, "");
    cr_assert_eq(
        elf_write(&(struct elf_spec){.class_bits = 64, .soname = "libcudart.so.12"}, &bytes, &err),
        0);
    text_add(&bytes, "cudart 12.8.90");
    tree_put_bytes(&tree, SITE "/a/libcudart.so.12", bytes.data, bytes.length);
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT file_version, literal_version FROM library", "~|12.8.90");
    tree_finish(&tree);
}

/* Before the name that all releases have, libcudnn.so.9 tries that of its own release. */
Test(loading, part_of_the_same_release)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"libcudnn.so.9\"}");
    static const char asked[] = "SELECT name, found_path, required FROM resolution WHERE name LIKE "
                                "'libcudnn_ops%' ORDER BY position";
    struct probe_tree tree;
    start(&tree, "LD_LIBRARY_PATH=/opt/other:/opt/own\n");
    put_elf(&tree, "/opt/own/libcudnn.so.9.5.1", .soname = "libcudnn.so.9");
    tree_link(&tree, "/opt/own/libcudnn.so.9", "libcudnn.so.9.5.1");
    put_elf(&tree, "/opt/own/libcudnn_ops.so.9.5.1", .soname = "libcudnn_ops.so.9");
    put_elf(&tree, "/opt/other/libcudnn_ops.so.9", .soname = "libcudnn_ops.so.9");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, asked, "libcudnn_ops.so.9.5.1|/opt/own/libcudnn_ops.so.9.5.1|0");
    tree_finish(&tree);
}

Test(loading, part_of_another_release)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"libcudnn.so.9\"}");
    static const char asked[] = "SELECT name, found_path FROM resolution WHERE name LIKE "
                                "'libcudnn_ops%' ORDER BY position";
    struct probe_tree tree;
    start(&tree, "LD_LIBRARY_PATH=/opt/other:/opt/own\n");
    put_elf(&tree, "/opt/own/libcudnn.so.9", .soname = "libcudnn.so.9");
    put_elf(&tree, "/opt/other/libcudnn_ops.so.9", .soname = "libcudnn_ops.so.9");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, asked, "libcudnn_ops.so.9|/opt/other/libcudnn_ops.so.9");
    tree_finish(&tree);
}

/* The number that cuDNN's parts compare. */
Test(loading, version_in_a_variable)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/libcudnn_graph.so.9\"}");
    struct probe_tree tree;
    start(&tree, "");
    tree_folder(&tree, SITE "/a");
    elf_make(tree.dir, "./" SITE "/a/libcudnn_graph.so.9",
             "extern const unsigned cudnn_graph_version;\n"
             "const unsigned cudnn_graph_version = 0x90a02;\n",
             "-shared -fPIC -nostdlib -Wl,-soname,libcudnn_graph.so.9");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT file_version, literal_version FROM library", "~|9.10.2");
    tree_finish(&tree);
}

Test(loading, named_files)
{
    static const char *const files[] = {"/opt/prog", "/opt/liba.so", "/opt/text", "/opt/none"};
    struct probe_tree tree;
    start(&tree, "");
    tree_put(&tree, "/opt/text", "a text, of more bytes than the header of an ELF file has......");
    put_elf(&tree, "/opt/liba.so", NEEDS("libgone.so.1"));
    tree_open(&tree);
    tree.options.loaded_files = files;
    tree.options.loaded_file_count = 4;
    look(&tree, NULL, 0);
    expect_rows(&tree,
                "SELECT process_id, outcome, error FROM process WHERE process_id <> "
                "'/opt/prog' ORDER BY process_id",
                "/opt/liba.so|fails|libgone.so.1: cannot open shared object file: No such file or "
                "directory\n"
                "/opt/none|fails|/opt/none: cannot open shared object file: No such file or "
                "directory\n"
                "/opt/text|fails|/opt/text: file too short");
    tree_finish(&tree);
}

/* musl's loader works otherwise, so how many objects it loads is not known. */
Test(loading, program_of_musl)
{
    static const char *const files[] = {"/opt/prog"};
    static const char interpreter[] = "/lib/ld-musl-x86_64.so.1";
    CLEANUP_TEXT struct text bytes = {0};
    struct probe_tree tree;
    start(&tree, "");
    cr_assert_eq(elf_write(&(struct elf_spec){.machine = ELF_WRITE_X86_64, .class_bits = 64},
                           &bytes, &tree.error),
                 0);
    uint64_t at = bytes.length;
    text_add_bytes(&bytes, interpreter, sizeof interpreter);
    /* in place of the first segment that need not be loaded */
    Elf64_Ehdr header;
    memcpy(&header, bytes.data, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        char *place = bytes.data + header.e_phoff + i * sizeof segment;
        memcpy(&segment, place, sizeof segment);
        if (segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC)
            continue;
        segment = (Elf64_Phdr){.p_type = PT_INTERP, .p_offset = at, .p_filesz = sizeof interpreter};
        memcpy(place, &segment, sizeof segment);
        break;
    }
    tree_put_bytes(&tree, "/opt/prog", bytes.data, bytes.length);
    tree_open(&tree);
    tree.options.loaded_files = files;
    tree.options.loaded_file_count = 1;
    look(&tree, NULL, 0);
    expect_rows(&tree, "SELECT outcome, objects FROM process", "unknown|~");
    tree_finish(&tree);
}

Test(loading, image)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/x.so\"}");
    struct probe_tree tree;
    tree_start(&tree);
    tree_folder(&tree, "/etc/x");
    put_elf(&tree, "/usr/lib/x86_64-linux-gnu/libx.so");
    put_elf(&tree, SITE "/a/x.so", NEEDS("libcudart.so.12"));
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME,
                "unknown|libcudart.so.12: cannot open shared object file: No such file or "
                "directory");
    tree_finish(&tree);
}

/* Steps of one release, in place of what did not load, below the toolkit that a variable names. */
Test(loading, releases_and_toolkit)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/old.so\",\"before\":\"2.10\"},"
                           "{\"open\":\"a/new.so\",\"since\":\"2.10\"},"
                           "{\"open\":\"libgone.so.1\",\"optional\":true},"
                           "{\"open\":\"a/instead.so\",\"failed\":\"libgone\"},"
                           "{\"open\":\"a/never.so\",\"failed\":\"new.so\"},"
                           "{\"open\":\"a/neither.so\",\"failed\":\"libnone\"},"
                           "{\"first\":[\"lib64/liba.so.1\",\"lib/liba.so.1\"],"
                           "\"below\":\"cuda_home\"},{\"open\":\"./top.so\"}");
    struct probe_tree tree;
    start(&tree, "CUDA_HOME=/opt/home\nCUDA_PATH=/opt/path\n");
    put_elf(&tree, SITE "/a/old.so");
    put_elf(&tree, SITE "/a/new.so");
    put_elf(&tree, SITE "/a/instead.so");
    put_elf(&tree, SITE "/a/never.so");
    put_elf(&tree, SITE "/a/neither.so");
    put_elf(&tree, SITE "/top.so");
    put_elf(&tree, "/opt/home/lib64/liba.so.1", .soname = "liba.so.1");
    put_elf(&tree, "/opt/path/lib/liba.so.1", .soname = "liba.so.1");
    tree_open(&tree);
    add_environment(&tree, NULL);
    facts_add_framework(tree.facts, &(struct row_framework){.environment_id = "/v",
                                                            .framework_id = "/v:torch",
                                                            .name = "torch",
                                                            .release = "2.10.0"});
    look(&tree, &torch, 1);
    expect_rows(&tree, OUTCOME, "loads|~");
    expect_rows(&tree, LOADED,
                "a/new.so|~|open|path|~\na/instead.so|~|open|path|~\n"
                "/opt/path/lib/liba.so.1|~|open|path|~\ntop.so|~|open|path|~");
    tree_finish(&tree);
}

/* A file that is cut behind its headers: the process dies of it. */
Test(loading, cut_file)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/x.so\"}");
    struct probe_tree tree;
    CLEANUP_TEXT struct text bytes = {0};
    struct error err;
    start(&tree, "");
    cr_assert_eq(elf_write(&(struct elf_spec){.class_bits = 64, .soname = "x.so"}, &bytes, &err),
                 0);
    tree_put_bytes(&tree, SITE "/a/x.so", bytes.data, 400);
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT outcome, error FROM process" OF_TORCH,
                "fails|" SITE "/a/x.so: the file is cut: it ends before its segments do");
    expect_rows(&tree, "SELECT found_path, error FROM resolution" OF_TORCH,
                SITE "/a/x.so|" SITE "/a/x.so: the file is cut: it ends before its segments do");
    expect_rows(&tree, "SELECT path, problem FROM symbol_check",
                SITE "/a/x.so|the file is cut: it ends before its segments do");
    tree_finish(&tree);
}

/* What goes beyond a cap is told, and nothing that was left out is missing. */
Test(loading, more_than_is_looked_at, .timeout = 60)
{
    enum { FOLDERS = 65, FILES = 65 };
    CLEANUP_TEXT struct text load = {0};
    struct probe_tree tree;
    start(&tree, "");
    text_add(&load, "{\"schema\":1,\"name\":\"torch\",\"load\":[");
    for (int i = 0; i < FOLDERS; i++) {
        text_printf(&load, "%s{\"open\":\"d%d/*.so\",\"optional\":true}", i ? "," : "", i);
        for (int k = 0; k < FILES; k++)
            tree_put(&tree, arena_printf(&tree.arena, SITE "/d%d/%d.so", i, k), "");
    }
    text_add(&load, ",{\"open\":\"liblast.so\"}]}");
    const struct descriptor torch = {"frameworks/torch.json", text_get(&load)};
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT outcome, error FROM process" OF_TORCH,
                "unknown|d0/*.so: the folder holds more files than are looked at");
    expect_rows(&tree,
                "SELECT count(*), min(path) FROM probe WHERE status = 'malformed' AND detail = "
                "'more files of that name than are looked at'",
                "65|" SITE "/d0/*.so");
    tree_finish(&tree);
}

/* A build for CPUs opens nothing of CUDA; add_framework() says nothing of the variant. */
Test(loading, of_a_variant)
{
    static const struct descriptor framework =
        FRAMEWORK("f", "{\"open\":\"f/libcuda_part.so\",\"variant\":\"cuda\"},"
                       "{\"open\":\"f/libcpu_part.so\",\"variant\":\"cpu\"}");
    static const struct {
        const char *variant, *loaded;
    } cases[] = {{"cuda", "libcuda_part.so"},
                 {"cpu", "libcpu_part.so"},
                 {NULL, "libcpu_part.so\nlibcuda_part.so"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct probe_tree tree;
        start(&tree, "");
        put_elf(&tree, SITE "/f/libcuda_part.so");
        put_elf(&tree, SITE "/f/libcpu_part.so");
        tree_open(&tree);
        add_environment(&tree, NULL);
        facts_add_framework(tree.facts, &(struct row_framework){.environment_id = "/v",
                                                                .framework_id = "/v:f",
                                                                .name = "f",
                                                                .variant = cases[i].variant});
        look(&tree, &framework, 1);
        expect_rows(&tree,
                    "SELECT replace(path, '" SITE "/f/', '') FROM loaded WHERE framework_id = "
                    "'/v:f' ORDER BY 1",
                    cases[i].loaded);
        tree_finish(&tree);
    }
}

/* Here because its links lead in a circle; as for a folder of another user. */
Test(loading, a_folder_that_cannot_be_read)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"m/libx*.so\",\"optional\":true}");
    struct probe_tree tree;
    start(&tree, "");
    tree_link(&tree, SITE "/m", "m");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT outcome, error FROM process" OF_TORCH,
                "unknown|m/libx*.so: the folder cannot be read");
    tree_finish(&tree);
}

Test(loading, more_folders_and_frameworks_than_are_looked_at)
{
    struct probe_tree tree;
    start(&tree, "");
    tree_open(&tree);
    add_environment(&tree, NULL);
    for (int i = 0; i < 256; i++) {
        facts_add_search_path(
            tree.facts, &(struct row_search_path){.environment_id = "/v",
                                                  .position = known(i + 1),
                                                  .path = arena_printf(&tree.arena, "/s/%d", i),
                                                  .kind = "site",
                                                  .present = known(1)});
        add_framework(&tree, arena_printf(&tree.arena, "f%d", i), NULL);
    }
    add_framework(&tree, "last", NULL);
    look(&tree, NULL, 0);
    expect_rows(&tree, "SELECT scope, status, detail FROM probe WHERE status = 'malformed'",
                "/v|malformed|it searches more folders than are looked at\n"
                "/v|malformed|more frameworks than are looked at in one environment");
    tree_finish(&tree);
}

/* A circle of links is no folder that is absent. */
Test(loading, folders_that_cannot_be_read)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/x*.so\"},{\"open\":\"lib/libcudart.so.12\"}");
    struct probe_tree tree;
    start(&tree, "LD_LIBRARY_PATH=/opt\n");
    tree_link(&tree, SITE "/a", "a");
    tree_link(&tree, SITE "/nvidia", "nvidia");
    put_elf(&tree, SITE "/lib/libcudart.so.12", NEEDS("libcudart.so.11"));
    put_elf(&tree, "/opt/libcudart.so.11", .soname = "libcudart.so.11");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT scope, path, status FROM probe WHERE status NOT IN ('ok', 'absent')",
                "machine|" SITE "/a|malformed\n/v|" SITE "/nvidia|malformed");
    tree_finish(&tree);
}

/* Each object inherits the lists of all before it, and asks for names that nobody has: a billion
 * looks in all. What was not found before the search was given up may be there. */
Test(loading, lists_that_multiply, .timeout = 60)
{
    enum { LIBRARIES = 80, LACKING = 40, FOLDERS = 500 };
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/l0.so\"}");
    struct probe_tree tree;
    start(&tree, "");
    for (int i = 0; i < LIBRARIES; i++) {
        CLEANUP_TEXT struct text rpath = {0}, bytes = {0};
        char names[LACKING + 1][16], path[64];
        const char *needed[LACKING + 1];
        struct error err;
        text_add(&rpath, "$ORIGIN");
        for (int k = 0; k < FOLDERS; k++)
            text_printf(&rpath, ":/f/%d/%d", i, k);
        for (int k = 0; k <= LACKING; k++) {
            snprintf(names[k], sizeof names[k], k < LACKING ? "n%d_%d.so" : "l%d.so",
                     k < LACKING ? i : i + 1, k);
            needed[k] = names[k];
        }
        snprintf(path, sizeof path, SITE "/a/l%d.so", i);
        cr_assert_eq(elf_write(&(struct elf_spec){.class_bits = 64,
                                                  .rpath = text_get(&rpath),
                                                  .needed = needed,
                                                  .needed_count = LACKING + 1},
                               &bytes, &err),
                     0);
        tree_put_bytes(&tree, path, bytes.data, bytes.length);
    }
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT outcome, error FROM process" OF_TORCH,
                "unknown|its libraries lead to more files and folders than are followed");
    expect_rows(&tree, "SELECT count(*) FROM resolution WHERE required = 1 AND found_path IS NULL",
                "0");
    tree_finish(&tree);
}

/* Thousands of rows about what is missing would say no more than hundreds, and choke the rules. */
Test(loading, needs_beyond_number)
{
    enum { COUNT = 600 };
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/l.so\"}");
    static char names[COUNT][16];
    static const char *needed[COUNT];
    struct probe_tree tree;
    CLEANUP_TEXT struct text bytes = {0};
    struct error err;
    start(&tree, "");
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "n%d.so", i);
        needed[i] = names[i];
    }
    struct elf_spec spec = {.class_bits = 64, .needed = needed, .needed_count = COUNT};
    cr_assert_eq(elf_write(&spec, &bytes, &err), 0);
    tree_put_bytes(&tree, SITE "/a/l.so", bytes.data, bytes.length);
    look_at_torch(&tree, &torch);
    expect_rows(&tree, OUTCOME,
                "fails|n0.so: cannot open shared object file: No such file or directory");
    expect_rows(&tree, "SELECT count(*) FROM resolution WHERE required = 1 AND found_path IS NULL",
                "256");
    expect_rows(&tree, "SELECT status, detail FROM probe WHERE path = '/v:torch'",
                "malformed|345 more requests that nothing answers");
    tree_finish(&tree);
}

/* Stand-ins of a tree that holds a part of its machine: without the paths of the real object, what
 * it opens is the environment's own copy; what only that opens need not be there. */
Test(loading, stand_in)
{
    static const struct descriptor torch = FRAMEWORK(
        "torch", "{\"open\":\"nvidia/cudnn/lib/libcudnn.so.9\"},"
                 "{\"open\":\"nvidia/cusparse/lib/libcusparse.so.12\",\"if\":\"libnone.so\"}");
    struct probe_tree tree;
    start(&tree, "LD_LIBRARY_PATH=/opt\n");
    tree_put(&tree, "/.record/partial", "");
    put_elf(&tree, SITE "/nvidia/cudnn/lib/libcudnn.so.9", .soname = "libcudnn.so.9");
    put_elf(&tree, SITE "/nvidia/cudnn/lib/libcudnn_graph.so.9", .soname = "libcudnn_graph.so.9");
    put_elf(&tree, "/opt/libcudnn_graph.so.9", .soname = "libcudnn_graph.so.9");
    put_elf(&tree, SITE "/nvidia/cusparse/lib/libcusparse.so.12", .soname = "libcusparse.so.12");
    look_at_torch(&tree, &torch);
    expect_rows(&tree, LOADED,
                "nvidia/cudnn/lib/libcudnn.so.9|~|open|path|cudnn\n"
                "nvidia/cusparse/lib/libcusparse.so.12|~|open|path|cusparse\n"
                "nvidia/cudnn/lib/libcudnn_graph.so.9|nvidia/cudnn/lib/libcudnn.so.9|open|path|"
                "cudnn");
    tree_finish(&tree);
}

/* Frameworks that name each other, and one that is not installed. */
Test(loading, after_each_other)
{
    static const struct descriptor frameworks[] = {
        FRAMEWORK("torch", "{\"after\":\"vision\"},{\"after\":\"none\"},{\"open\":\"a/t.so\"}"),
        FRAMEWORK("vision", "{\"after\":\"torch\"},{\"open\":\"a/v.so\"}")};
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/a/t.so");
    put_elf(&tree, SITE "/a/v.so");
    tree_open(&tree);
    add_environment(&tree, NULL);
    add_framework(&tree, "torch", NULL);
    add_framework(&tree, "vision", NULL);
    tree.options.framework = "vision";
    look(&tree, frameworks, 2);
    expect_rows(&tree,
                "SELECT process_id, replace(path, '" SITE "/', '') FROM loaded "
                "ORDER BY position",
                "/v:vision|a/t.so\n/v:vision|a/v.so");
    expect_rows(&tree, "SELECT count(*) FROM process", "1");
    tree_finish(&tree);
}

/* What LD_PRELOAD names comes first, and answers for its soname. */
Test(loading, preload)
{
    static const struct descriptor torch = FRAMEWORK("torch", "{\"open\":\"a/x.so\"}");
    struct probe_tree tree;
    start(&tree, "LD_PRELOAD=/opt/libcudart.so.12 /opt/gone.so\n");
    put_elf(&tree, "/opt/libcudart.so.12", .soname = "libcudart.so.12");
    put_elf(&tree, SITE "/a/libcudart.so.12", .soname = "libcudart.so.12");
    put_elf(&tree, SITE "/a/x.so", .rpath = "$ORIGIN", NEEDS("libcudart.so.12"));
    look_at_torch(&tree, &torch);
    expect_rows(&tree, "SELECT outcome, preload FROM process" OF_TORCH,
                "loads|/opt/libcudart.so.12 /opt/gone.so");
    expect_rows(&tree, LOADED, "/opt/libcudart.so.12|~|preload|path|cudart\na/x.so|~|open|path|~");
    expect_rows(&tree,
                "SELECT name, how, required FROM resolution" OF_TORCH "ORDER BY position "
                "LIMIT 2",
                "/opt/libcudart.so.12|preload|0\n/opt/gone.so|preload|0");
    expect_rows(&tree, "SELECT name, replace(path, '" SITE "/', ''), via, winner FROM shadowed",
                "libcudart.so.12|a/libcudart.so.12|RPATH|/opt/libcudart.so.12");
    tree_finish(&tree);
}

#define ODD_VALUE \
    "which of its libraries it opens is decided by the variable BNB, whose value is no part of a " \
    "file's name"

/* Which file another framework's CUDA or a variable decides. */
Test(loading, named_by_another)
{
    static const struct descriptor frameworks[] = {
        FRAMEWORK("torch", ""),
        FRAMEWORK("bnb", "{\"after\":\"torch\"},"
                         "{\"open\":\"b/lib{$BNB|torch.cuda_digits}.so\",\"expected\":true}"),
        FRAMEWORK("near", "{\"open\":\"b/lib{torch.cuda_digits~}.so\"}"),
        FRAMEWORK("strict", "{\"open\":\"b/lib{$BNB=|torch.cuda_digits~}.so\"}"),
        FRAMEWORK("alone", "{\"open\":\"b/lib{jax.cuda_major}{jax.cuda_minor}.so\"}")};
    static const char paths[] = "SELECT replace(path, '" SITE "/', '') FROM loaded WHERE "
                                "framework_id = '/v:%s'";
    static const struct {
        const char *variables, *cuda, *bnb, *near, *error;
    } cases[] = {
        {"", "12.4", "b/lib124.so", "b/lib124.so", "~"},
        {"", "12.6.1", "", "b/lib124.so", SITE "/b/lib126.so"},
        {"", "12.1", "", "b/lib124.so", SITE "/b/lib121.so"},
        {"", "12.9", "", "b/lib128.so", SITE "/b/lib129.so"},
        {"", "13.0", "", "", SITE "/b/lib130.so"},
        {"BNB=128\n", "12.4", "b/lib128.so", "b/lib124.so", "~"},
        {"BNB=\n", "12.4", "b/lib124.so", "b/lib124.so", "~"},
        {"BNB=12.4\n", "12.4", "", "b/lib124.so", SITE "/b/lib12.4.so"},
        {"BNB=../../x\n", "12.4", "", "b/lib124.so", ODD_VALUE},
        {"BNB=\\1\n", "12.4", "", "b/lib124.so", ODD_VALUE},
        {"BNB=130\n", "12.4", "", "b/lib124.so", SITE "/b/lib130.so"},
        {"", "12", "", "", "~"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct probe_tree tree;
        start(&tree, cases[i].variables);
        put_elf(&tree, SITE "/b/lib124.so");
        put_elf(&tree, SITE "/b/lib128.so");
        put_elf(&tree, SITE "/b/lib124_other.so");
        tree_open(&tree);
        add_environment(&tree, NULL);
        add_framework(&tree, "torch", cases[i].cuda);
        add_framework(&tree, "bnb", NULL);
        add_framework(&tree, "near", NULL);
        add_framework(&tree, "alone", NULL);
        add_framework(&tree, "strict", NULL);
        look(&tree, frameworks, sizeof frameworks / sizeof *frameworks);
        expect_rows(&tree, arena_printf(&tree.arena, paths, "bnb"), cases[i].bnb);
        expect_rows(&tree, arena_printf(&tree.arena, paths, "near"), cases[i].near);
        expect_rows(&tree,
                    "SELECT replace(error, ': cannot open shared object file: No such file or "
                    "directory', '') FROM process WHERE framework_id = '/v:bnb'",
                    cases[i].error);
        expect_rows(&tree, "SELECT outcome, error FROM process WHERE framework_id = '/v:alone'",
                    "nothing|which of its libraries it opens is decided by the CUDA of jax, which "
                    "is not there");
        if (text_equal(cases[i].variables, "BNB=\n"))
            expect_rows(&tree,
                        "SELECT outcome, error FROM process WHERE framework_id = '/v:strict'",
                        "unknown|" ODD_VALUE);
        tree_finish(&tree);
    }
}

/* Where not all names of the folder are known, neither is the nearest, nor that there is none. */
Test(loading, nearest_among_too_many, .timeout = 60)
{
    enum { NAMES = 20000 };
    static const struct descriptor frameworks[] = {
        FRAMEWORK("torch", ""), FRAMEWORK("near", "{\"open\":\"b/lib{torch.cuda_digits~}.so\","
                                                  "\"expected\":true}")};
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/b/lib124.so");
    for (int i = 0; i < NAMES; i++)
        tree_put(&tree, arena_printf(&tree.arena, SITE "/b/%d", i), "");
    tree_open(&tree);
    add_environment(&tree, NULL);
    add_framework(&tree, "torch", "12.6");
    add_framework(&tree, "near", NULL);
    look(&tree, frameworks, 2);
    expect_rows(&tree, "SELECT outcome, error FROM process WHERE framework_id = '/v:near'",
                "unknown|b/lib126.so: the folder holds more files than are looked at");
    expect_rows(&tree, "SELECT path, status FROM probe WHERE detail LIKE 'more files of that%'",
                SITE "/b/lib12*.so|malformed");
    tree_finish(&tree);
}

/* What only a part of the framework needs does not make it fail. */
Test(loading, needed_for_a_part)
{
    static const struct descriptor torch =
        FRAMEWORK("torch", "{\"open\":\"a/a.so\"},{\"open\":\"a/fft.so\",\"for\":\"fft\"},"
                           "{\"first\":[\"libx.so.2\",\"libx.so.1\"],\"for\":\"x\"},"
                           "{\"open\":\"a/cudnn8.so\",\"cudnn\":\"8\"},"
                           "{\"open\":\"a/cudnn9.so\",\"cudnn\":\"9\"},"
                           "{\"open\":\"lib64/liby.so\",\"below\":\"default_toolkit\"}");
    struct probe_tree tree;
    start(&tree, "");
    put_elf(&tree, SITE "/a/a.so");
    put_elf(&tree, SITE "/a/fft.so", NEEDS("libcufft.so.11"));
    put_elf(&tree, SITE "/a/cudnn8.so");
    put_elf(&tree, SITE "/a/cudnn9.so");
    put_elf(&tree, "/usr/local/cuda/lib64/liby.so", .soname = "liby.so.1");
    tree_open(&tree);
    add_environment(&tree, NULL);
    facts_add_framework(tree.facts, &(struct row_framework){.environment_id = "/v",
                                                            .framework_id = "/v:torch",
                                                            .name = "torch",
                                                            .cudnn = "9.1.0"});
    look(&tree, &torch, 1);
    expect_rows(&tree, OUTCOME, "loads|~");
    expect_rows(&tree, LOADED,
                "a/a.so|~|open|path|~\na/cudnn9.so|~|open|path|~\n/usr/local/cuda/lib64/"
                "liby.so|~|open|path|~");
    expect_rows(&tree,
                "SELECT name, required, purpose FROM resolution" OF_TORCH
                "AND name NOT LIKE '%/%' ORDER BY position",
                "libcufft.so.11|0|fft\nlibx.so.2|0|x\nlibx.so.1|0|~");
    tree_finish(&tree);
}
