/* Frameworks by descriptor, in trees made here. */
#include <criterion/criterion.h>

#include "base/text.h"
#include "python/framework_spec.h"
#include "python_tree.h"

#define SITE "/v/lib/python3.12/site-packages"

static const char torch[] =
    "{\"schema\":1,\"name\":\"torch\",\"distributions\":[\"torch\"],\"conda\":[\"pytorch\"],"
    "\"sources\":["
    "{\"from\":\"file\",\"path\":\"torch/version.py\","
    "\"pattern\":\"^__version__ = '(?<version>[^']+)'\"},"
    "{\"from\":\"file\",\"path\":\"torch/version.py\","
    "\"pattern\":\"^cuda[^=]*= '(?<cuda>[0-9.]+)'\"},"
    "{\"from\":\"file\",\"path\":\"torch/version.py\","
    "\"pattern\":\"^hip[^=]*= '(?<hip>[^']+)'\"},"
    "{\"from\":\"file\",\"path\":\"torch/version.py\",\"pattern\":\"^cuda[^=]*= None\","
    "\"set\":{\"variant\":\"cpu\"},\"when\":{\"variant\":null,\"cuda\":null}},"
    "{\"from\":\"version\",\"pattern\":\"\\\\.nv\\\\d\",\"set\":{\"channel\":\"nvidia\"}},"
    "{\"from\":\"version\",\"pattern\":\"\\\\+(cu\\\\d|cpu$|rocm|xpu$)\","
    "\"set\":{\"channel\":\"pytorch\"}},"
    "{\"from\":\"version\",\"pattern\":\"\\\\+(?<cuda_tag>cu(?<cuda_major>\\\\d+)"
    "(?<cuda_minor>\\\\d))$\"},"
    "{\"from\":\"version\",\"pattern\":\"\\\\+cpu\",\"set\":{\"variant\":\"cpu\"}},"
    "{\"from\":\"build\",\"pattern\":\"^cuda(?<cuda_major>\\\\d\\\\d)(?<cuda_minor>\\\\d)\"},"
    "{\"from\":\"requirement\",\"requires\":\"^nvidia-cuda-runtime\","
    "\"pattern\":\"==(?<cuda>\\\\d+\\\\.\\\\d+)\"},"
    "{\"from\":\"package\",\"name\":\"^nvidia-cudnn-cu\\\\d+$\","
    "\"pattern\":\"^(?<cudnn>\\\\d+\\\\.\\\\d+\\\\.\\\\d+)\",\"when\":{\"cuda\":\"12.4\"}},"
    "{\"from\":\"file\",\"path\":\"torch/lib/libtorch_xpu.so\",\"set\":{\"variant\":\"xpu\"}}"
    "]}";
static const char jax[] =
    "{\"schema\":1,\"name\":\"jax\",\"distributions\":[\"jax\"],\"sources\":["
    "{\"from\":\"package\",\"name\":\"^jax-cuda(?<cuda_major>\\\\d+)-plugin$\"}]}";

static struct descriptor descriptors[] = {{"frameworks/torch.json", torch},
                                          {"frameworks/jax.json", jax}};

static void check_text(struct python_tree *tree, const char *sql, const char *expected)
{
    const char *text = tree_ask(tree, sql);
    cr_assert(text && expected ? !strcmp(text, expected) : text == expected, "%s: %s, not %s", sql,
              text ? text : "NULL", expected ? expected : "NULL");
}

