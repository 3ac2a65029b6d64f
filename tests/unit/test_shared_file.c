/* Files that several distributions claim. */
#include <criterion/criterion.h>

#include "base/text.h"
#include "python/shared_set.h"
#include "python_tree.h"

#define SITE "/v/lib/python3.12/site-packages"

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
    cr_assert_eq(tree_run(tree, &probe_shared_file), 0);
}

#define ROWS \
    "SELECT group_concat(path || ' ' || package || ' ' || ifnull(size, '-') || ' ' || " \
    "ifnull(matches, '-'), ';') FROM shared_file"

Test(shared_file, of_two_wheels)
{
    struct python_tree tree;
    start(&tree);
    add(&tree, "nvidia_cudnn_cu12", "9.1",
        "nvidia/__init__.py,sha256=x,0\nnvidia/cudnn/lib/libcudnn.so.9,sha256=a,5\n"
        "nvidia/cudnn/__pycache__/x.pyc,,\nnvidia_cudnn_cu12-9.1.dist-info/RECORD,,\n"
        "../../../bin/tool,sha256=t,3\nonly.py,sha256=o,1\n");
    add(&tree, "nvidia_cudnn_cu13", "9.2",
        "nvidia/cudnn/lib/libcudnn.so.9,sha256=b,6\nnvidia/cudnn/lib/other.so,sha256=c,7\n"
        "nvidia/cudnn/__pycache__/x.pyc,,\n/v/bin/tool,sha256=t,4\nnvidia/cudnn/gone,sha256=c,7\n");
    add(&tree, "third", "1", "nvidia/cudnn/gone,,\nthird/a.py,sha256=a,1\n");
    tree_text(&tree, SITE "/nvidia/cudnn/lib/libcudnn.so.9", "123456");
    tree_text(&tree, "/v/bin/tool", "123");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, ROWS),
                     "/v/bin/tool nvidia-cudnn-cu12 3 1;/v/bin/tool nvidia-cudnn-cu13 4 0;"
                     "nvidia/cudnn/gone nvidia-cudnn-cu13 7 0;nvidia/cudnn/gone third - 0;"
                     "nvidia/cudnn/lib/libcudnn.so.9 nvidia-cudnn-cu12 5 0;"
                     "nvidia/cudnn/lib/libcudnn.so.9 nvidia-cudnn-cu13 6 1");
    cr_expect_str_eq(tree_ask(&tree, "SELECT site || ' ' || package_id FROM shared_file WHERE "
                                     "package = 'third'"),
                     SITE " /v:lib/python3.12/site-packages/third-1.dist-info");
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'shared_file' AND "
                                   "status = 'ok' AND path = '" SITE "'"),
                 1);
    tree_done(&tree);
}

/* An upgrade that was interrupted leaves two records of one distribution. */
/* RECORDs are read many at once, and one that is too large for that alone: it makes no difference.
 */
Test(shared_file, of_many)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text large = {0};
    CLEANUP_TEXT struct text name = {0};
    start(&tree);
    for (int i = 0; i < 70 * 1000; i++)
        text_printf(&large, "d%d/a-folder-with-a-name-of-some-length-and-a-file/x.py,sha256=x,1\n",
                    i);
    text_add(&large, "shared/last.py,sha256=z,2\n");
    add(&tree, "a_large", "1", text_get(&large));
    for (int i = 0; i < 150; i++) {
        text_clear(&name);
        text_printf(&name, "p%03d", i);
        add(&tree, name.data, "1", i % 100 == 99 ? "shared/last.py,sha256=z,3\n" : "own.py,,\n");
        if (i == 120)
            add(&tree, "p120", "1", "shared/../p120.py,,\nwithout,two\n");
    }
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, "SELECT group_concat(package || ' ' || size, ';') FROM "
                                     "shared_file WHERE path = 'shared/last.py'"),
                     "a-large 2;p099 3");
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM shared_file WHERE path = 'own.py'"), 148);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'shared_file' AND "
                                   "status = 'malformed'"),
                 1);
    tree_done(&tree);
}

Test(shared_file, one_name_is_no_conflict)
{
    struct python_tree tree;
    start(&tree);
    add(&tree, "torch", "2.1", "torch/a.py,h,1\ntorch/b.py,h,1\n");
    add(&tree, "torch", "2.2", "torch/a.py,h,1\ntorch/b.py,h,2\n");
    add(&tree, "other", "1", "torch/b.py,h,3\n");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, ROWS),
                     "torch/b.py other 3 0;torch/b.py torch 1 0;torch/b.py torch 2 0");
    tree_done(&tree);
}

