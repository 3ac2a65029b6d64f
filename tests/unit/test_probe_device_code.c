/* The probe of device code: which files it searches, what it says of them, each file once. */
#include <elf.h>

#include "probe_tree.h"

#include "elf_write.h"
#include "fatbin_write.h"

extern const struct probe probe_device_code;

static const struct descriptor descriptors[] = {
    {"frameworks/torch.json",
     "{\"schema\": 1, \"name\": \"torch\", \"title\": \"PyTorch\", \"device\": "
     "[\"torch/lib/libtorch_cuda.so\", \"torch/lib/only_{cuda_major}*.so\"]}"},
    {"frameworks/fa.json", "{\"schema\": 1, \"name\": \"fa\", \"title\": \"FA\", \"device\": "
                           "[\"./fa_*.so\"]}"},
    {"frameworks/none.json", "{\"schema\": 1, \"name\": \"none\", \"title\": \"None\"}"},
    {"frameworks/bad.json",
     "{\"schema\": 1, \"name\": \"bad\", \"title\": \"Bad\", \"device\": [\"../x.so\"]}"},
};

static const struct fatbin_entry entries[] = {
    {.kind = FATBIN_CUBIN, .sm = 90},
    {.kind = FATBIN_CUBIN, .sm = 90, .suffix = 'a'},
    {.kind = FATBIN_PTX, .sm = 120, .isa_major = 8, .isa_minor = 7},
};

static void start(struct probe_tree *tree)
{
    tree_start(tree);
    tree_put(tree, "/.record/partial", "");
}

static void open_tree(struct probe_tree *tree)
{
    tree_open(tree);
    tree->context.descriptors = descriptors;
    tree->context.descriptor_count = sizeof descriptors / sizeof *descriptors;
    facts_add_environment(
        tree->facts, &(struct row_environment){
                         .environment_id = "/v", .prefix = "/v", .depth = "read", .kind = "venv"});
    static const char *const sites[] = {"/v/first", "/v/second"};
    for (int i = 0; i < 2; i++)
        facts_add_search_path(tree->facts, &(struct row_search_path){.environment_id = "/v",
                                                                     .position = known(i),
                                                                     .path = sites[i],
                                                                     .kind = "site",
                                                                     .present = known(1)});
}

static void add_framework(struct probe_tree *tree, const char *name, const char *variant,
                          const char *cuda)
{
    facts_add_framework(tree->facts, &(struct row_framework){
                                         .environment_id = "/v",
                                         .framework_id = arena_printf(&tree->arena, "/v %s", name),
                                         .name = name,
                                         .variant = variant,
                                         .cuda = cuda});
}

/* A bare container: the same to the probe as a shared object, and made in a line. */
static void put_code(struct probe_tree *tree, const char *path, const struct fatbin_entry *list,
                     size_t count)
{
    CLEANUP_TEXT struct text bytes = {0};
    fatbin_write(list, count, &bytes);
    tree_put_bytes(tree, path, bytes.data, bytes.length);
}

static const char files_sql[] =
    "SELECT framework_id, path, status, deep, containers, entries, problem FROM device_file";

