/* Packages: METADATA, PKG-INFO and conda-meta, whole and broken. */
#include <criterion/criterion.h>
#include <errno.h>
#include <time.h>

#include "base/text.h"
#include "parse/conda_meta.h"
#include "parse/metadata.h"
#include "python_tree.h"

#define SITE "/v/lib/python3.12/site-packages"

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

static void read_packages(struct python_tree *tree)
{
    cr_assert_eq(tree_run(tree, &probe_environment), 0);
    cr_assert_eq(tree_run(tree, &probe_package), 0);
}

/* --- METADATA --- */

static struct metadata parse(struct arena *arena, const char *text)
{
    struct metadata found;
    metadata_parse(text, strlen(text), arena, &found);
    return found;
}

static void check_requirement(const char *text, const char *expected)
{
    struct arena arena = {0};
    CLEANUP_TEXT struct text seen = {0};
    struct metadata found = parse(&arena, arena_printf(&arena, "Requires-Dist: %s\n\n", text));
    for (size_t i = 0; i < found.requirement_count; i++) {
        const struct metadata_requirement *item = &found.requirements[i];
        text_printf(&seen, "%s|%s|%s|%s|%s", item->name, item->extras ? item->extras : "-",
                    item->specifier ? item->specifier : "-", item->extra ? item->extra : "-",
                    item->marker ? item->marker : "-");
    }
    cr_assert_str_eq(text_get(&seen), expected);
    metadata_done(&found);
    arena_done(&arena);
}

Test(metadata, requirements)
{
    check_requirement("numpy", "numpy|-||-|-");
    check_requirement("Foo_Bar.baz >=1.0, <2", "foo-bar-baz|-|>=1.0, <2|-|-");
    check_requirement("old (>=1.0)", "old|-|>=1.0|-|-");
    check_requirement("jax[cuda12, TPU_x]~=0.4", "jax|cuda12,tpu-x|~=0.4|-|-");
    check_requirement("pytest>=7; extra == \"Test_dev\"",
                      "pytest|-|>=7|test-dev|extra == \"Test_dev\"");
    check_requirement("a; 'gpu' == extra", "a|-||gpu|'gpu' == extra");
    check_requirement("a; python_version < '3' and extra=='x'",
                      "a|-||x|python_version < '3' and extra=='x'");
    check_requirement("a; sys_platform == 'extra'", "a|-||-|sys_platform == 'extra'");
    check_requirement("b @ https://user:pw@host/x;y.whl ; extra == 'u'", "b|-|-|u|extra == 'u'");
    check_requirement("nvidia-cudnn-cu12==9.1.0.70; platform_system == \"Linux\"",
                      "nvidia-cudnn-cu12|-|==9.1.0.70|-|platform_system == \"Linux\"");
    check_requirement("cuda-toolkit[cublas,cudart]==13.0.2",
                      "cuda-toolkit|cublas,cudart|==13.0.2|-|-");
    check_requirement("", "");
    check_requirement("-x", "");
    check_requirement("a[b", "");
    check_requirement("a (>=1", "");
    check_requirement("a b", "");
    check_requirement("e\x1b[1m", "");
    check_requirement("a; extra == 'open", "a|-||-|extra == 'open");
}

Test(metadata, headers)
{
    struct arena arena = {0};
    struct metadata found =
        parse(&arena, "NAME: Foo__Bar\r\nSummary: one\r\n Name: two\r\nversion:\r\n 1.0\r\n\r\n"
                      "Name: body\r\nVersion: 9\r\n");
    cr_assert_str_eq(found.name, "foo-bar");
    cr_assert_str_eq(found.version, "1.0");
    cr_assert_not(found.is_version_cut);
    metadata_done(&found);
    arena_done(&arena);
}

Test(metadata, hostile_names_are_none)
{
    struct arena arena = {0};
    static const char *const texts[] = {"Name: a\x1b[31m\nVersion: 1\x1b\n",
                                        "Name: a b\nVersion: 1 2\n",
                                        "Name: $(x)\nVersion: `x`\n",
                                        "Name: 'a'\nVersion: \"1\"\n",
                                        "Name:\nVersion:\n",
                                        "Name\nVersion\n",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct metadata found = parse(&arena, texts[i]);
        cr_assert_null(found.name, "%s", texts[i]);
        cr_assert_null(found.version, "%s", texts[i]);
        metadata_done(&found);
    }
    arena_done(&arena);
}

