/* The tree of what loads, drawn from rows: every shape of them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/image.h"
#include "facts/facts.h"
#include "render/deps.h"

static sqlite3 *db;
static struct facts *facts;
static struct arena arena;
static struct text out;
static struct style style;

static void set_up(void)
{
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    facts = facts_open_lazy(db);
    style = (struct style){.unicode = true, .width = 100};
}

static void tear_down(void)
{
    text_done(&out);
    arena_done(&arena);
    facts_free(facts);
    sqlite3_close(db);
}

TestSuite(deps, .init = set_up, .fini = tear_down);

static void add_process(const char *id, const char *outcome, const char *error, int objects)
{
    facts_add_process(facts, &(struct row_process){.process_id = id,
                                                   .outcome = outcome,
                                                   .error = error,
                                                   .objects = known(objects)});
}

static void add_object(int position, const char *path, const char *by, const char *how,
                       const char *via, const char *family)
{
    const char *slash = strrchr(path, '/');
    facts_add_loaded(facts, &(struct row_loaded){.process_id = "p",
                                                 .position = known(position),
                                                 .path = path,
                                                 .soname = slash ? slash + 1 : path,
                                                 .family = family,
                                                 .loaded_by = by,
                                                 .how = how,
                                                 .via = via});
}

static void add_request(int position, const char *by, const char *name, const char *found,
                        const char *via, int required, const char *error, const char *trail)
{
    facts_add_resolution(facts, &(struct row_resolution){.process_id = "p",
                                                         .position = known(position),
                                                         .needed_by = by,
                                                         .name = name,
                                                         .how = "need",
                                                         .required = known(required),
                                                         .found_path = found,
                                                         .via = via,
                                                         .error = error,
                                                         .trail = trail});
}

static struct deps read_all(void)
{
    struct deps deps;
    struct error err = {0};
    cr_assert_eq(deps_read(facts, "p", &arena, &deps, &err), 0, "%s", err.text);
    cr_assert_eq(facts_failed(facts, &err), 0, "%s", err.text);
    return deps;
}

static const char *drawn(bool all)
{
    struct deps deps = read_all();
    text_clear(&out);
    render_deps(&out, &style, &deps, all);
    return text_get(&out);
}

static const char site[] = "/home/user/venv/lib/python3.12/site-packages";

/* torch with two libraries of its own, libc, and a copy that loses. */
static void add_torch(void)
{
    facts_add_process(facts, &(struct row_process){.process_id = "p",
                                                   .environment_id = "/home/user/venv",
                                                   .framework_id = "f",
                                                   .program = "/home/user/venv/bin/python3.12",
                                                   .library_path = "/opt/cuda/lib64",
                                                   .outcome = "loads",
                                                   .objects = known(5)});
    facts_add_framework(facts, &(struct row_framework){.environment_id = "/home/user/venv",
                                                       .framework_id = "f",
                                                       .name = "torch",
                                                       .title = "PyTorch",
                                                       .version = "2.7.1"});
    add_object(0, "/home/user/venv/bin/python3.12", NULL, "program", NULL, NULL);
    add_object(1, "/lib/x86_64-linux-gnu/libc.so.6", NULL, "need", "cache", NULL);
    add_object(2, "/home/user/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so", NULL,
               "open", "path", "torch");
    add_object(3, "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
               "/home/user/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so", "need",
               "RPATH", "cublas");
    add_object(4, "/opt/cuda/lib64/libcublasLt.so.12",
               "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
               "need", "LD_LIBRARY_PATH", "cublas");
    add_request(0, NULL, "libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6", "cache", 1, NULL, NULL);
    add_request(1, "/home/user/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so",
                "libcublas.so.12",
                "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
                "RPATH", 1, NULL, NULL);
    add_request(2, "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
                "libcublasLt.so.12", "/opt/cuda/lib64/libcublasLt.so.12", "LD_LIBRARY_PATH", 1,
                NULL, NULL);
    add_request(3, "/home/user/venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so",
                "libcublasLt.so.12", "/opt/cuda/lib64/libcublasLt.so.12", "loaded", 1, NULL, NULL);
    facts_add_library(
        facts,
        &(struct row_library){
            .path =
                "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
            .real_path =
                "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12",
            .literal_version = "12.6.4",
            .inside = known(1)});
    facts_add_shadowed(
        facts,
        &(struct row_shadowed){
            .process_id = "p",
            .name = "libcublasLt.so.12",
            .path =
                "/home/user/venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublasLt.so.12",
            .via = "RUNPATH",
            .winner = "/opt/cuda/lib64/libcublasLt.so.12",
            .winner_via = "LD_LIBRARY_PATH",
            .winner_list = "/opt/cuda/lib64",
            .family = "cublas"});
    facts_add_shadowed(facts, &(struct row_shadowed){.process_id = "p",
                                                     .name = "libz.so.1",
                                                     .path = "/usr/lib/libz.so.1",
                                                     .winner = "/lib/libz.so.1"});
}

