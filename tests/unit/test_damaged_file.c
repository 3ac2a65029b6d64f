/* Files that a RECORD lists and that are gone, empty, cut, or were not written whole. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "elf_write.h"
#include "python_tree.h"

#define SITE "/v/lib/python3.12/site-packages"
#define LIB "nvidia/cudnn/lib/"

static void start(struct python_tree *tree)
{
    tree_start(tree, NULL, NULL);
    tree_text(tree, "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
}

static void add(struct python_tree *tree, const char *name, const char *version, const char *record)
{
    CLEANUP_TEXT struct text path = {0};
    tree_dist(tree, SITE, name, version, "");
    text_printf(&path, SITE "/%s-%s.dist-info/RECORD", name, version);
    tree_text(tree, path.data, record);
}

static void run(struct python_tree *tree)
{
    cr_assert_eq(tree_run(tree, &probe_environment), 0);
    cr_assert_eq(tree_run(tree, &probe_package), 0);
    facts_add_framework(tree->facts, &(struct row_framework){.environment_id = "/v",
                                                             .framework_id = "/v:torch",
                                                             .name = "torch",
                                                             .package = "torch"});
    cr_assert_eq(tree_run(tree, &probe_damaged_file), 0);
}

static void add_object(struct python_tree *tree, const char *path, size_t left_out)
{
    struct elf_spec spec = {.class_bits = 64, .soname = "libx.so.1"};
    CLEANUP_TEXT struct text bytes = {0};
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    tree_bytes(tree, path, bytes.data, bytes.length - left_out);
}

enum { CUT = 700 }; /* of its bytes: more than stand behind its segments */

#define ROWS \
    "SELECT group_concat(path || ' ' || state || ' ' || ifnull(size, '-') || ' ' || " \
    "ifnull(found_size, '-') || ' ' || whole, ';') FROM damaged_file"

Test(damaged_file, states)
{
    struct python_tree tree;
    start(&tree);
    add(&tree, "nvidia_cudnn_cu12", "9.1",
        LIB "libcudnn.so.9,sha256=a,1000000\n" LIB "libcudnn_ops.so.9,sha256=a,7\n" LIB
            "libcudnn_cnn.so.9,sha256=a,8\n" LIB "libcudnn_adv.so.9,sha256=a,1000000\n" LIB
            "libcudnn_link.so.9,,\n" LIB "libcudnn_none.so,sha256=a,0\n"
            "nvidia/cudnn/include/gone.h,sha256=a,9\nnvidia/cudnn/x.sources,sha256=a,9\n"
            "/opt/elsewhere.so,sha256=a,9\n");
    add_object(&tree, SITE "/" LIB "libcudnn.so.9", 0);
    tree_text(&tree, SITE "/" LIB "libcudnn_cnn.so.9", "");
    add_object(&tree, SITE "/" LIB "libcudnn_adv.so.9", CUT);
    tree_link(&tree, SITE "/" LIB "libcudnn_link.so.9", "/cache/gone.so");
    tree_text(&tree, SITE "/" LIB "libcudnn_none.so", "");
    run(&tree);
    cr_expect_str_eq(
        tree_ask(&tree, "SELECT group_concat(path || ' ' || state || ' ' || ifnull(size, '-') || "
                        "' ' || (found_size > 0) || ' ' || whole, ';') FROM damaged_file WHERE "
                        "state = 'cut'"),
        LIB "libcudnn_adv.so.9 cut 1000000 1 2");
    cr_expect_str_eq(tree_ask(&tree, ROWS " WHERE state <> 'cut'"),
                     LIB "libcudnn_ops.so.9 gone 7 - 2;" LIB "libcudnn_cnn.so.9 empty 8 0 2;" LIB
                         "libcudnn_link.so.9 gone - - 2;/opt/elsewhere.so gone 9 - 2");
    cr_expect_eq(tree_count(&tree, "SELECT count(DISTINCT package_id) FROM damaged_file WHERE "
                                   "package = 'nvidia-cudnn-cu12' AND site = '" SITE "'"),
                 1);
    tree_done(&tree);
}