Test(package, of_a_venv)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "Torch_Audio", "2.6.0+cu124",
              "Requires-Dist: torch==2.6.0\nRequires-Dist: x[y]; extra == 'z'\n");
    tree_link(&tree, "/v/lib64", "lib");
    read_packages(&tree);
    check_text(&tree,
               "SELECT environment_id || ' ' || package_id || ' ' || name || ' ' || version || ' ' "
               "|| kind || ' ' || installer || ' ' || site || ' ' || path FROM package",
               "/v /v:lib/python3.12/site-packages/Torch_Audio-2.6.0+cu124.dist-info torch-audio "
               "2.6.0+cu124 dist pip " SITE " " SITE "/Torch_Audio-2.6.0+cu124.dist-info/METADATA");
    check_text(&tree,
               "SELECT group_concat(package || '>' || requires || specifier || '/' || "
               "ifnull(extra, '') || '/' || ifnull(extras, '')) FROM requirement",
               "torch-audio>torch==2.6.0//,torch-audio>x/z/y");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM package"), 1); /* lib64 is lib */
    tree_done(&tree);
}

Test(package, folders_of_fedora_and_debian)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/f/pyvenv.cfg", "version = 3.11.1\n");
    tree_dist(&tree, "/f/lib/python3.11/site-packages", "pure", "1", "");
    tree_dist(&tree, "/f/lib64/python3.11/site-packages", "plat", "1", "");
    tree_dist(&tree, "/f/lib/python3.9/site-packages", "left-behind", "1", "");
    tree_text(&tree, "/usr/bin/python3.11", "");
    tree_link(&tree, "/usr/bin/python3", "python3.11");
    tree_dist(&tree, "/usr/local/lib/python3.11/dist-packages", "torch", "2.1", "");
    tree_text(&tree, "/usr/lib/python3/dist-packages/apt-2.3.egg-info/PKG-INFO",
              "Name: python-apt\nVersion: 2.3\n\n");
    tree_text(&tree, "/usr/lib/python3/dist-packages/six-1.16.0.egg-info",
              "Name: six\nVersion: 1.16.0\n");
    read_packages(&tree);
    check_text(&tree,
               "SELECT group_concat(environment_id || ':' || name || ':' || kind) FROM "
               "(SELECT * FROM package ORDER BY environment_id, name)",
               "/f:plat:dist,/f:pure:dist,/usr:python-apt:egg,/usr:six:egg,/usr/local:torch:dist");
    tree_done(&tree);
}

Test(package, broken_records_are_told)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "good", "1.0", "");
    tree_folder(&tree, SITE "/empty-1.dist-info");
    tree_folder(&tree, SITE "/dir-1.dist-info/METADATA");
    tree_text(&tree, SITE "/file-1.dist-info", "x");
    tree_fifo(&tree, SITE "/fifo-1.dist-info/METADATA");
    tree_fifo(&tree, SITE "/pipe-1.dist-info");
    tree_text(&tree, SITE "/half-2.11.0.dist-info/METADATA", "Name: half\nVersion: 2.1");
    tree_text(&tree, SITE "/cut-2.1.5.dist-info/METADATA", "Name: cut\nVersion: 2.1");
    tree_text(&tree, SITE "/none-1.dist-info/METADATA", "");
    tree_text(&tree, SITE "/noversion-1.dist-info/METADATA", "Name: noversion\n\n");
    tree_bytes(&tree, SITE "/zero-1.dist-info/METADATA", "Name: z\0\0\nVersion: 1\n", 21);
    tree_text(&tree, SITE "/~orch-2.3.0.dist-info/METADATA", "Name: torch\nVersion: 2.3.0\n");
    tree_text(&tree, SITE "/whole-3.1.dist-info/METADATA", "Name: whole\nVersion: 3.1");
    tree_fifo(&tree, SITE "/whole-3.1.dist-info/INSTALLER");
    read_packages(&tree);
    check_text(&tree,
               "SELECT group_concat(name || version) FROM (SELECT * FROM package ORDER BY name)",
               "good1.0,whole3.1");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'package' AND "
                                   "status = 'malformed' AND fills LIKE '%package%'"),
                 10);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE status = 'skipped' AND "
                                   "path LIKE '%/~orch-2.3.0.dist-info'"),
                 1);
    tree_done(&tree);
}