Test(deps, a_framework_is_drawn_by_who_brings_whom)
{
    add_torch();
    cr_expect_str_eq(
        drawn(false),
        "✓ torch 2.7.1 in /home/user/venv loads, 5 objects in all\n"
        "  with LD_LIBRARY_PATH=/opt/cuda/lib64\n"
        "  paths without / in front are below /home/user/venv/lib/python3.12/site-packages\n"
        "\n"
        "python3.12  /home/user/venv/bin/  [program]\n"
        "└─ libtorch_cuda.so  torch/lib/  [opened]\n"
        "   └─ libcublas.so.12 12.6.4  nvidia/cublas/lib/  [RPATH]\n"
        "      └─ libcublasLt.so.12  /opt/cuda/lib64/  [LD_LIBRARY_PATH, needed by 2]\n"
        "and 1 system library: libc.so.6 (--all shows it)\n"
        "\n"
        "Shadowed (found later, not loaded):\n"
        "  ! libcublasLt.so.12: loaded is /opt/cuda/lib64/libcublasLt.so.12 (LD_LIBRARY_PATH)\n"
        "      not nvidia/cublas/lib/libcublasLt.so.12 (RUNPATH)\n"
        "  and 1 more of other libraries (--all shows them)\n",
        "%s", text_get(&out));
}

Test(deps, all_shows_system_libraries_and_later_requests)
{
    add_torch();
    const char *text = drawn(true);
    cr_expect(strstr(text, "\n├─ libc.so.6  /lib/x86_64-linux-gnu/  [cache]\n"), "%s", text);
    cr_expect(strstr(text, "   │  └─ libcublasLt.so.12  /opt/cuda/lib64/"), "%s", text);
    cr_expect(strstr(text, "   └─ libcublasLt.so.12  [is there already]\n"), "%s", text);
    cr_expect(strstr(text, "libz.so.1: loaded is /lib/libz.so.1\n"), "%s", text);
    cr_expect_null(strstr(text, "system librar"));
}

Test(deps, ascii_where_the_locale_has_no_more)
{
    add_torch();
    style.unicode = false;
    const char *text = drawn(true);
    cr_expect(strstr(text, "\n|- libc.so.6"), "%s", text);
    cr_expect(strstr(text, "\n`- libtorch_cuda.so"), "%s", text);
    for (const char *c = text; *c; c++)
        cr_assert((unsigned char)*c < 0x80, "%s", text);
}

Test(deps, colours_change_nothing_else)
{
    add_torch();
    CLEANUP_TEXT struct text plain = {0}, bare = {0};
    text_add(&plain, drawn(false));
    style.colour = true;
    for (const char *c = drawn(false); *c;) {
        size_t n = strcspn(c, "\033");
        text_add_bytes(&bare, c, n);
        c += n;
        c += *c ? strcspn(c, "m") + 1 : 0;
    }
    cr_expect_str_eq(text_get(&bare), text_get(&plain));
    cr_expect(strchr(text_get(&out), '\033'));
}