/* The size is right, and zeros stand at the end, or everywhere. */
Test(damaged_file, not_written_whole)
{
    struct python_tree tree;
    struct elf_spec spec = {.class_bits = 64, .soname = "libx.so.1"};
    CLEANUP_TEXT struct text bytes = {0}, record = {0};
    start(&tree);
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    size_t length = bytes.length;
    for (const char *c = "abcd"; *c; c++)
        text_printf(&record, LIB "lib%c.so,sha256=a,%zu\n", *c, length);
    add(&tree, "nvidia_cudnn_cu12", "9.1", text_get(&record));
    tree_bytes(&tree, SITE "/" LIB "liba.so", bytes.data, length);
    memset(bytes.data + length - CUT, 0, CUT);
    tree_bytes(&tree, SITE "/" LIB "libb.so", bytes.data, length);
    /* sections that were taken away */
    memset(bytes.data + offsetof(Elf64_Ehdr, e_shentsize), 0, 6);
    tree_bytes(&tree, SITE "/" LIB "libc.so", bytes.data, length);
    memset(bytes.data, 0, length);
    tree_bytes(&tree, SITE "/" LIB "libd.so", bytes.data, length);
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, "SELECT group_concat(path || ' ' || state || ' ' || (size = "
                                     "found_size) || ' ' || whole, ';') FROM damaged_file"),
                     LIB "libb.so not written whole 1 2;" LIB "libd.so not written whole 1 2");
    tree_done(&tree);
}

/* Of others nobody asks, and a distribution that no installer brought has no RECORD. */
Test(damaged_file, of_the_gpu_stack_alone)
{
    struct python_tree tree;
    start(&tree);
    add(&tree, "scipy", "1", "scipy/gone.so,sha256=a,7\n");
    add(&tree, "torch", "2.8.0", "torch/lib/libtorch_cuda_linalg.so,sha256=a,7\n");
    tree_text(&tree, SITE "/nvidia_nccl_cu12-2.dist-info/METADATA",
              "Metadata-Version: 2.1\nName: nvidia-nccl-cu12\nVersion: 2\n");
    run(&tree);
    cr_expect_str_eq(
        tree_ask(&tree, "SELECT group_concat(package || ' ' || path) FROM damaged_file"),
        "torch torch/lib/libtorch_cuda_linalg.so");
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'damaged_file'"), 0);
    tree_done(&tree);
}

Test(damaged_file, many)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text record = {0};
    start(&tree);
    for (int i = 0; i < 100; i++)
        text_printf(&record, "nvidia/x/lib%d.so,sha256=a,7\n", i);
    add(&tree, "nvidia_x", "1", text_get(&record));
    run(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM damaged_file"), 64);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'damaged_file' AND "
                                   "status = 'skipped' AND fills = ''"),
                 1);
    tree_done(&tree);
}

/* What no loader opens by that name is not missed, and what was meant to be no ELF file of this
 * class is not cut. A folder is no file, and of what cannot be looked at nothing is known. */
Test(damaged_file, of_other_kinds)
{
    struct python_tree tree;
    start(&tree);
    add(&tree, "nvidia_cudnn_cu12", "9.1",
        LIB "libcudnn.so.9.hmac,sha256=a,9\n" LIB "libcudnn.so.debug,sha256=a,9\n" LIB
            "libscript.so,sha256=a,1000\n" LIB "libempty.so,,\n" LIB
            "libfolder.so,sha256=a,1000\n" LIB "libself.so,sha256=a,9\n" LIB
            "libshort.so,sha256=a,9\n");
    tree_text(&tree, SITE "/" LIB "libscript.so",
              "/* a linker script that is as long as the header of an ELF file */ INPUT(x)\n");
    tree_text(&tree, SITE "/" LIB "libempty.so", "");
    tree_text(&tree, SITE "/" LIB "libfolder.so/file", "");
    tree_link(&tree, SITE "/" LIB "libself.so", "libself.so");
    tree_text(&tree, SITE "/" LIB "libshort.so", "\177ELF");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, ROWS),
                     LIB "libfolder.so no regular file 1000 - 2;" LIB "libself.so gone 9 - 2;" LIB
                         "libshort.so cut 9 4 2");
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'damaged_file'"), 0);
    tree_done(&tree);
}