/* Not to be able to look is not to find nothing: the environment is unknown, not without packages.
 */
Test(package, a_site_folder_out_of_reach_is_told)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_folder(&tree, "/v/lib/python3.12");
    tree_link(&tree, SITE, "site-packages");
    read_packages(&tree);
    check_text(&tree,
               "SELECT status || ' ' || error || ' ' || fills FROM probe WHERE name = 'package'",
               "malformed 40 package requirement framework shared_file");
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'package'"), 1);
    tree_done(&tree);
}

Test(package, names_with_escapes_stay_out)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/e\x1b[31m'\"\n-1.dist-info/METADATA", "Name: evil\nVersion: 1\n\n");
    tree_text(&tree, SITE "/x-1.dist-info/METADATA", "Name: x\x1b]0;\x07\nVersion: 1\n\n");
    read_packages(&tree);
    check_text(&tree, "SELECT group_concat(name) FROM package", "evil");
    tree_done(&tree);
}

Test(package, only_the_head_of_a_huge_file_is_read)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/big-1.5.dist-info/METADATA", "Name: big\nVersion: 1.5\n\nwords");
    tree_extend(&tree, SITE "/big-1.5.dist-info/METADATA", (int64_t)4 << 30);
    tree_text(&tree, SITE "/hole-1.dist-info/METADATA", "");
    tree_extend(&tree, SITE "/hole-1.dist-info/METADATA", (int64_t)4 << 30);
    /* headers longer than one step */
    CLEANUP_TEXT struct text more = {0};
    for (int i = 0; i < 2000; i++)
        text_printf(&more, "Requires-Dist: package-%04d>=1.0\n", i);
    tree_dist(&tree, SITE, "long", "2", text_get(&more));
    read_packages(&tree);
    check_text(&tree, "SELECT group_concat(name) FROM (SELECT * FROM package ORDER BY name)",
               "big,long");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM requirement"), 2000);
    tree_done(&tree);
}

Test(package, more_requirements_than_are_kept_are_told)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text requires = {0};
    for (int i = 0; i < 5000; i++)
        text_printf(&requires, "Requires-Dist: x%d\n", i);
    start_venv(&tree);
    tree_dist(&tree, SITE, "many", "1", text_get(&requires));
    read_packages(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM requirement"), 4096);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE status = 'malformed' AND "
                                   "path LIKE '%many-1.dist-info/METADATA'"),
                 1);
    tree_done(&tree);
}

Test(package, two_hundred_are_quick)
{
    struct python_tree tree;
    struct timespec from, to;
    start_venv(&tree);
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        tree_dist(&tree, SITE, name, "1.0", "Requires-Dist: numpy\n");
    }
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM package"), 200);
    /* a millisecond or two; this only tells of something that has gone wrong altogether */
    cr_assert_lt(to.tv_sec - from.tv_sec, 2);
    tree_done(&tree);
}

/* --- where a distribution came from --- */

static void add_file(struct python_tree *tree, const char *dist, const char *leaf, const char *text)
{
    CLEANUP_TEXT struct text path = {0};
    text_printf(&path, SITE "/%s.dist-info/%s", dist, leaf);
    tree_text(tree, path.data, text);
}

#define ORIGINS \
    "SELECT group_concat(name || ' ' || ifnull(origin, '-') || ' ' || ifnull(origin_url, '-') || " \
    "' ' || ifnull(platform_tag, '-') || ' ' || ifnull(requested, '-'), ';') FROM " \
    "(SELECT * FROM package ORDER BY name)"

