/* cuda-compat's libcuda: where copies are found, and the note in them. */
#include <criterion/criterion.h>

#include "elf/note.h"
#include "elf_made.h"
#include "elf_write.h"
#include "parse/compat_note.h"
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

TestSuite(probe_compat, .init = start, .fini = finish);

static void put_library(const char *path, const char *note)
{
    struct elf_spec spec = {.class_bits = 64, .soname = "libcuda.so.1", .compat_note = note};
    CLEANUP_TEXT struct text bytes = {0};
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    tree_put_bytes(&tree, path, bytes.data, bytes.length);
}

static void open_and_run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_driver_library);
    facts_add_environment(tree.facts, &(struct row_environment){.environment_id = "/opt/conda",
                                                                .prefix = "/opt/conda",
                                                                .kind = "conda"});
    tree_run(&tree, &probe_compat);
}

static const char note[] =
    "{\"format\":1, \"CUDA version\":\"13.1\", \"driver\":[535,590,535], \"device\":[1,9]}";
#define COMPAT_PROBES \
    "SELECT status, path, error, detail FROM probe WHERE name = 'compat' ORDER BY rowid"

Test(probe_compat, nothing_there)
{
    open_and_run();
    expect_rows(&tree, "SELECT * FROM compat_library", "");
    expect_rows(&tree, COMPAT_PROBES, "absent|~|~|no cuda-compat");
}

/* One below the toolkit, by two links; one of conda, without the soname's link. */
Test(probe_compat, notes)
{
    put_library("/usr/local/cuda-13.1/compat/libcuda.so.590.44.01", note);
    tree_link(&tree, "/usr/local/cuda-13.1/compat/libcuda.so.1", "libcuda.so.590.44.01");
    tree_link(&tree, "/usr/local/cuda", "cuda-13.1");
    put_library("/opt/conda/cuda-compat/libcuda.so.595.45.04",
                "{\"Format\":1,\"CUDA Version\":\"13.2\"}");
    put_library("/opt/conda/cuda-compat/libcudadebugger.so.595.45.04", note);
    open_and_run();
    expect_rows(&tree, "SELECT path, version, cuda, problem FROM compat_library",
                "/usr/local/cuda-13.1/compat/libcuda.so.590.44.01|590.44.01|13.1|~\n"
                "/opt/conda/cuda-compat/libcuda.so.595.45.04|595.45.04|13.2|~");
    expect_rows(&tree, "SELECT note FROM compat_library LIMIT 1", note);
    expect_rows(&tree, "SELECT path, kind, number FROM compat_allowed",
                "/usr/local/cuda-13.1/compat/libcuda.so.590.44.01|driver|535\n"
                "/usr/local/cuda-13.1/compat/libcuda.so.590.44.01|driver|590\n"
                "/usr/local/cuda-13.1/compat/libcuda.so.590.44.01|device|1\n"
                "/usr/local/cuda-13.1/compat/libcuda.so.590.44.01|device|9");
    expect_rows(&tree, COMPAT_PROBES, "ok|~|~|~");
}

Test(probe_compat, without_a_note_and_with_broken_ones)
{
    static const struct {
        const char *folder, *note, *problem;
    } kinds[] = {
        {"a", NULL, "~"},
        {"b", "{\"Format\":2,\"Driver\":[1]}",
         "its compatibility note: it is of another format than 1"},
        {"c", "{\"Format\":1,\"Driver\":535}",
         "its compatibility note: \"driver\" in it is no list, or a list that is too long"},
        {"d", "{\"Format\":1,\"Driver\":[1],\"Device\":[\"x\"]}",
         "its compatibility note: \"device\" in it holds something else than numbers"},
        {"e", "nothing", "its compatibility note holds no JSON"},
        {"f", "{\"Format\":1,\"Driver\":[1}", NULL},
        {"g", "{\"Format\":1,\"\xff\":1}", "its compatibility note is no text"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[100];
        snprintf(path, sizeof path, "/usr/local/cuda-%s/compat/libcuda.so.1", kinds[i].folder);
        put_library(path, kinds[i].note);
    }
    tree_put(&tree, "/usr/local/cuda-h/compat/libcuda.so.1", "");
    tree_put(&tree, "/usr/local/cuda-i/compat/libcuda.so.1", "no library at all, but a text");
    open_and_run();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "SELECT problem FROM compat_library WHERE path = "
                 "'/usr/local/cuda-%s/compat/libcuda.so.1'",
                 kinds[i].folder);
        if (kinds[i].problem)
            expect_rows(&tree, sql, kinds[i].problem);
        else
            cr_expect(strstr(tree_rows(&tree, sql), "its compatibility note: it is no JSON: "));
    }
    expect_rows(&tree, "SELECT count(*) FROM compat_allowed", "0");
    expect_rows(&tree, "SELECT problem FROM compat_library WHERE path LIKE '%cuda-i%'",
                "is no ELF file");
    expect_rows(&tree, "SELECT count(*) FROM compat_library WHERE path LIKE '%cuda-h%'", "0");
    expect_rows(&tree, "SELECT status, count(*) FROM probe WHERE name = 'compat' GROUP BY status",
                "malformed|7\nok|1");
}