Test(deps, narrow_terminals_have_the_place_on_a_line_of_its_own)
{
    add_torch();
    style.width = 40;
    const char *text = drawn(false);
    cr_expect(strstr(text, "   └─ libcublas.so.12 12.6.4  [RPATH]\n"
                           "      │   nvidia/cublas/lib/\n"),
              "%s", text);
}

Test(deps, missing_says_who_needs_it_and_where_it_was_looked_for)
{
    add_process("p", "fails",
                "libcublas.so.12: cannot open shared object file: No such file or directory", 1);
    add_object(0, "/opt/app/libapp.so", NULL, "open", "path", NULL);
    add_request(0, "/opt/app/libapp.so", "libcublas.so.12", NULL, NULL, 1,
                "libcublas.so.12: cannot open shared object file: No such file or directory",
                "RUNPATH: /opt/app/lib/libcublas.so.12: not there\n"
                "RUNPATH: /opt/app/lib/libcublas.so.12: not there\n"
                "default folder: /lib/libcublas.so.12: not there");
    add_request(1, "/opt/app/libapp.so", "libcublas.so.12", NULL, NULL, 1, NULL, NULL);
    add_request(2, "/opt/app/libapp.so", "libnccl.so.2", NULL, NULL, 0, "no", "RUNPATH: x");
    cr_expect_str_eq(
        drawn(false),
        "✗ p does not load: libcublas.so.12: cannot open shared object file: No such file or "
        "directory\n"
        "\n"
        "libapp.so  /opt/app/  [opened]\n"
        "└─ libcublas.so.12  [not found]\n" /* asked for twice, told once */
        "\n"
        "Missing:\n"
        "  ✗ libcublas.so.12, needed by /opt/app/libapp.so\n"
        "      looked for in\n"
        "        RUNPATH: /opt/app/lib/libcublas.so.12: not there\n"
        "        default folder: /lib/libcublas.so.12: not there\n"
        "  i libnccl.so.2, needed by /opt/app/libapp.so; it does without\n",
        "%s", text_get(&out));
    cr_expect(strstr(drawn(true), "        RUNPATH: x\n"));
    struct deps deps = read_all();
    cr_expect(deps_is_broken(&deps));
}

/* The loader takes out again what came with a dlopen() that failed: no row in `loaded`. */
Test(deps, what_was_found_for_nothing_is_drawn_too)
{
    add_process("p", "fails", "libc.so.9: gone", 0);
    facts_add_resolution(facts, &(struct row_resolution){.process_id = "p",
                                                         .position = known(0),
                                                         .name = "/a/liba.so",
                                                         .how = "open",
                                                         .required = known(1),
                                                         .error = "libc.so.9: gone"});
    add_request(1, "/a/liba.so", "libb.so", "/a/libb.so", "RUNPATH", 1, NULL, NULL);
    add_request(2, "/a/liba.so", "libd.so", "/a/libd.so", "RUNPATH", 1, NULL, NULL);
    add_request(3, "/a/libb.so", "libc.so.9", NULL, NULL, 1, "libc.so.9: gone", NULL);
    add_request(4, "/a/libd.so", "libb.so", "/a/libb.so", "loaded", 1, NULL, NULL);
    const char *text = drawn(false);
    cr_expect(strstr(text, "liba.so  /a/  [opened, not loaded in the end]\n"
                           "├─ libb.so  /a/  [RUNPATH, not loaded in the end, needed by 2]\n"
                           "│  └─ libc.so.9  [not found]\n"
                           "└─ libd.so  /a/  [RUNPATH, not loaded in the end]\n"
                           "\n"
                           "Missing:\n"
                           "  ✗ libc.so.9, needed by /a/libb.so\n"),
              "%s", text);
    cr_expect_null(strstr(text, "✗ /a/liba.so"), "it is there: %s", text);
    struct deps deps = read_all();
    json_t *document = render_deps_json(&deps);
    cr_expect_eq(json_array_size(json_object_get(document, "objects")), 0U);
    cr_expect_eq(json_array_size(json_object_get(document, "requests")), 5U);
    cr_expect_eq(json_array_size(json_object_get(document, "missing")), 1U);
    json_decref(document);
}