static void start_venv(struct python_tree *tree)
{
    tree_start(tree, NULL, NULL);
    tree_text(tree, "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
}

static void look(struct python_tree *tree)
{
    tree->context.descriptors = descriptors;
    tree->context.descriptor_count = sizeof descriptors / sizeof *descriptors;
    cr_assert_eq(tree_run(tree, &probe_environment), 0);
    cr_assert_eq(tree_run(tree, &probe_package), 0);
    cr_assert_eq(tree_run(tree, &probe_framework), 0);
}

#define ROW \
    "SELECT group_concat(name || ' ' || version || ' ' || release || ' ' || ifnull(variant, '-') " \
    "|| ' ' || ifnull(cuda, '-') || ' ' || ifnull(cuda_tag, '-') || ' ' || ifnull(cudnn, '-') || " \
    "' ' || ifnull(channel, '-') || ' ' || package || ' ' || ifnull(manager, '-'), ';') " \
    "FROM framework"

Test(framework, cuda_wheel)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0", "");
    tree_dist(&tree, SITE, "nvidia_cudnn_cu12", "9.1.0.70", "");
    tree_text(&tree, SITE "/torch/version.py",
              "__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\nhip = None\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0+cu124 2.6.0 cuda 12.4 cu124 9.1.0 pypi torch pip");
    check_text(&tree,
               "SELECT evidence_path || ' ' || evidence || ' ' || version_path || ' ' || "
               "framework_id || ' ' || cuda_key FROM framework",
               SITE "/torch/version.py cuda: Optional[str] = '12.4' " SITE
                    "/torch/version.py /v:torch 1204");
    tree_done(&tree);
}

Test(framework, builds_without_cuda)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0+cpu", "");
    tree_text(&tree, SITE "/torch/version.py",
              "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0+cpu 2.6.0 cpu - - - pytorch torch pip");
    tree_done(&tree);
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0+rocm6.2", "");
    tree_text(&tree, SITE "/torch/version.py", "cuda = None\nhip: str = '6.2.4'\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0+rocm6.2 2.6.0 rocm - - - pytorch torch pip");
    tree_done(&tree);
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0+xpu", "");
    tree_text(&tree, SITE "/torch/lib/libtorch_xpu.so", "");
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0+xpu 2.6.0 xpu - - - pytorch torch pip");
    check_text(&tree, "SELECT evidence FROM framework", "torch/lib/libtorch_xpu.so");
    tree_done(&tree);
}

Test(framework, record_without_files)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.4.1",
              "Requires-Dist: nvidia-cuda-runtime-cu12==12.1.105; sys_platform == 'linux'\n");
    tree_dist(&tree, SITE, "jax", "0.4.35", "");
    tree_dist(&tree, SITE, "jax_cuda12_plugin", "0.4.35", "");
    look(&tree);
    check_text(&tree, ROW,
               "torch 2.4.1 2.4.1 cuda 12.1 - - pypi torch pip;"
               "jax 0.4.35 0.4.35 cuda 12 - - pypi jax pip");
    check_text(&tree, "SELECT evidence || ' ' || evidence_path FROM framework WHERE name = 'torch'",
               "nvidia-cuda-runtime-cu12==12.1.105 " SITE "/torch-2.4.1.dist-info/METADATA");
    tree_done(&tree);
}

Test(framework, nothing_known_is_unknown)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.5.0a0+872d972e41.nv24.8", "");
    tree_dist(&tree, SITE, "torchvision", "0.20", "");
    tree_text(&tree, "/etc/nv_tegra_release", "# R36\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.5.0a0+872d972e41.nv24.8 2.5.0a0 - - - - nvidia torch pip");
    tree_done(&tree);
}

Test(framework, conda_and_its_dist_info_are_one)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/c/conda-meta/pytorch-2.5.1-cuda126_0.json",
              "{\"build\":\"cuda126_py312\",\"channel\":\"conda-forge\",\"depends\":[],"
              "\"name\":\"pytorch\",\"version\":\"2.5.1\"}");
    tree_dist(&tree, "/c/lib/python3.12/site-packages", "torch", "2.5.1", "");
    tree_text(&tree, "/c/lib/python3.12/site-packages/torch-2.5.1.dist-info/INSTALLER", "conda\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.5.1 2.5.1 cuda 12.6 - - conda-forge torch conda");
    check_text(&tree, "SELECT evidence FROM framework", "cuda126");
    tree_done(&tree);
}