Test(probe_compat, a_file_where_a_folder_should_be)
{
    tree_put(&tree, "/opt/conda/cuda-compat", "no folder");
    open_and_run();
    expect_rows(&tree, COMPAT_PROBES, "absent|~|~|no cuda-compat");
}

/* --- the note as the compiler and others may lay it out --- */

static const char layout[] =
    "struct note { unsigned name, text, type; char owner[%d]; char json[%d]; };\n"
    "__attribute__((section(\".note.cuda.fwd_compatibility\"), used, aligned(4)))\n"
    "static const struct note note = {19, %d, 1, \"NVIDIA Corporation\", %s};\n"
    "int use;\n";

static void expect_note(int owner, int json, int size, const char *text, int code,
                        const char *expected)
{
    CLEANUP_TEXT struct text source = {0};
    CLEANUP_BYTES struct bytes found = {0};
    char *root = scratch_new();
    struct elf_opened x;
    text_printf(&source, layout, owner, json, size, text); /* NOLINT: the format is above */
    elf_make(root, "a.so", text_get(&source), "-shared -fPIC");
    cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
    cr_expect_eq(elf_note_cuda_compat(&x.file, &found, &x.err), code, "%s", x.err.text);
    if (code > 0)
        cr_expect_str_eq(found.data, expected);
    else
        cr_expect_str_eq(x.err.text, expected);
    elf_close(&x);
    scratch_remove(root);
}

#define JSON "{\"Format\":1,\"Driver\":[535,550]}"
#define QUOTED "\"{\\\"Format\\\":1,\\\"Driver\\\":[535,550]}\""

Test(elf_note, layouts)
{
    expect_note(20, 31, 31, QUOTED, 1, JSON); /* no NUL behind the text */
    expect_note(20, 32, 32, QUOTED, 1, JSON);
    expect_note(20, 64, 64, QUOTED, 1, JSON); /* padded with NULs */
    expect_note(24, 40, 31, QUOTED, 1, JSON); /* the owner to eight bytes */
    expect_note(19, 40, 31, QUOTED, 1, JSON); /* not at all */
    expect_note(20, 40, 7, QUOTED, 1, JSON);  /* sizes that are wrong */
    expect_note(20, 40, 2000000000, QUOTED, 1, JSON);
    expect_note(20, 40, 4, "\"text\"", -EBADMSG, "its compatibility note holds no JSON");
    expect_note(20, 40, 0, "\"{never closed\"", -EBADMSG, "its compatibility note holds no JSON");
    expect_note(20, 70000, 70000, QUOTED, -EBADMSG,
                "its compatibility note is larger than 65536 bytes");
}

Test(elf_note, none)
{
    CLEANUP_BYTES struct bytes found = {0};
    char *root = scratch_new();
    struct elf_opened x;
    elf_make(root, "a.so", "int use;", "-shared -fPIC");
    cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
    cr_expect_eq(elf_note_cuda_compat(&x.file, &found, &x.err), 0);
    cr_expect_null(found.data);
    elf_close(&x);
    scratch_remove(root);
}

Test(compat_note, known_format)
{
    CLEANUP(arena_done) struct arena arena = {0};
    struct compat_note known;
    struct error err;
    static const char text[] = "{\"Format\":1,\"CUDA Version\":\"newest\",\"Device\":[14,1]}";
    cr_assert_eq(parse_compat_note(text, strlen(text), &arena, &known, &err), 0);
    cr_expect_null(known.cuda, "no version");
    cr_expect_eq(known.drivers.count, 0);
    cr_assert_eq(known.devices.count, 2);
    cr_expect_eq(known.devices.items[0], 14);
    cr_expect_eq(parse_compat_note("[1]", 3, &arena, &known, &err), -EBADMSG);
    cr_expect_str_eq(err.text, "it is no JSON object");
    cr_expect_eq(parse_compat_note("", 0, &arena, &known, &err), -EBADMSG);
}