Test(deps, long_trails_are_cut)
{
    CLEANUP_TEXT struct text trail = {0};
    for (int i = 0; i < 50; i++)
        text_printf(&trail, "%sRPATH: /a/%d/x.so: not there", i ? "\n" : "", i);
    add_process("p", "fails", "x", 0);
    add_request(0, NULL, "x.so", NULL, NULL, 1, "x", text_get(&trail));
    const char *text = drawn(false);
    cr_expect(strstr(text, "x.so, needed by the program\n"), "%s", text);
    cr_expect(strstr(text, "/a/11/x.so: not there\n        and 38 more (--all shows them)\n"));
    cr_expect(strstr(drawn(true), "/a/49/x.so: not there\n"));
}

Test(deps, symbols_are_told_by_provider)
{
    add_process("p", "loads", NULL, 2);
    for (int i = 0; i < 8; i++) {
        char symbol[40];
        snprintf(symbol, sizeof symbol, "__nvJitLinkAddData_12_%d", i);
        facts_add_missing_symbol(facts,
                                 &(struct row_missing_symbol){.process_id = "p",
                                                              .path = "/a/libcusparse.so.12",
                                                              .symbol = symbol,
                                                              .version = "libnvJitLink.so.12",
                                                              .provider = "/b/libnvJitLink.so.12",
                                                              .fatal = known(1)});
    }
    facts_add_missing_symbol(facts, &(struct row_missing_symbol){.process_id = "p",
                                                                 .path = "/a/libcusparse.so.12",
                                                                 .version = "GLIBC_2.38",
                                                                 .fatal = known(0)});
    const char *text = drawn(false);
    cr_expect(strstr(text, "✗ p loads, 2 objects in all, but 9 symbols that it needs are not "
                           "there\n"),
              "%s", text);
    cr_expect(strstr(text, "  ✗ /a/libcusparse.so.12 needs of /b/libnvJitLink.so.12\n"
                           "      __nvJitLinkAddData_12_0, version libnvJitLink.so.12 (loading "
                           "fails)\n"),
              "%s", text);
    cr_expect(strstr(text, "_12_4, version libnvJitLink.so.12 (loading fails)\n"
                           "      and 3 more (--all shows them)\n"
                           "  ! /a/libcusparse.so.12 needs of any library that is loaded\n"
                           "      version GLIBC_2.38 (its first call fails)\n"),
              "%s", text);
    struct deps deps = read_all();
    cr_expect(deps_is_broken(&deps));
}

Test(deps, circles_come_to_an_end)
{
    add_process("p", "loads", NULL, 3);
    add_object(0, "/a", "/b", "need", "RPATH", "x");
    add_object(1, "/b", "/a", "need", "RPATH", "x");
    add_object(2, "/c", "/c", "need", "RPATH", "x");
    add_object(3, "/d", "/nobody", "need", "RPATH", "x");
    add_object(4, "/a", "/b", "need", "RPATH", "x"); /* twice */
    add_request(0, "/a", "b", "/b", "RPATH", 1, NULL, NULL);
    add_request(1, "/b", "a", "/a", "loaded", 1, NULL, NULL);
    const char *text = drawn(true);
    cr_expect(strstr(text, "a  /  [RPATH]\n└─ b  /  [RPATH]\n   └─ a  /  [RPATH]\n"), "%s", text);
    cr_expect(strstr(text, "\nc  /"), "%s", text);
    cr_expect(strstr(text, "\nd  /"), "%s", text);
}

Test(deps, a_chain_of_thousands_is_drawn)
{
    enum { LENGTH = 3000 };
    char path[64], by[64] = "";
    add_process("p", "loads", NULL, LENGTH);
    for (int i = 0; i < LENGTH; i++) {
        snprintf(path, sizeof path, "/deep/lib%d.so", i);
        add_object(i, path, *by ? by : NULL, "need", "RUNPATH", "x");
        memcpy(by, path, sizeof by);
    }
    const char *text = drawn(false);
    size_t lines = 0, longest = 0, length = 0;
    for (const char *c = text; *c; c++) {
        length = *c == '\n' ? 0 : length + 1;
        longest = length > longest ? length : longest;
        lines += *c == '\n' ? 1 : 0;
    }
    cr_expect_gt(lines, (size_t)LENGTH);
    cr_expect_lt(longest, (size_t)400);
    cr_expect(strstr(text, "lib2999.so"));
    cr_expect(strstr(text, "\n+2983 "), "depth is told as a number");
}