Test(shared_file, broken_records_are_told)
{
    struct python_tree tree;
    start(&tree);
    add(&tree, "good", "1", "pkg/a.py,h,1\n");
    add(&tree, "cut", "1", "pkg/a.py,h,1\npkg/b");
    add(&tree, "odd", "1", "\"pkg/a.py\npkg/a.py,h,1\n");
    tree_dist(&tree, SITE, "fifo", "1", "");
    tree_fifo(&tree, SITE "/fifo-1.dist-info/RECORD");
    tree_dist(&tree, SITE, "none", "1", "");
    run(&tree);
    cr_expect_str_eq(tree_ask(&tree, ROWS), "pkg/a.py cut 1 0;pkg/a.py good 1 0;pkg/a.py odd 1 0");
    cr_expect_str_eq(
        tree_ask(&tree, "SELECT group_concat(substr(path, 33) || ' ' || detail, ';') FROM probe "
                        "WHERE name = 'shared_file' AND status = 'malformed' AND "
                        "fills = 'shared_file'"),
        "cut-1.dist-info/RECORD it ends within a line;"
        "fifo-1.dist-info/RECORD it is not a regular file;"
        "odd-1.dist-info/RECORD a line of it is not path, hash and size");
    tree_done(&tree);
}

Test(shared_file, no_record_at_all)
{
    struct python_tree tree;
    start(&tree);
    tree_dist(&tree, SITE, "none", "1", "");
    run(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM shared_file"), 0);
    cr_expect_str_eq(tree_ask(&tree, "SELECT status FROM probe WHERE name = 'shared_file'"),
                     "absent");
    tree_done(&tree);
}

Test(shared_file, rows_have_an_end)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text record = {0}, few = {0};
    start(&tree);
    for (int i = 0; i < 30000; i++)
        text_printf(&record, "p/m%d.py,h,1\n", i);
    add(&tree, "a", "1", record.data);
    add(&tree, "b", "1", record.data);
    for (int i = 0; i < 39; i++)
        text_printf(&few, "cv2/m%d.py,h,1\n", i);
    add(&tree, "x", "1", few.data);
    add(&tree, "y", "1", few.data);
    add(&tree, "z", "1", "cv2/m7.py,h,1\n");
    run(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM shared_file WHERE path LIKE 'p/%'"), 400);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM shared_file WHERE path LIKE 'cv2/%'"), 79);
    cr_expect_str_eq(tree_ask(&tree, "SELECT status || fills || ' ' || detail FROM probe WHERE "
                                     "name = 'shared_file' AND status <> 'ok'"),
                     "skipped 30000 files are claimed by a and b; the first 200 are listed");
    tree_done(&tree);
}

/* What is too much to compare is told as such. */
Test(shared_file, claims_have_an_end)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text record = {0};
    start(&tree);
    for (int i = 0; i < 60000; i++)
        text_printf(&record, "p/m%d.py,h,1\n", i);
    add(&tree, "a", "1", record.data);
    add(&tree, "b", "1", record.data);
    run(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'shared_file' AND "
                                   "status = 'malformed' AND fills = 'shared_file'"),
                 1);
    tree_done(&tree);
}

/* 18 RECORDs of 8 MiB: more than are read of one folder. */
Test(shared_file, bytes_have_an_end)
{
    enum { RECORDS = 18, LINES = 4096, LINE = 2048 };
    struct python_tree tree;
    CLEANUP_TEXT struct text record = {0};
    start(&tree);
    for (int i = 0; i < LINES; i++)
        text_printf(&record, "p%d/%0*d.py,h,1\n", i, LINE, i);
    tree_text(&tree, "/record", record.data);
    for (int i = 0; i < RECORDS; i++) {
        const char *name = arena_printf(&tree.arena, "d%d", i);
        tree_dist(&tree, SITE, name, "1", "");
        tree_link(&tree, arena_printf(&tree.arena, SITE "/%s-1.dist-info/RECORD", name), "/record");
    }
    run(&tree);
    cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'shared_file' AND "
                                   "status = 'malformed' AND fills = 'shared_file' AND detail = "
                                   "'its distributions list more files than are compared'"),
                 1);
    tree_done(&tree);
}

Test(shared_set, owners)
{
    struct shared_set set = {0};
    for (uint64_t key = 1; key <= 5000; key++)
        cr_assert_not(shared_set_add(&set, key * 7919, 1)->is_shared);
    cr_expect(shared_set_add(&set, 7919, 2)->is_shared);
    cr_expect_not(shared_set_add(&set, 2 * 7919, 1)->is_shared);
    cr_expect(shared_set_has_shared(&set, 7919));
    cr_expect_not(shared_set_has_shared(&set, 2 * 7919));
    cr_expect_not(shared_set_has_shared(&set, 3));
    cr_expect_not(set.is_full);
    shared_set_done(&set);
}

/* Names can be made so that all of them want the same place. */
Test(shared_set, keys_made_to_meet)
{
    struct shared_set set = {0};
    for (uint64_t i = 1; i <= 200000; i++)
        shared_set_add(&set, i << 32 | i, 1);
    cr_expect(set.is_full);
    cr_expect_lt(set.count, 1000);
    shared_set_done(&set);
}