Test(probe_device_code, files_of_frameworks)
{
    struct probe_tree tree;
    start(&tree);
    put_code(&tree, "/v/second/torch/lib/libtorch_cuda.so", entries, 3);
    put_code(&tree, "/v/second/torch/lib/only_12_a.so", entries, 1);
    put_code(&tree, "/v/second/torch/lib/only_12_b.so", entries, 1);
    put_code(&tree, "/v/second/torch/lib/only_13_a.so", entries, 1);
    put_code(&tree, "/v/first/fa_1.so", entries + 1, 1);
    put_code(&tree, "/v/second/fa_2.so", entries, 1);
    open_tree(&tree);
    add_framework(&tree, "torch", "cuda", "12.8");
    add_framework(&tree, "fa", NULL, NULL);
    add_framework(&tree, "none", "cuda", "12.8");
    tree_run(&tree, &probe_device_code);
    /* the first folder that has a name wins */
    expect_rows(&tree, files_sql,
                "/v torch|/v/second/torch/lib/libtorch_cuda.so|code|0|1|3|~\n"
                "/v torch|/v/second/torch/lib/only_12_a.so|code|0|1|1|~\n"
                "/v torch|/v/second/torch/lib/only_12_b.so|code|0|1|1|~\n"
                "/v fa|/v/first/fa_1.so|code|0|1|1|~");
    expect_rows(&tree,
                "SELECT environment_id, kind, target, cc, cc_key, suffix, isa, isa_low, place, "
                "containers, entries FROM device_code WHERE path LIKE '%libtorch_cuda.so'",
                "/v|cubin|sm_90|9.0|900|~|~|~|linked|1|1\n"
                "/v|cubin|sm_90a|9.0|900|a|~|~|linked|1|1\n"
                "/v|ptx|compute_120|12.0|1200|~|8.7|8.7|linked|1|1");
    expect_rows(&tree, "SELECT name, status, fills FROM probe",
                "device_code|ok|device_file device_code");
    tree_finish(&tree);
}

Test(probe_device_code, builds_for_no_gpu_are_left_alone)
{
    struct probe_tree tree;
    start(&tree);
    put_code(&tree, "/v/first/torch/lib/libtorch_cuda.so", entries, 3);
    open_tree(&tree);
    add_framework(&tree, "torch", "rocm", NULL);
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree, files_sql, "");
    tree_finish(&tree);
}

Test(probe_device_code, path_without_cuda_major_is_passed_over)
{
    struct probe_tree tree;
    start(&tree);
    put_code(&tree, "/v/first/torch/lib/only_12_a.so", entries, 1);
    open_tree(&tree);
    add_framework(&tree, "torch", "cuda", NULL);
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree, files_sql, "");
    tree_finish(&tree);
}

/* What is no such file, cut, a FIFO or a folder is told, and blinds no table: the record of builds
 * may still know. */
Test(probe_device_code, files_that_cannot_be_read)
{
    struct probe_tree tree;
    start(&tree);
    tree_put(&tree, "/v/first/torch/lib/libtorch_cuda.so", "no ELF at all");
    tree_fifo(&tree, "/v/first/fa_1.so");
    tree_folder(&tree, "/v/first/fa_2.so");
    open_tree(&tree);
    add_framework(&tree, "torch", "cuda", "12.8");
    add_framework(&tree, "fa", "cuda", "12.8");
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree,
                "SELECT framework_id, path, status, containers, problem IS NULL FROM "
                "device_file",
                "/v torch|/v/first/torch/lib/libtorch_cuda.so|broken|~|0\n"
                "/v fa|/v/first/fa_1.so|unread|~|1\n"
                "/v fa|/v/first/fa_2.so|unread|~|1");
    expect_rows(&tree, "SELECT scope, status, path, fills FROM probe WHERE status <> 'ok'",
                "/v|malformed|/v/first/torch/lib/libtorch_cuda.so|~\n"
                "/v|malformed|/v/first/fa_1.so|~\n"
                "/v|malformed|/v/first/fa_2.so|~");
    tree_finish(&tree);
}

Test(probe_device_code, faulty_descriptor)
{
    struct probe_tree tree;
    start(&tree);
    open_tree(&tree);
    add_framework(&tree, "bad", "cuda", "12.8");
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree, files_sql, "");
    expect_rows(&tree, "SELECT scope, status, path, fills FROM probe WHERE status <> 'ok'",
                "/v|malformed|frameworks/bad.json|device_file device_code");
    tree_finish(&tree);
}

static void count_calls(void *watcher, const char *what, size_t done, size_t total)
{
    int *calls = watcher;
    cr_expect_str_eq(what, "device code");
    cr_expect_leq(done, total);
    cr_expect_eq(total, 2); /* a link is no other file */
    ++*calls;
}