Test(deps, nothing_of_a_row_steers_the_terminal)
{
    static const char evil[] = "/x/\033[2J\nlib\xff\xe2\x80\xae.so";
    facts_add_process(facts, &(struct row_process){.process_id = "p",
                                                   .library_path = evil,
                                                   .preload = evil,
                                                   .outcome = "fails",
                                                   .error = evil});
    add_object(0, evil, NULL, "open", evil, evil);
    add_request(0, evil, evil, NULL, evil, 1, evil, evil);
    add_request(1, evil, evil, evil, evil, 1, evil, evil);
    add_request(2, evil, evil, evil, evil, 1, evil, evil);
    facts_add_shadowed(facts, &(struct row_shadowed){.process_id = "p",
                                                     .name = evil,
                                                     .path = evil,
                                                     .via = evil,
                                                     .winner = evil,
                                                     .winner_via = evil,
                                                     .winner_list = evil,
                                                     .family = evil});
    facts_add_missing_symbol(
        facts,
        &(struct row_missing_symbol){
            .process_id = "p", .path = evil, .symbol = evil, .version = evil, .provider = evil});
    facts_add_probe(facts,
                    &(struct row_probe){
                        .name = "library", .status = "malformed", .path = evil, .detail = evil});
    for (int unicode = 0; unicode < 2; unicode++)
        for (size_t width = 0; width < 120; width += 30) {
            style.unicode = unicode;
            style.width = width;
            const char *text = drawn(true);
            cr_expect_null(strchr(text, '\033'), "%s", text);
            cr_expect_null(strstr(text, "\nlib"), "%s", text);
            cr_expect_null(strstr(text, "\xe2\x80\xae"), "%s", text);
        }
    struct deps deps = read_all();
    json_t *document = render_deps_json(&deps);
    char *json = json_dumps(document, JSON_ENSURE_ASCII);
    cr_assert_not_null(json);
    cr_expect_null(strchr(json, '\033'));
    free(json);
    json_decref(document);
}

