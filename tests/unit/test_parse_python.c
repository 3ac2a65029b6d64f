/* The formats around Python environments: .pth, shebang, kernel.json, conda's history, mounts. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/text.h"
#include "parse/conda_history.h"
#include "parse/kernel_json.h"
#include "parse/mount_points.h"
#include "parse/patchlevel.h"
#include "parse/pth.h"
#include "parse/shebang.h"

/* --- .pth --- */

Test(pth, folders_and_code)
{
    struct arena arena = {0};
    struct pth pth;
    const char text[] = "\xef\xbb\xbf# comment\n/a/src\n\n  \nimport os; x\n../b \r\nimportant\n";
    pth_parse(text, sizeof text - 1, &arena, &pth);
    cr_assert_eq(pth.count, 4);
    cr_assert_str_eq(pth.items[0].text, "/a/src");
    cr_assert(pth.items[1].is_code);
    cr_assert_str_eq(pth.items[1].text, "import os; x");
    cr_assert_str_eq(pth.items[2].text, "../b");
    cr_assert_not(pth.items[3].is_code);
    pth_done(&pth);
    arena_done(&arena);
}

Test(pth, long_and_hostile)
{
    struct arena arena = {0};
    struct pth pth;
    CLEANUP_TEXT struct text text = {0};
    text_add(&text, "/a\x1b[1m\nimport ");
    for (int i = 0; i < 300; i++)
        text_add(&text, "\xc3\xa9");
    for (int i = 0; i < 2000; i++)
        text_add(&text, "\n/x");
    pth_parse(text.data, text.length, &arena, &pth);
    cr_assert_eq(pth.count, PTH_LINES_MAX);
    cr_assert(pth.is_cut);
    cr_assert(pth.items[0].is_code);
    cr_assert_eq(strlen(pth.items[0].text), 199); /* no half character */
    cr_assert(utf8_valid(pth.items[0].text, 199));
    pth_done(&pth);
    arena_done(&arena);
}

Test(pth, owners_of_code)
{
    struct arena arena = {0};
    cr_expect_str_eq(pth_package("distutils-precedence.pth", &arena), "setuptools");
    cr_expect_str_eq(pth_package("_numba_cuda_redirector.pth", &arena), "numba-cuda");
    cr_expect_str_eq(pth_package("__editable__.my_pkg-0.1.0.pth", &arena), "my-pkg");
    cr_expect_str_eq(pth_package("sphinxcontrib_x-1.0-py3.8-nspkg.pth", &arena), "sphinxcontrib-x");
    cr_expect_null(pth_package("other.pth", &arena));
    arena_done(&arena);
}

/* --- shebang --- */

static const char *shebang(const char *text, struct arena *arena)
{
    struct shebang found;
    if (!shebang_parse(text, strlen(text), arena, &found))
        return "none";
    return arena_printf(arena, "%s%s%s", found.program, found.is_on_path ? " on path" : "",
                        found.is_beside ? " beside" : "");
}

Test(shebang, forms)
{
    struct arena arena = {0};
    cr_expect_str_eq(shebang("#!/v/bin/python3 -I\n", &arena), "/v/bin/python3");
    cr_expect_str_eq(shebang("#! /usr/bin/env python3\n", &arena), "python3 on path");
    cr_expect_str_eq(shebang("#!/usr/bin/env -S A=1 python3 -I\n", &arena), "python3 on path");
    cr_expect_str_eq(shebang("#!/bin/sh\n'''exec' /long/bin/python \"$0\" \"$@\"\n' '''\n", &arena),
                     "/long/bin/python");
    cr_expect_str_eq(shebang("#!/bin/sh\n'''exec' \"/a b/bin/python\" \"$0\" \"$@\"\n", &arena),
                     "/a b/bin/python");
    cr_expect_str_eq(shebang("#!/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/"
                             "'python' \"$0\" \"$@\"\n",
                             &arena),
                     "python beside");
    cr_expect_str_eq(shebang("#!/bin/sh\nexec something\n", &arena), "/bin/sh");
    arena_done(&arena);
}

Test(shebang, none)
{
    struct arena arena = {0};
    cr_expect_str_eq(shebang("", &arena), "none");
    cr_expect_str_eq(shebang("\177ELF", &arena), "none");
    cr_expect_str_eq(shebang("#!\n", &arena), "none");
    cr_expect_str_eq(shebang("#!python\n", &arena), "none");
    cr_expect_str_eq(shebang("#!/a\x1b[1m\n", &arena), "none");
    cr_expect_str_eq(shebang("#!/usr/bin/env\n", &arena), "none");
    arena_done(&arena);
}