Test(package, origins)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "asked", "1", "");
    add_file(&tree, "asked-1", "REQUESTED", "");
    add_file(&tree, "asked-1", "WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n");
    tree_dist(&tree, SITE, "came-along", "1", "");
    add_file(&tree, "came-along-1", "WHEEL",
             "Tag: cp312-cp312-manylinux_2_28_x86_64\nTag: cp312-cp312-manylinux_2_27_x86_64\n");
    tree_dist(&tree, SITE, "from-git", "1", "");
    add_file(&tree, "from-git-1", "direct_url.json",
             "{\"url\":\"https://tok:x@h/r.git\",\"vcs_info\":{\"vcs\":\"git\"}}");
    tree_dist(&tree, SITE, "mine", "1", "");
    add_file(&tree, "mine-1", "direct_url.json",
             "{\"url\":\"file:///home/u/p\",\"dir_info\":{\"editable\":true}}");
    tree_dist(&tree, SITE, "odd", "1", "");
    add_file(&tree, "odd-1", "direct_url.json", "{\"url\":");
    tree_dist(&tree, SITE, "of-uv", "1", "");
    add_file(&tree, "of-uv-1", "INSTALLER", "uv\n");
    add_file(&tree, "of-uv-1", "REQUESTED", "");
    tree_dist(&tree, SITE, "of-conda", "1", "");
    add_file(&tree, "of-conda-1", "INSTALLER", "conda");
    read_packages(&tree);
    check_text(&tree, ORIGINS,
               "asked index - any 1;came-along index - manylinux_2_27_x86_64 0;"
               "from-git vcs https://h/r.git - 0;mine editable /home/u/p - 0;odd - - - 0;"
               "of-conda - - - -;of-uv index - - -");
    check_text(&tree,
               "SELECT path || ' ' || ifnull(fills, '') FROM probe WHERE status = "
               "'malformed'",
               SITE "/odd-1.dist-info/direct_url.json ");
    tree_done(&tree);
}

/* pip before 20.2 marked nothing: that a mark is missing then says nothing. */
Test(package, without_marks_nobody_was_asked)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, SITE, "a", "1", "");
    tree_dist(&tree, SITE, "b", "1", "");
    read_packages(&tree);
    check_text(&tree, ORIGINS, "a index - - -;b index - - -");
    tree_done(&tree);
}

Test(package, eggs)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/old_style.egg-link", "/src/old\n.");
    tree_text(&tree, "/src/old/old_style.egg-info/PKG-INFO", "Name: old-style\nVersion: 0.3\n\n");
    tree_text(&tree, "/src/old/old_style.egg-info/requires.txt",
              "six>=1.0\n[gpu]\njax[cuda12]>=0.4\n");
    tree_text(&tree, SITE "/six-1.17.0-py3.12.egg/EGG-INFO/PKG-INFO",
              "Name: six\nVersion: 1.17.0\n\n");
    tree_text(&tree, SITE "/zipped-1-py3.12.egg", "PK");
    tree_text(&tree, SITE "/gone.egg-link", "/src/gone\n");
    tree_text(&tree, SITE "/odd.egg-link", "relative\n");
    read_packages(&tree);
    check_text(&tree,
               "SELECT group_concat(name || ' ' || kind || ' ' || ifnull(origin, '-') || ' ' || "
               "ifnull(origin_url, '-') || ' ' || path, ';') FROM package",
               "old-style egg editable /src/old /src/old/old_style.egg-info/PKG-INFO;"
               "six egg - - " SITE "/six-1.17.0-py3.12.egg/EGG-INFO/PKG-INFO");
    check_text(&tree,
               "SELECT group_concat(package || '>' || requires || specifier || '/' || "
               "ifnull(extra, '') || '/' || ifnull(extras, '')) FROM requirement",
               "old-style>six>=1.0//,old-style>jax>=0.4/gpu/cuda12");
    check_text(&tree,
               "SELECT group_concat(status || ' ' || substr(path, 33), ';') FROM probe WHERE "
               "name = 'package' AND status <> 'ok'",
               "malformed gone.egg-link;malformed odd.egg-link;skipped zipped-1-py3.12.egg");
    tree_done(&tree);
}

/* Folders that .pth files add are searched like the site itself; an .egg-link's record counts once,
 * and a folder of another environment is its own. */