Test(deps, outcomes)
{
    static const struct {
        const char *outcome, *error, *line;
    } cases[] = {
        {"nothing", NULL, "! p: none of its libraries is there\n"},
        {"unknown", "musl", "? p: whether it loads is not known: musl\n"},
        {NULL, NULL, "? p: whether it loads is not known\n"},
        {"fails", NULL, "✗ p does not load: what it needs is missing or does not fit\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        facts_clear(facts, TABLE_process, NULL);
        facts_add_process(facts, &(struct row_process){.process_id = "p",
                                                       .outcome = cases[i].outcome,
                                                       .error = cases[i].error});
        cr_expect_str_eq(drawn(false), cases[i].line);
    }
}

Test(deps, there_may_be_no_such_process)
{
    struct deps deps;
    struct error err = {0};
    cr_expect_eq(deps_read(facts, "p", &arena, &deps, &err), -ENOENT);
    cr_expect_str_eq(err.text, "no process p");
}

Test(deps, json_has_every_key)
{
    add_torch();
    add_request(9, NULL, "libx.so", NULL, NULL, 1, "gone", "a\nb");
    struct deps deps = read_all();
    json_t *d = render_deps_json(&deps);
    static const char *const keys[] = {"schema",  "process",  "elsewhere", "objects", "requests",
                                       "missing", "shadowed", "symbols",   "unread"};
    cr_expect_eq(json_object_size(d), sizeof keys / sizeof *keys);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        cr_expect(json_object_get(d, keys[i]), "%s", keys[i]);
    const json_t *process = json_object_get(d, "process"), *missing = json_object_get(d, "missing");
    cr_expect_str_eq(json_string_value(json_object_get(process, "framework")), "torch");
    cr_expect_eq(json_integer_value(json_object_get(process, "objects")), 5);
    cr_expect(json_is_null(json_object_get(process, "preload")));
    cr_assert_eq(json_array_size(missing), 1U);
    const json_t *trail = json_object_get(json_array_get(missing, 0), "trail");
    cr_expect_eq(json_array_size(trail), 2U);
    cr_expect_str_eq(json_string_value(json_array_get(trail, 1)), "b");
    const json_t *cublas = json_array_get(json_object_get(d, "objects"), 3);
    cr_expect_str_eq(json_string_value(json_object_get(cublas, "version")), "12.6.4");
    cr_expect_str_eq(json_string_value(json_object_get(cublas, "via")), "RPATH");
    cr_expect(text_starts(json_string_value(json_object_get(cublas, "path")), site));
    json_decref(d);
}

/* --- the engine that has no rules --- */

Test(bare_engine, knows_descriptors_and_makes_tables_when_asked)
{
    struct engine *engine;
    struct error err = {0};
    const struct descriptor *list;
    size_t size = (size_t)(gd_descriptors_end - gd_descriptors);
    cr_assert_eq(engine_open_bare(gd_descriptors, size, &engine, &err), 0, "%s", err.text);
    cr_expect_gt(engine_descriptors(engine, &list), 20U);
    cr_expect(strstr(list[0].file, ".json") && list[0].json[0] == '{');
    cr_expect(engine_knows_framework(engine, "torch"));
    cr_expect_not(engine_knows_framework(engine, "torc"));
    cr_expect_not(engine_knows_framework(engine, "torch.json"));
    cr_expect_not(engine_knows_framework(engine, "cudnn"), "a library is no framework");
    static const char *const called[][2] = {
        {"torch", "torch"},
        {"PyTorch", "torch"},
        {"flash_attn", "flash-attn"},
        {"ONNX Runtime", "onnxruntime"},
        {"onnxruntime_gpu", "onnxruntime"},
        {"jaxlib", "jax"},
        {"tensorflow-cpu", "tensorflow"},
        {"cupy-cuda12x", "cupy"},
        {"torc", NULL},
        {"", NULL},
        {"cudnn", NULL},
        {"libcudnn.so.9", NULL},
    };
    struct arena names = {0};
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        const char *name = engine_framework_called(engine, called[i][0], &names);
        cr_expect(text_equal(name, called[i][1]), "%s: %s", called[i][0], name ? name : "none");
    }
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    cr_expect_null(engine_framework_called(engine, long_name, &names));
    cr_expect_null(engine_framework_meant(engine, long_name, &names));
    cr_expect_str_eq(engine_framework_meant(engine, "paddle", &names), "paddlepaddle");
    cr_expect_null(engine_framework_meant(engine, "to", &names));
    arena_done(&names);
    struct facts *rows = engine_facts(engine);
    sqlite3_stmt *query =
        facts_query(rows, "SELECT count(*) FROM gpu g LEFT JOIN framework f ON f.name = g.name");
    cr_assert_not_null(query);
    cr_expect_eq(sqlite3_step(query), SQLITE_ROW);
    cr_expect_eq(sqlite3_column_int(query, 0), 0);
    sqlite3_finalize(query);
    cr_expect_eq(facts_clear(rows, TABLE_setting, &err), 0);
    facts_add_gpu(rows, &(struct row_gpu){.name = "x"});
    cr_expect_eq(facts_failed(rows, &err), 0, "%s", err.text);
    cr_expect_null(facts_query(rows, "SELECT 1 FROM no_such_table"));
    cr_expect_lt(facts_failed(rows, &err), 0);
    engine_free(engine);
}

Test(bare_engine, refuses_what_is_cut)
{
    static const char *const bad[] = {"frameworks/a.json", "frameworks/a.json\0{}", "x\0"};
    static const size_t sizes[] = {17, 20, 2};
    for (size_t i = 0; i < 3; i++) {
        struct engine *engine;
        struct error err = {0};
        cr_expect_lt(engine_open_bare(bad[i], sizes[i], &engine, &err), 0, "%zu", i);
    }
}