/* --- kernel.json --- */

static const char *kernel(const char *argv, struct arena *arena)
{
    static const char *const names[] = {"unknown", "python", "name", "lookup", "env", "prefix"};
    struct kernel_json found;
    char *text = arena_printf(arena, "{\"argv\": %s, \"display_name\": \"D\"}", argv);
    if (!kernel_json_parse(text, strlen(text), arena, &found))
        return "none";
    return arena_printf(arena, "%s %s", names[found.start], found.target ? found.target : "-");
}

Test(kernel_json, commands)
{
    struct arena arena = {0};
    cr_expect_str_eq(kernel("[\"/v/bin/python\", \"-m\", \"ipykernel_launcher\"]", &arena),
                     "python /v/bin/python");
    cr_expect_str_eq(kernel("[\"python3\", \"-m\", \"x\"]", &arena), "name python3");
    cr_expect_str_eq(kernel("[\"/usr/bin/env\", \"A=1\", \"python3\"]", &arena), "lookup python3");
    cr_expect_str_eq(kernel("[\"conda\", \"run\", \"-n\", \"ml\", \"python\"]", &arena), "env ml");
    cr_expect_str_eq(kernel("[\"/o/bin/micromamba\", \"run\", \"-p\", \"/e/ml\"]", &arena),
                     "prefix /e/ml");
    cr_expect_str_eq(
        kernel("[\"bash\", \"-c\", \"source activate ml && exec python -m x\"]", &arena), "env ml");
    cr_expect_str_eq(kernel("[\"bash\", \"-lc\", \". /v/bin/activate; exec python\"]", &arena),
                     "prefix /v");
    cr_expect_str_eq(kernel("[\"bash\", \"-c\", \". /v/bin/activate && exec python\"]", &arena),
                     "prefix /v");
    cr_expect_str_eq(kernel("[\"bash\", \"-c\", \". /o/bin/activate ml && python\"]", &arena),
                     "env ml");
    cr_expect_str_eq(
        kernel("[\"sh\", \"-c\", \"module load x; exec '/v/bin/python' -m x\"]", &arena),
        "python /v/bin/python");
    arena_done(&arena);
}

Test(kernel_json, hostile)
{
    struct arena arena = {0};
    struct kernel_json found;
    cr_expect_str_eq(kernel("[]", &arena), "unknown -");
    cr_expect_str_eq(kernel("[1, \"python\"]", &arena), "unknown -");
    cr_expect_str_eq(kernel("\"python\"", &arena), "none");
    cr_expect_str_eq(kernel("[\"bash\", \"-c\"]", &arena), "unknown -");
    cr_expect_str_eq(kernel("[\"conda\", \"run\", \"-n\"]", &arena), "unknown -");
    cr_expect_str_eq(kernel("[\"/usr/bin/env\", \"env\", \"env\"]", &arena), "unknown -");
    cr_expect_str_eq(kernel("[\"/v\\u001b/bin/python\"]", &arena), "unknown -");
    cr_expect_not(kernel_json_parse("{\"argv\": [", 10, &arena, &found));
    arena_done(&arena);
}

/* --- conda-meta/history, conda-meta/pixi --- */

Test(conda_history, programs)
{
    struct arena arena = {0};
    struct conda_history found;
    const char conda[] = "==> 2024-01-02 00:00:00 <==\n# cmd: /opt/conda/bin/conda create -n x\n"
                         "# conda version: 24.1.2\n# cmd: mamba install y\n";
    conda_history_parse(conda, sizeof conda - 1, &arena, &found);
    cr_expect_str_eq(found.program, "conda");
    cr_expect_str_eq(found.version, "24.1.2");
    const char bad[] = "# cmd: /x/\x1b[1m\n# conda version: 1;2\n";
    conda_history_parse(bad, sizeof bad - 1, &arena, &found);
    cr_expect_null(found.program);
    cr_expect_null(found.version);
    arena_done(&arena);
}

Test(conda_history, pixi)
{
    struct arena arena = {0};
    struct pixi_mark mark;
    const char text[] = "{\"manifest_path\": \"/p/pixi.toml\", \"environment_name\": \"gpu\", "
                        "\"pixi_version\": \"0.40.0\"}";
    pixi_mark_parse(text, sizeof text - 1, &arena, &mark);
    cr_expect_str_eq(mark.manifest, "/p/pixi.toml");
    cr_expect_str_eq(mark.environment, "gpu");
    cr_expect_str_eq(mark.version, "0.40.0");
    pixi_mark_parse("{", 1, &arena, &mark);
    cr_expect_null(mark.version);
    arena_done(&arena);
}