Test(package, behind_pth_files)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_text(&tree, SITE "/shared.pth", "/srv/shared\n/o/lib/python3.12/site-packages\n/gone\n");
    tree_text(&tree, SITE "/easy-install.pth", "/src/old\n");
    tree_text(&tree, SITE "/old.egg-link", "/src/old\n.");
    tree_text(&tree, "/src/old/old.egg-info/PKG-INFO", "Name: old\nVersion: 0.3\n\n");
    tree_dist(&tree, SITE, "numpy", "2.0", "");
    tree_dist(&tree, "/srv/shared", "onnxruntime", "1.32.0", "Requires-Dist: numpy>=1.21\n");
    tree_dist(&tree, "/srv/shared", "numpy", "1.26", "");
    tree_text(&tree, "/o/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
    tree_dist(&tree, "/o/lib/python3.12/site-packages", "six", "1.17.0", "");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    check_text(&tree,
               "SELECT group_concat(name || ' ' || version || ' ' || site, ';') FROM package "
               "WHERE environment_id = '/v'",
               "numpy 2.0 " SITE ";old 0.3 " SITE
               ";numpy 1.26 /srv/shared;onnxruntime 1.32.0 /srv/shared");
    check_text(&tree,
               "SELECT package_id || requires FROM package JOIN requirement USING "
               "(environment_id) WHERE name = 'onnxruntime'",
               "/v:/srv/shared/onnxruntime-1.32.0.dist-infonumpy");
    check_text(&tree, "SELECT status FROM probe WHERE name = 'package' AND path = '/srv/shared'",
               "ok");
    tree_done(&tree);
}

Test(package, behind_too_many_pth_lines)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text lines = {0};
    start_venv(&tree);
    for (int i = 0; i < 70; i++) {
        const char *folder = arena_printf(&tree.arena, "/x/p%02d", i);
        tree_dist(&tree, folder, "six", "1.17.0", "");
        text_printf(&lines, "%s\n", folder);
    }
    tree_text(&tree, SITE "/many.pth", lines.data);
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM package WHERE environment_id = '/v'"), 64);
    check_text(&tree, "SELECT status FROM probe WHERE name = 'package' AND path = '/x/p64'",
               "malformed");
    tree_done(&tree);
}