Test(probe_device_code, files_that_were_named)
{
    static const char *const named[] = {"/a.fatbin", "/link", "/gone", "/plain.so"};
    struct probe_tree tree;
    int calls = 0;
    start(&tree);
    put_code(&tree, "/a.fatbin", entries, 3);
    tree_link(&tree, "/link", "/a.fatbin");
    CLEANUP_TEXT struct text plain = {0};
    struct elf_spec spec = {.class_bits = 64, .soname = "p"};
    cr_assert_eq(elf_write(&spec, &plain, &tree.error), 0, "%s", tree.error.text);
    tree_put_bytes(&tree, "/plain.so", plain.data, plain.length);
    open_tree(&tree);
    tree.options.code_files = named;
    tree.options.code_file_count = 4;
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree,
                "SELECT environment_id, path, status, deep, entries, problem FROM device_file",
                "~|/a.fatbin|code|1|3|~\n~|/link|code|1|3|~\n~|/gone|unread|~|~|~\n"
                "~|/plain.so|none|1|0|~");
    expect_rows(&tree, "SELECT count(*), count(DISTINCT path) FROM device_code", "6|2");
    expect_rows(&tree, "SELECT status, path FROM probe WHERE status <> 'ok'", "absent|/gone");
    tree_finish(&tree);

    start(&tree);
    put_code(&tree, "/a.fatbin", entries, 3);
    tree_link(&tree, "/link", "/a.fatbin");
    open_tree(&tree);
    tree.options.code_files = (const char *const[]){"/a.fatbin", "/link", "/gone"};
    tree.options.code_file_count = 3;
    tree.context.progress = count_calls;
    tree.context.watcher = &calls;
    tree_run(&tree, &probe_device_code);
    cr_expect_leq(calls, 2);
    tree_finish(&tree);
}

/* What was left out of a file may be code: then it is no stub. */
Test(probe_device_code, stub_of_which_something_is_left_out)
{
    static const struct fatbin_entry small = {.kind = FATBIN_CUBIN, .sm = 75, .size = 592};
    CLEANUP_TEXT struct text code = {0}, file = {0};
    struct probe_tree tree;
    struct error err;
    fatbin_write(&small, 1, &code);
    struct elf_device device = {ELF_DEVICE_STUB, code.data, code.length};
    struct elf_spec spec = {.class_bits = 64, .device = &device, .device_count = 1};
    cr_assert_eq(elf_write(&spec, &file, &err), 0, "%s", err.text);
    start(&tree);
    tree_put_bytes(&tree, "/stub.so", file.data, file.length);
    Elf64_Ehdr *header = (Elf64_Ehdr *)file.data;
    Elf64_Shdr *sections = (Elf64_Shdr *)(file.data + header->e_shoff);
    const char *names = file.data + sections[header->e_shstrndx].sh_offset;
    for (size_t i = 0; i < header->e_shnum; i++)
        if (!strcmp(names + sections[i].sh_name, ".nv_fatbin"))
            sections[i].sh_size = file.length;
    tree_put_bytes(&tree, "/cut.so", file.data, file.length);
    open_tree(&tree);
    tree.options.code_files = (const char *const[]){"/stub.so", "/cut.so"};
    tree.options.code_file_count = 2;
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree, "SELECT path, status, substr(problem, 1, 44) FROM device_file",
                "/stub.so|stub|~\n/cut.so|broken|.nv_fatbin ends behind the end of the file (");
    tree_finish(&tree);
}