Test(framework, conda_alone_and_pip_over_conda)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    const char *record = "{\"build\":\"cpu_0\",\"channel\":\"pkgs/main\",\"depends\":[],"
                         "\"name\":\"pytorch\",\"version\":\"2.5.1\"}";
    tree_text(&tree, "/a/conda-meta/pytorch-2.5.1-cpu_0.json", record);
    tree_text(&tree, "/a/lib/python3.11/site-packages/torch/version.py", "cuda = '11.8'\n");
    tree_text(&tree, "/b/conda-meta/pytorch-2.5.1-cpu_0.json", record);
    tree_dist(&tree, "/b/lib/python3.11/site-packages", "torch", "2.6.0+cu118", "");
    look(&tree);
    check_text(&tree, ROW,
               "torch 2.5.1 2.5.1 cuda 11.8 - - defaults pytorch conda;"
               "torch 2.6.0+cu118 2.6.0 cuda 11.8 cu118 - pytorch torch pip");
    tree_done(&tree);
}

Test(framework, two_records_of_one_name)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.4.0", "");
    tree_dist(&tree, SITE, "torch", "2.10.0", "");
    tree_text(&tree, SITE "/torch/version.py", "__version__ = '2.4.0+cu121'\ncuda = '12.1'\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.4.0+cu121 2.4.0 cuda 12.1 cu121 - pypi torch pip");
    tree_done(&tree);
    start_venv(&tree); /* no file to ask: the higher one, by order and not by letters */
    tree_dist(&tree, SITE, "torch", "2.10.0", "");
    tree_dist(&tree, SITE, "torch", "2.9.0", "");
    look(&tree);
    check_text(&tree, "SELECT group_concat(version) FROM framework", "2.10.0");
    tree_done(&tree);
}

Test(framework, hostile_version_file)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0", "");
    tree_text(&tree, SITE "/torch/version.py",
              "__version__ = '2\x1b[31m; rm'\ncuda\xff\x1b]0;x\x07 = '12.4'\n");
    tree_extend(&tree, SITE "/torch/version.py", (int64_t)4 << 30);
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0 2.6.0 cuda 12.4 - - pypi torch pip");
    cr_assert_null(strchr(tree_ask(&tree, "SELECT evidence FROM framework"), '\x1b'));
    tree_done(&tree);
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0", "");
    tree_fifo(&tree, SITE "/torch/version.py");
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0 2.6.0 - - - - pypi torch pip");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'framework' AND "
                                   "status = 'malformed' AND scope = '/v'"),
                 1);
    tree_done(&tree);
}

/* --- descriptors --- */

static void check_refused(const char *json, const char *part)
{
    struct arena arena = {0};
    struct framework_spec spec;
    struct error error = {0};
    cr_assert_lt(framework_spec_parse(json, &arena, &spec, &error), 0, "%s", json);
    cr_assert(strstr(error.text, part), "%s: %s", json, error.text);
    framework_spec_done(&spec);
    arena_done(&arena);
}

#define SOURCES(text) "{\"name\":\"x\",\"sources\":[" text "]}"