/* Python itself does not start with such a file. */
Test(package, pth_that_is_no_utf8)
{
    struct python_tree tree;
    start_venv(&tree);
    tree_dist(&tree, "/x/p", "six", "1.17.0", "");
    tree_dist(&tree, "/x/e\xff", "attrs", "25.1.0", "");
    tree_text(&tree, SITE "/a.pth", "/x/p\n");
    tree_text(&tree, SITE "/b.pth", "/x/e\xff\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    check_text(&tree, "SELECT group_concat(name) FROM package WHERE site LIKE '/x/%'", "six");
    check_text(&tree, "SELECT status || fills FROM probe WHERE path = '" SITE "/b.pth'",
               "malformedsearch_path startup_code");
    tree_done(&tree);
}

/* --- conda-meta --- */

struct memory {
    const char *data;
    size_t size, at, step;
};

static ssize_t read_memory(void *context, void *buffer, size_t size)
{
    struct memory *memory = context;
    size_t left = memory->size - memory->at;
    size_t take = left < size ? left : size;
    take = take < memory->step ? take : memory->step;
    memcpy(buffer, memory->data + memory->at, take);
    memory->at += take;
    return (ssize_t)take;
}

static int scan(const char *text, size_t step, struct arena *arena, struct conda_meta *ret)
{
    struct memory memory = {text, strlen(text), 0, step};
    return conda_meta_scan(&(struct byte_source){read_memory, &memory}, arena, ret);
}

Test(conda_meta, keys_behind_long_lists)
{
    const char *text =
        "{\"build\":\"py312_0\", \"constrains\": [\"a\\\"]}\"], \"channel\" :\n null,"
        "\"depends\": [\"python >=3.12\", \"x\\u00e9\\ud83d\\ude00\"],"
        "\"files\":[\"a\\\\\",\"b\\\\\\\"\",{\"name\":\"no\",\"v\":[[]]}],"
        "\"link\":{\"name\":\"inner\"},\"n\":-1.5e3,\"t\":true,"
        "\"name\":\"numpy\",\"name\":\"second\",\"version\":\"1.2\"}";
    for (size_t step = 1; step < 40; step++) {
        struct arena arena = {0};
        struct conda_meta found;
        cr_assert_eq(scan(text, step, &arena, &found), 0, "step %zu", step);
        cr_assert_str_eq(found.name, "numpy");
        cr_assert_str_eq(found.version, "1.2");
        cr_assert_str_eq(found.build, "py312_0");
        cr_assert_null(found.channel);
        cr_assert_eq(found.depends.count, 2);
        cr_assert_str_eq(found.depends.items[1], "x\xc3\xa9\xf0\x9f\x98\x80");
        conda_meta_done(&found);
        arena_done(&arena);
    }
}

Test(conda_meta, broken_ones)
{
    static const char *const texts[] = {"",
                                        "[",
                                        "{",
                                        "{}",
                                        "nonsense",
                                        "{\"name\":\"a\"}",
                                        "{\"name\":\"a\",\"version\":\"1",
                                        "{\"name\":\"a\",\"version\":\"1\"",
                                        "{\"name\":\"a\",\"version\":\"1\",\"x\":[",
                                        "{\"name\":1,\"version\":\"1\"}",
                                        "{\"files\":[\"a\",",
                                        "{\"files\":[\"a\\",
                                        "{\"name\" \"a\"}",
                                        "{\"name\":\"a\",\"version\":null}",
                                        "{\"name\":\"\\u0000\",\"version\":\"1\"}",
                                        "{\"name\":\"\\ud800\",\"version\":\"1\"}",
                                        "{\"name\":\"\\x\",\"version\":\"1\"}",
                                        "{\"a\":,\"name\":\"a\",\"version\":\"1\"}",
                                        "{\"name\":\"a\" \"version\":\"1\"}",
                                        "{\"depends\":[1],\"name\":\"a\",\"version\":\"1\"}",
                                        "{\"name\":\"a\nb\",\"version\":\"1\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct conda_meta found;
        cr_assert_eq(scan(texts[i], 7, &arena, &found), -EBADMSG, "%s", texts[i]);
        conda_meta_done(&found);
        arena_done(&arena);
    }
}

Test(conda_meta, nesting_has_an_end)
{
    struct arena arena = {0};
    CLEANUP_TEXT struct text text = {0};
    struct conda_meta found;
    text_add(&text, "{\"files\":");
    for (int i = 0; i < 100000; i++)
        text_add(&text, "[");
    cr_assert_eq(scan(text_get(&text), 4096, &arena, &found), -EBADMSG);
    conda_meta_done(&found);
    arena_done(&arena);
}

Test(conda_meta, channels)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"conda-forge", "conda-forge"},
        {"https://conda.anaconda.org/conda-forge/linux-64", "conda-forge"},
        {"https://conda.anaconda.org/conda-forge/label/dev/noarch", "conda-forge/label/dev"},
        {"https://conda.anaconda.org/nvidia/label/cuda-12.4.0/linux-64",
         "nvidia/label/cuda-12.4.0"},
        {"https://conda.anaconda.org/t/tk-secret/nvidia/label/x/", "nvidia/label/x"},
        {"nvidia/label/a b", NULL},
        {"nvidia/label//linux-64", "nvidia"},
        {"https://conda.anaconda.org/t/tk-secret/nvidia/linux-64/", "nvidia"},
        {"https://user:pass@repo.corp/api/conda/pytorch", "pytorch"},
        {"https://repo.anaconda.com/pkgs/main/linux-64", "defaults"},
        {"pkgs/r", "defaults"},
        {"https://host/t/tk-secret", NULL},
        {"https://host", NULL},
        {"<unknown>", NULL},
        {"", NULL},
        {NULL, NULL},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *channel = conda_channel(cases[i].from, &arena);
        cr_assert(text_equal(channel, cases[i].to), "%s: %s", cases[i].from, channel);
    }
    arena_done(&arena);
}

Test(package, of_conda)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/c/conda-meta/pytorch-2.5.1-cuda126_0.json",
              "{\"build\":\"cuda126_0\",\"channel\":\"https://u:p@conda.anaconda.org/conda-forge\","
              "\"depends\":[\"__cuda\",\"cuda-version >=12.6,<13\",\"python_abi 3.12.* *_cp312\"],"
              "\"files\":[\"lib/x\"],\"name\":\"pytorch\",\"version\":\"2.5.1\"}");
    tree_text(&tree, "/c/conda-meta/cut-1-0.json", "{\"build\": \"0\", \"files\": [\"lib/a");
    tree_text(&tree, "/c/conda-meta/evil-1-0.json",
              "{\"name\": \"e'; rm\", \"version\": \"1\", \"build\": \"0\"}");
    tree_fifo(&tree, "/c/conda-meta/fifo-1-0.json");
    tree_folder(&tree, "/c/conda-meta/folder-1-0.json");
    tree_text(&tree, "/c/conda-meta/history", "==> x <==\n");
    tree_dist(&tree, "/c/lib/python3.12/site-packages", "torch", "2.5.1", "");
    read_packages(&tree);
    check_text(
        &tree,
        "SELECT group_concat(name || '|' || version || '|' || kind || '|' || "
        "ifnull(build, '') || '|' || ifnull(channel, '') || '|' || installer || '|' || site, "
        "';') FROM package",
        "pytorch|2.5.1|conda|cuda126_0|conda-forge|conda|/c;"
        "torch|2.5.1|dist|||pip|/c/lib/python3.12/site-packages");
    check_text(&tree, "SELECT group_concat(requires || '=' || specifier, ';') FROM requirement",
               "__cuda=;cuda-version=>=12.6,<13;python_abi=3.12.* *_cp312");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'package' AND "
                                   "status = 'malformed'"),
                 4);
    tree_done(&tree);
}