/* --- mounts --- */

Test(mount_points, longest_and_last_wins)
{
    struct arena arena = {0};
    struct mount_points points;
    const char text[] = "22 1 259:2 / / rw shared:1 - ext4 /dev/a rw\n"
                        "30 22 0:40 / /home rw shared:9 - autofs systemd-1 rw\n"
                        "31 30 0:41 / /home/u rw - nfs4 server:/export rw\n"
                        "32 22 0:50 / /mnt/a\\040b ro - fuse.sshfs u@h: rw\n"
                        "33 22 0:51 / /auto rw - autofs x rw\n"
                        "34 33 0:52 / /auto rw - ext4 /dev/b rw\n"
                        "cut 22 0:52\n";
    mount_points_parse(text, sizeof text - 1, &arena, &points);
    cr_assert_eq(points.count, 6);
    cr_assert(points.has_remote);
    cr_expect_eq(mount_points_find(&points, "/homes")->reach, MOUNT_LOCAL);
    cr_expect_eq(mount_points_find(&points, "/home")->reach, MOUNT_AUTOMOUNT);
    cr_expect_eq(mount_points_find(&points, "/home/other")->reach, MOUNT_AUTOMOUNT);
    cr_expect_eq(mount_points_find(&points, "/home/u/x")->reach, MOUNT_NETWORK);
    cr_expect(mount_points_find(&points, "/mnt/a b/c")->is_readonly);
    cr_expect_eq(mount_points_find(&points, "/auto/x")->reach, MOUNT_LOCAL);
    mount_points_done(&points);
    arena_done(&arena);
}

Test(mount_points, types)
{
    cr_expect_eq(mount_reach_of("9p", "rw,aname=drvfs;path=C:", "C:\\"), MOUNT_LOCAL);
    cr_expect_eq(mount_reach_of("9p", "rw,trans=virtio", "share"), MOUNT_NETWORK);
    cr_expect_eq(mount_reach_of("fuse.sshfs", "", "u@h:"), MOUNT_NETWORK);
    cr_expect_eq(mount_reach_of("fuse.glusterfs", "", "h:/v"), MOUNT_NETWORK);
    cr_expect_eq(mount_reach_of("glusterfs", "", "h:/v"), MOUNT_NETWORK);
    cr_expect_eq(mount_reach_of("fuse.something", "", "x"), MOUNT_UNKNOWN);
    cr_expect_eq(mount_reach_of("fuse.squashfuse_ll", "", "x"), MOUNT_LOCAL);
    cr_expect_eq(mount_reach_of("fuse.fuse-overlayfs", "", "x"), MOUNT_LOCAL);
    cr_expect_eq(mount_reach_of("lustre", "", "x"), MOUNT_NETWORK);
    cr_expect_eq(mount_reach_of("overlay", "", "x"), MOUNT_LOCAL);
}

/* --- versions of Pythons --- */

Test(patchlevel, forms)
{
    static const char *const texts[][2] = {
        {"/* x */\n#define PY_VERSION              \"3.11.2\"\n", "3.11.2"},
        {"#define PY_VERSION_HEX 1\n#define PY_VERSION\t\"3.14.0rc1+\"\r\n", "3.14.0"},
        {"#define PY_VERSION \"3.1", NULL},
        {"#define PY_VERSION 3.11.2\n", NULL},
        {"#define PY_VERSION \"3.11.99999\"", "3.11.9999"},
        {"\xff\xfe", NULL},
        {"", NULL},
    };
    static const char *const names[][2] = {
        {"3.11.2", "3.11.2"},
        {"cpython-3.12.8-linux-x86_64-gnu", "3.12.8"},
        {"cpython-3.13.1+freethreaded-linux-x86_64-gnu", "3.13.1"},
        {"cpython-3.12-linux-x86_64-gnu", NULL},
        {"3.11.2-debug", NULL},
        {"pypy3.10-7.3.17", NULL},
        {"3.11", NULL},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(
            text_equal(patchlevel_version(texts[i][0], strlen(texts[i][0]), &arena), texts[i][1]),
            "%s", texts[i][0]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect(text_equal(patchlevel_of_name(names[i][0], &arena), names[i][1]), "%s",
                  names[i][0]);
    arena_done(&arena);
}