Test(descriptor, refused)
{
    check_refused("", "line 1");
    check_refused("[]", "\"name\" is missing");
    check_refused("{\"name\":\"x\"}", "\"sources\"");
    check_refused("{\"name\":\"x\",\"distributions\":[1],\"sources\":[]}", "\"distributions\"");
    check_refused(SOURCES("3"), "source 1: \"from\"");
    check_refused(SOURCES("{\"from\":\"air\"}"), "no kind of source");
    check_refused(SOURCES("{\"from\":\"file\",\"path\":\"../x\"}"), "\"path\"");
    check_refused(SOURCES("{\"from\":\"file\",\"path\":\"a/..\"}"), "\"path\"");
    check_refused(SOURCES("{\"from\":\"file\",\"path\":\"/etc/passwd\"}"), "\"path\"");
    check_refused(SOURCES("{\"from\":\"file\",\"path\":\"a*/b.py\"}"), "name of a file alone");
    check_refused(SOURCES("{\"from\":\"names\",\"path\":\"a/*\",\"pattern\":\".\"}"),
                  "name of a file alone");
    check_refused(SOURCES("{\"from\":\"file\",\"path\":\"a\",\"below\":\"root\"}"), "\"below\"");
    check_refused(SOURCES("{\"from\":\"names\",\"path\":\"a\"}"), "\"pattern\"");
    check_refused(SOURCES("{\"from\":\"literal\",\"pattern\":\".\"}"), "\"path\"");
    check_refused(SOURCES("{\"from\":\"version\"}"), "\"pattern\"");
    check_refused(SOURCES("{\"from\":\"version\",\"pattern\":\"(\"}"), "pattern");
    check_refused(SOURCES("{\"from\":\"package\",\"pattern\":\".\"}"), "\"name\"");
    check_refused(SOURCES("{\"from\":\"version\",\"pattern\":\".\",\"set\":{\"x\":\"1\"}}"),
                  "no field is called \"x\"");
    check_refused(SOURCES("{\"from\":\"version\",\"pattern\":\".\",\"set\":{\"cuda\":null}}"),
                  "is not text");
}

Test(descriptor, broken_one_is_told_and_the_others_work)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "jax", "0.4.35", "");
    struct descriptor both[] = {{"frameworks/bad.json", "{"}, {"frameworks/jax.json", jax}};
    tree.context.descriptors = both;
    tree.context.descriptor_count = 2;
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    cr_assert_eq(tree_run(&tree, &probe_framework), 0);
    check_text(&tree, "SELECT name FROM framework", "jax");
    check_text(&tree, "SELECT status FROM probe WHERE path = 'frameworks/bad.json'", "malformed");
    tree_done(&tree);
}

/* What the head of the text does not tell of a broken one is told where it is used. */
Test(descriptor, broken_sources_are_told_once_where_they_are_used)
{
    static const char text[] = "{\"name\":\"x\",\"title\":\"X\",\"distributions\":[\"x\",\"y\"],"
                               "\"conda\":[],\"sources\":[{\"from\":\"air\"}]}";
    struct descriptor one[] = {{"frameworks/x.json", text}};
    for (int used = 0; used < 2; used++) {
        struct python_tree tree;
        start_venv(&tree);
        tree_dist(&tree, SITE, used ? "x" : "z", "1.0", "");
        tree_dist(&tree, SITE, used ? "y" : "zz", "1.0", "");
        tree.context.descriptors = one;
        tree.context.descriptor_count = 1;
        cr_assert_eq(tree_run(&tree, &probe_environment), 0);
        cr_assert_eq(tree_run(&tree, &probe_package), 0);
        cr_assert_eq(tree_run(&tree, &probe_framework), 0);
        cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM framework"), 0);
        cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE status = 'malformed' AND "
                                       "path = 'frameworks/x.json'"),
                     used);
        tree_done(&tree);
    }
}

/* Keys in another order, and "sources" inside another text: the whole is read. */
Test(descriptor, names_anywhere)
{
    static const char *const texts[] = {
        "{\"name\":\"x\",\"title\":\"X\",\"distributions\":[\"x\"],\"conda\":[\"c\"],\"sources\":[]"
        "}",
        "{\"sources\":[],\"conda\":[\"c\"],\"distributions\":[\"x\"],\"title\":\"X\",\"name\":"
        "\"x\"}",
        "{\"name\":\"x\",\"sources\":[],\"distributions\":[\"x\"],\"conda\":[\"c\"],\"title\":"
        "\"X\"}",
        "{\"name\":\"x\",\"title\":\"X\",\"note\":[\"a\",\"sources\"],\"distributions\":[\"x\"],"
        "\"conda\":[\"c\"],\"sources\":[]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct framework_spec spec;
        struct error error = {0};
        cr_assert_eq(framework_spec_names(texts[i], &arena, &spec, &error), 0, "%s", error.text);
        cr_expect(spec.distribution_count == 1 && spec.conda_count == 1, "%s", texts[i]);
        cr_expect_str_eq(spec.title, "X");
        cr_expect_eq(framework_spec_sources(&spec, &error), 0);
        framework_spec_done(&spec);
        arena_done(&arena);
    }
}