Test(package, what_conda_says_beside)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/c/conda-meta/cuda-version-12.6-0.json",
              "{\"constrains\":[\"__cuda >=12\",\"cudatoolkit 12.6|12.6.*\",\"$(x)\","
              "\"pytorch[version='2.5.*',build=*cuda*]\"],\"depends\":[],\"noarch\":\"generic\","
              "\"requested_spec\":\"cuda-version=12.6\",\"name\":\"cuda-version\","
              "\"version\":\"12.6\"}");
    tree_text(&tree, "/c/conda-meta/numpy-1-0.json",
              "{\"name\":\"numpy\",\"version\":\"1\",\"subdir\":\"linux-64\","
              "\"requested_spec\":\"None\"}");
    tree_text(&tree, "/c/conda-meta/old-1-0.json", "{\"name\":\"old\",\"version\":\"1\"}");
    tree_text(&tree, "/c/conda-meta/pixi-1-0.json",
              "{\"name\":\"pixi\",\"version\":\"1\",\"subdir\":\"noarch\","
              "\"requested_specs\":[\"pixi *\"]}");
    tree_text(&tree, "/c/conda-meta/pinned", "# held\nnumpy=1.26 # why\n\npython 3.12.*\n");
    read_packages(&tree);
    check_text(&tree,
               "SELECT group_concat(name || ifnull(requested, '-') || ifnull(noarch, '-'), ' ') "
               "FROM package",
               "cuda-version11 numpy00 old-- pixi11");
    check_text(&tree,
               "SELECT group_concat(package || '>' || constrains || '|' || specifier || '|' || "
               "ifnull(build, '-'), ';') FROM constraint_spec",
               "cuda-version>__cuda|>=12|-;cuda-version>cudatoolkit|12.6|12.6.*|-;"
               "cuda-version>pytorch|2.5.*|*cuda*;pinned>numpy|1.26.*|-;pinned>python|3.12.*|-");
    check_text(&tree,
               "SELECT group_concat(environment_id) FROM (SELECT DISTINCT environment_id "
               "FROM constraint_spec)",
               "/c");
    tree_done(&tree);
}

Test(package, pins_that_are_none)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/c/conda-meta/pinned", "numpy 1.*\n>=\nlost\n");
    tree_fifo(&tree, "/d/conda-meta/pinned");
    read_packages(&tree);
    check_text(&tree,
               "SELECT group_concat(path || ' ' || status) FROM probe WHERE fills = "
               "'constraint_spec'",
               "/c/conda-meta/pinned malformed,/d/conda-meta/pinned malformed");
    tree_done(&tree);
}

Test(package, conda_record_of_many_megabytes)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text text = {0};
    tree_start(&tree, NULL, NULL);
    text_add(&text, "{\"build\":\"0\",\"files\":[\"a\"");
    for (int i = 0; i < 150000; i++)
        text_printf(&text, ",\"lib/python3.12/site-packages/p/module_%d.cpython-312.pyc\"", i);
    text_add(&text, "],\"name\":\"big\",\"version\":\"1\"}");
    tree_text(&tree, "/c/conda-meta/big-1-0.json", text_get(&text));
    /* four gigabytes of nothing: no JSON from the first byte on */
    tree_text(&tree, "/c/conda-meta/hole-1-0.json", "");
    tree_extend(&tree, "/c/conda-meta/hole-1-0.json", (int64_t)4 << 30);
    read_packages(&tree);
    check_text(&tree, "SELECT group_concat(name) FROM package", "big");
    tree_done(&tree);
}