Test(probe_device_code, more_files_than_are_searched)
{
    enum { FILES = 4097 };
    struct probe_tree tree;
    static const char *named[FILES];
    for (size_t i = 0; i < FILES; i++)
        named[i] = "/gone";
    start(&tree);
    tree_open(&tree);
    tree.options.code_files = named;
    tree.options.code_file_count = FILES;
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree, "SELECT count(*) FROM device_file", "4096");
    expect_rows(&tree, "SELECT fills, detail FROM probe WHERE status = 'malformed'",
                "device_file device_code|more files than are searched for device code");
    tree_finish(&tree);
}

/* Of modules that were built for several versions of Python, the one of this folder's. */
Test(probe_device_code, modules_for_another_python)
{
    static const struct descriptor modules[] = {
        {"frameworks/m.json", "{\"schema\":1,\"name\":\"m\",\"device\":[\"./m/_C.cpython-*.so\"]}"},
    };
    struct probe_tree tree;
    start(&tree);
    put_code(&tree, "/v/lib/python3.12/m/_C.cpython-312-x86_64-linux-gnu.so", entries, 3);
    put_code(&tree, "/v/lib/python3.12/m/_C.cpython-311-x86_64-linux-gnu.so", entries, 3);
    open_tree(&tree);
    tree.context.descriptors = modules;
    tree.context.descriptor_count = 1;
    facts_add_search_path(tree.facts, &(struct row_search_path){.environment_id = "/v",
                                                                .position = known(2),
                                                                .path = "/v/lib/python3.12",
                                                                .kind = "site",
                                                                .present = known(1)});
    add_framework(&tree, "m", "cuda", "12.8");
    tree_run(&tree, &probe_device_code);
    expect_rows(&tree, "SELECT path FROM device_file",
                "/v/lib/python3.12/m/_C.cpython-312-x86_64-linux-gnu.so");
    tree_finish(&tree);
}

/* The file that another framework's CUDA decides, by release. */
Test(probe_device_code, named_by_another)
{
    static const struct descriptor modules[] = {
        {"frameworks/m.json",
         "{\"schema\":1,\"name\":\"m\",\"device\":["
         "{\"path\":\"m/lib{$BNB_CUDA_VERSION|torch.cuda_digits}.so\",\"before\":\"0.50\"},"
         "{\"path\":\"m/lib{$BNB_CUDA_VERSION|torch.cuda_digits~}.so\",\"since\":\"0.50\"}]}"},
    };
    static const struct {
        const char *variables, *release, *files;
    } cases[] = {
        {"", "0.49.2", ""},
        {"", "0.50.0", "/v/first/m/lib124.so"},
        {"", NULL, "/v/first/m/lib124.so"},
        {"BNB_CUDA_VERSION=128\n", "0.49.2", "/v/first/m/lib128.so"},
        {"BNB_CUDA_VERSION=127\n", "0.50.0", ""},
        {"BNB_CUDA_VERSION=12.4\n", "0.50.0", "/v/first/m/lib12.4.so"},
        {"BNB_CUDA_VERSION=../m/lib124\n", "0.50.0",
         "m/lib{$BNB_CUDA_VERSION|torch.cuda_digits~}.so"},
        {"BNB_CUDA_VERSION=\n", "0.50.0", "/v/first/m/lib124.so"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct probe_tree tree;
        start(&tree);
        tree_put(&tree, "/.record/environ", cases[i].variables);
        put_code(&tree, "/v/first/m/lib124.so", entries, 3);
        put_code(&tree, "/v/first/m/lib128.so", entries, 3);
        put_code(&tree, "/v/first/m/lib12.4.so", entries, 3);
        open_tree(&tree);
        tree.context.descriptors = modules;
        tree.context.descriptor_count = 1;
        add_framework(&tree, "torch", "cuda", "12.6");
        facts_add_framework(tree.facts, &(struct row_framework){.environment_id = "/v",
                                                                .framework_id = "/v m",
                                                                .name = "m",
                                                                .release = cases[i].release});
        tree_run(&tree, &probe_device_code);
        expect_rows(&tree, "SELECT path FROM device_file", cases[i].files);
        tree_finish(&tree);
    }
}