/* --- files that are not named in full --- */

static const char lib[] =
    "{\"name\":\"lib\",\"distributions\":[\"lib\"],\"sources\":["
    "{\"from\":\"file\",\"path\":\"lib/v*.txt\",\"pattern\":\"cudnn=(?<cudnn>[0-9.]+)\"},"
    "{\"from\":\"names\",\"path\":\"lib\",\"pattern\":\"^l_(?<cuda>[0-9.]+)_n(?<nccl>\\\\d)\"},"
    "{\"from\":\"file\",\"below\":\"prefix\",\"path\":\"lib/"
    "libx.so*\",\"set\":{\"variant\":\"cuda\"}},"
    "{\"from\":\"literal\",\"path\":\"lib/tool\",\"pattern\":\"release (?<cuda>[0-9.]+)\","
    "\"when\":{\"cuda\":null}}]}";

static void look_at_lib(struct python_tree *tree)
{
    static struct descriptor one[] = {{"frameworks/lib.json", lib}};
    tree_dist(tree, SITE, "lib", "1.0", "");
    tree->context.descriptors = one;
    tree->context.descriptor_count = 1;
    cr_assert_eq(tree_run(tree, &probe_environment), 0);
    cr_assert_eq(tree_run(tree, &probe_package), 0);
    cr_assert_eq(tree_run(tree, &probe_framework), 0);
}

#define LIB_ROW \
    "SELECT ifnull(variant, '-') || ' ' || ifnull(cuda, '-') || ' ' || ifnull(cudnn, '-') || ' ' " \
    "|| ifnull(nccl, '-') || ' ' || ifnull(evidence, '-') || ' ' || ifnull(cudnn_path, '-') || ' " \
    "' " \
    "|| ifnull(nccl_path, '-') FROM framework"

Test(framework, names_of_which_some_say_different_things)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/lib/l_12.1_n2", "");
    tree_text(&tree, SITE "/lib/l_12.4_n2", "");
    tree_text(&tree, SITE "/lib/other", "");
    tree_text(&tree, "/v/lib/libx.so.4", "");
    look_at_lib(&tree);
    check_text(&tree, LIB_ROW, "cuda - - 2 lib/libx.so* - " SITE "/lib");
    tree_done(&tree);
}

Test(framework, first_of_several_files_that_matches)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/lib/v1.txt", "nothing\n");
    tree_text(&tree, SITE "/lib/v2.txt", "cudnn=9.1\n");
    tree_text(&tree, SITE "/lib/v3.txt", "cudnn=9.2\n");
    tree_text(&tree, SITE "/lib/l_12.4_n2", "");
    look_at_lib(&tree);
    check_text(&tree, LIB_ROW, "cuda 12.4 9.1 2 l_12.4_n2 " SITE "/lib/v2.txt " SITE "/lib");
    tree_done(&tree);
}

Test(framework, literal_across_chunks_and_past_the_limit)
{
    struct python_tree tree;
    for (int far = 0; far < 2; far++) {
        size_t at = far ? 5 << 20 : (128 << 10) - 9;
        CLEANUP_TEXT struct text bytes = {0};
        for (size_t i = 0; i < at; i++)
            text_add_char(&bytes, 'x');
        text_add(&bytes, "release 12.8, V12.8.93");
        start_venv(&tree);
        tree_bytes(&tree, SITE "/lib/tool", bytes.data, bytes.length);
        look_at_lib(&tree);
        check_text(&tree, "SELECT ifnull(cuda, '-') FROM framework", far ? "-" : "12.8");
        tree_done(&tree);
    }
    start_venv(&tree);
    tree_fifo(&tree, SITE "/lib/tool");
    look_at_lib(&tree);
    check_text(&tree, "SELECT ifnull(cuda, '-') FROM framework", "-");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'framework' AND "
                                   "status = 'malformed' AND path LIKE '%/lib/tool'"),
                 1);
    tree_done(&tree);
}