Test(damaged_file, lists_that_are_not_read_to_the_end)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text record = {0};
    start(&tree);
    for (int i = 0; i < 8193; i++)
        text_printf(&record, "nvidia/x/lib%d.so,,\n", i);
    tree_text(&tree, SITE "/nvidia/x/lib0.so", "");
    add(&tree, "nvidia_x", "1", text_get(&record));
    add(&tree, "nvidia_y", "1", "nvidia/y/liby.so,sha256=a,7\nnvidia/y/li");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, "SELECT group_concat(path || ' ' || status || ' ' || detail, "
                                     "';') FROM probe WHERE name = 'damaged_file' AND fills = "
                                     "'damaged_file'"),
                     SITE "/nvidia/x/lib8192.so skipped nvidia-x lists more files than are looked "
                          "at;" SITE "/nvidia_y-1.dist-info/RECORD malformed it ends within a "
                          "line");
    tree_done(&tree);
}

/* A RECORD that should be there and tells nothing is not one that is in order. */
Test(damaged_file, lists_that_are_not_there)
{
    struct python_tree tree;
    start(&tree);
    tree_dist(&tree, SITE, "nvidia_absent", "1", "");
    add(&tree, "nvidia_empty", "1", "");
    tree_dist(&tree, SITE, "nvidia_link", "1", "");
    tree_link(&tree, SITE "/nvidia_link-1.dist-info/RECORD", "/cache/gone");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, "SELECT group_concat(path || ' ' || status || ' ' || detail, "
                                     "';') FROM probe WHERE name = 'damaged_file' AND scope = '/v' "
                                     "AND fills = 'damaged_file'"),
                     SITE "/nvidia_absent-1.dist-info/RECORD malformed a dist-info folder without "
                          "it;" SITE "/nvidia_empty-1.dist-info/RECORD malformed it lists "
                          "nothing;" SITE "/nvidia_link-1.dist-info/RECORD malformed a link that "
                          "leads nowhere");
    tree_done(&tree);
}

/* Whose cache is gone: the folder's name still tells what was installed. */
Test(damaged_file, links_that_lead_nowhere)
{
    struct python_tree tree;
    start(&tree);
    tree_link(&tree, SITE "/nvidia_nvtx_cu12-12.8.90.dist-info/METADATA", "/cache/gone");
    tree_text(&tree, SITE "/nvidia_nvtx_cu12-12.8.90.dist-info/INSTALLER", "uv");
    tree_text(&tree, SITE "/nvidia_nvtx_cu12-12.8.90.dist-info/RECORD",
              "nvidia/nvtx/lib/libnvToolsExt.so.1,sha256=a,9\n");
    tree_link(&tree, SITE "/no_version.dist-info/METADATA", "/cache/gone");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, "SELECT group_concat(name || ' ' || version || ' ' || "
                                     "installer) FROM package"),
                     "nvidia-nvtx-cu12 12.8.90 uv");
    cr_expect_str_eq(
        tree_ask(&tree, "SELECT group_concat(d.path || ' ' || d.state || ' ' || (p.package_id = "
                        "d.package_id)) FROM damaged_file d, package p"),
        "nvidia/nvtx/lib/libnvToolsExt.so.1 gone 1,nvidia_nvtx_cu12-12.8.90.dist-info/METADATA "
        "gone "
        "1");
    cr_expect_str_eq(tree_ask(&tree, "SELECT group_concat(status || ' ' || detail || ' ' || fills) "
                                     "FROM probe WHERE name = 'package' AND path LIKE "
                                     "'%/METADATA'"),
                     "malformed a link that leads nowhere; more here may be package requirement "
                     "framework");
    tree_done(&tree);
}

Test(damaged_file, of_all_distributions)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text record = {0};
    start(&tree);
    for (int i = 0; i < 64; i++)
        text_printf(&record, "nvidia/x/lib%d.so,sha256=a,7\n", i);
    for (int i = 0; i < 40; i++) {
        CLEANUP_TEXT struct text name = {0};
        text_printf(&name, "nvidia_x%d", i);
        add(&tree, text_get(&name), "1", text_get(&record));
    }
    run(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM damaged_file"), 2000);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'damaged_file' AND "
                                   "status = 'skipped' AND fills = 'damaged_file'"),
                 1);
    tree_done(&tree);
}