/* Who installed it, and from where, tells whether it is of the public index. */
Test(framework, channel_needs_an_installer_and_an_index)
{
    static const struct {
        const char *installer, *direct_url, *channel;
    } cases[] = {
        {"pip", NULL, "pypi"},
        {"uv", NULL, "pypi"},
        {"poetry 1.8.2", NULL, "pypi"},
        {"pdm", NULL, "pypi"},
        {"rpm", NULL, NULL},
        {"", NULL, NULL},
        {"pip", "{\"dir_info\": {}, \"url\": \"file:///tmp/eb/pytorch\"}", NULL},
        {"pip", "{\"archive_info\": {}, \"url\": \"file:///tmp/torch-2.6.0.whl\"}", NULL},
        {"pip",
         "{\"vcs_info\": {\"vcs\": \"git\", \"commit_id\": \"1\"}, "
         "\"url\": \"https://h/torch\"}",
         NULL},
        {"pip", "not JSON", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct python_tree tree;
        start_venv(&tree);
        tree_dist(&tree, SITE, "torch", "2.6.0", "");
        tree_text(&tree, SITE "/torch-2.6.0.dist-info/INSTALLER", cases[i].installer);
        if (cases[i].direct_url)
            tree_text(&tree, SITE "/torch-2.6.0.dist-info/direct_url.json", cases[i].direct_url);
        look(&tree);
        check_text(&tree, "SELECT channel FROM framework", cases[i].channel);
        tree_done(&tree);
    }
}

/* Python takes the first folder of its search path that has the package. */
Test(framework, of_two_folders_the_first)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/shared.pth", "/srv/shared\n");
    tree_dist(&tree, "/srv/shared", "torch", "2.7.0", "");
    tree_text(&tree, "/srv/shared/torch/version.py",
              "__version__ = '2.7.0+cu128'\ncuda = '12.8'\n");
    tree.context.descriptors = descriptors;
    tree.context.descriptor_count = sizeof descriptors / sizeof *descriptors;
    const struct probe *const probes[] = {&probe_environment, &probe_search_path, &probe_package,
                                          &probe_framework};
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(tree_run(&tree, probes[i]), 0);
    check_text(&tree, ROW, "torch 2.7.0+cu128 2.7.0 cuda 12.8 cu128 - pypi torch pip");
    tree_done(&tree);
    start_venv(&tree);
    tree_text(&tree, SITE "/shared.pth", "/srv/shared\n");
    tree_dist(&tree, "/srv/shared", "torch", "2.7.0", "");
    tree_text(&tree, "/srv/shared/torch/version.py",
              "__version__ = '2.7.0+cu128'\ncuda = '12.8'\n");
    tree_dist(&tree, SITE, "torch", "2.6.0", "");
    tree.context.descriptors = descriptors;
    tree.context.descriptor_count = sizeof descriptors / sizeof *descriptors;
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(tree_run(&tree, probes[i]), 0);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM package WHERE name = 'torch'"), 2);
    check_text(&tree, "SELECT group_concat(version) FROM framework", "2.6.0");
    tree_done(&tree);
}

Test(framework, the_public_index_has_a_tag_in_its_files)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "torch", "2.6.0", "");
    tree_text(&tree, SITE "/torch/version.py", "__version__ = '2.6.0+cpu'\ncuda = None\n");
    look(&tree);
    check_text(&tree, ROW, "torch 2.6.0+cpu 2.6.0 cpu - - - pypi torch pip");
    tree_done(&tree);
}
