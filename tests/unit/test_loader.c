/* The simulated loader in small recorded machines. That it does what the real one does is shown by
 * tests/e2e/loader.py; here is what that cannot show: another root, broken files, limits. */
#include <errno.h>

#include "elf_write.h"
#include "ldcache_write.h"
#include "loader/folder.h"
#include "loader/process.h"
#include "probe_tree.h"

static struct probe_tree tree;
static struct arena arena;
static struct loader_world world;
static struct loader_store *store;
static struct loader_process process;

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_folder(&tree, "/usr/lib/x86_64-linux-gnu/none");
    store = NULL;
}

static void finish(void)
{
    loader_store_free(store);
    tree_finish(&tree);
    arena_done(&arena);
}

TestSuite(loader, .init = start, .fini = finish);

#define NAMES(...) \
    (const char *const[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(const char *)

static void put_elf(const char *path, const struct elf_spec *spec)
{
    struct text out = {0};
    struct elf_spec whole = *spec;
    whole.class_bits = spec->class_bits ? spec->class_bits : 64;
    cr_assert_eq(elf_write(&whole, &out, &tree.error), 0, "%s", tree.error.text);
    tree_put_bytes(&tree, path, out.data, out.length);
    text_done(&out);
}

static void put_lib(const char *path, const char *soname, const char *runpath,
                    const char *const *needed, size_t count)
{
    put_elf(path,
            &(struct elf_spec){
                .soname = soname, .runpath = runpath, .needed = needed, .needed_count = count});
}

static void put_plain(const char *path)
{
    put_lib(path, strrchr(path, '/') + 1, NULL, NULL, 0);
}

static int begin(const char *program)
{
    tree_open(&tree);
    loader_world_read(tree.machine, &arena, &world);
    store = loader_store_new(tree.machine, world.elf_machine);
    return loader_process_start(&process, &world, store, &arena, program);
}

static const struct loader_request *open_name(const char *name)
{
    size_t number = loader_process_open(&process, name, SIZE_MAX, 0);
    return &process.requests[number];
}

/* Paths of what is loaded, in order. */
static const char *loaded(void)
{
    struct text out = {0};
    for (size_t i = 0; i < process.object_count; i++)
        if (!process.objects[i].is_removed)
            text_printf(&out, "%s%s", out.length ? " " : "", process.objects[i].path);
    char *text = arena_strdup(&arena, text_get(&out));
    text_done(&out);
    return text;
}

/* Absolute links and those with too many ".." stay inside of the root. */
Test(loader, links_inside_the_root)
{
    put_lib("/opt/store/liba.so.1.2", "liba.so.1", "$ORIGIN", NAMES("libb.so.1"));
    put_plain("/opt/link/libb.so.1");
    put_plain("/opt/store/libb.so.1");
    tree_link(&tree, "/opt/link/liba.so.1", "/opt/store/liba.so.1.2");
    tree_link(&tree, "/opt/far", "../../../../opt/link");
    cr_assert_eq(begin(NULL), 0);
    cr_expect_neq(open_name("/opt/far/liba.so.1")->object, SIZE_MAX);
    cr_expect_str_eq(loaded(), "/opt/far/liba.so.1 /opt/far/libb.so.1");
    cr_expect_str_eq(process.objects[1].origin, "/opt/far");
    cr_expect_eq(process.objects[1].via, VIA_RUNPATH);
    cr_expect_str_eq(process.objects[1].via_list, "/opt/far");
    cr_expect_eq(process.objects[1].via_owner, 0);
    cr_expect_eq(process.objects[1].loader, 0);
    cr_expect(process.objects[0].is_opened);
    cr_expect_eq(loader_process_find(&process, "libb.so.1"), 1);
    cr_expect_eq(loader_process_find(&process, "libc.so.6"), SIZE_MAX);
}

Test(loader, cache_and_default_folders)
{
    static const struct ldcache_entry entries[] = {
        {"libc1.so.1", "/opt/cached/libc1.so.1", LDCACHE_X86_64},
        {"libgone.so.1", "/opt/cached/libgone.so.1", LDCACHE_X86_64},
    };
    struct text cache = {0};
    ldcache_write(entries, 2, NULL, &cache);
    tree_put_bytes(&tree, "/etc/ld.so.cache", cache.data, cache.length);
    text_done(&cache);
    put_plain("/opt/cached/libc1.so.1");
    put_plain("/usr/lib/x86_64-linux-gnu/libc1.so.1");
    put_plain("/usr/lib/libgone.so.1");
    cr_assert_eq(begin(NULL), 0);
    const struct loader_request *request = open_name("libc1.so.1");
    cr_expect_eq(request->via, VIA_CACHE);
    cr_assert_eq(request->shadowed_count, 1);
    cr_expect_str_eq(request->shadowed[0].path, "/usr/lib/x86_64-linux-gnu/libc1.so.1");
    cr_expect_eq(request->shadowed[0].via, VIA_DEFAULT);
    request = open_name("libgone.so.1");
    cr_expect_eq(request->via, VIA_DEFAULT);
    cr_expect_eq(request->step_count, 0, "what was absent is left out where something was found");
    cr_expect_str_eq(loaded(), "/opt/cached/libc1.so.1 /usr/lib/libgone.so.1");
}

Test(loader, nothing_answers)
{
    tree_put(&tree, "/.record/environ", "LD_LIBRARY_PATH=/opt/a:/opt/none\n");
    tree_folder(&tree, "/opt/a/b");
    cr_assert_eq(begin(NULL), 0);
    const struct loader_request *request = open_name("libx.so.1");
    cr_expect_eq(request->object, SIZE_MAX);
    cr_expect_eq(request->via, VIA_NONE);
    cr_expect_str_eq(request->error, "libx.so.1: cannot open shared object file: No such file or "
                                     "directory");
    cr_assert_eq(request->step_count, 6);
    cr_expect_str_eq(request->steps[0].path, "/opt/a/libx.so.1");
    cr_expect_str_eq(request->steps[1].path, "/opt/none/libx.so.1");
    cr_expect_eq(request->steps[1].via, VIA_LIBRARY_PATH);
    cr_expect_eq(request->steps[1].file->class, LOADER_ABSENT);
    cr_expect_eq(request->steps[1].file->error, -ENOENT);
    cr_expect_str_eq(request->steps[2].path, "/lib/x86_64-linux-gnu/libx.so.1");
}

Test(loader, failed_open_is_taken_out)
{
    put_lib("/opt/liba.so.1", "liba.so.1", "/opt",
            NAMES("libb.so.1", "libgone.so.1", "libgone2.so.1"));
    put_plain("/opt/libb.so.1");
    cr_assert_eq(begin(NULL), 0);
    const struct loader_request *request = open_name("/opt/liba.so.1");
    cr_expect_eq(request->object, SIZE_MAX);
    cr_expect_str_eq(request->error, "libgone.so.1: cannot open shared object file: No such file "
                                     "or directory");
    cr_expect_str_eq(loaded(), "");
    cr_assert_eq(process.request_count, 4, "all that is missing is told");
    cr_expect_eq(process.requests[2].requester, 0);
    cr_expect_str_eq(process.objects[process.requests[2].requester].path, "/opt/liba.so.1");
    cr_expect_not_null(process.requests[3].error);
    cr_expect_eq(loader_process_find(&process, "libb.so.1"), SIZE_MAX);
}

static bool lacks_libc(void *data, const char *name)
{
    (*(int *)data)++;
    return strcmp(name, "libc.so.6") == 0;
}

Test(loader, needs_that_may_be_lacking)
{
    int asked = 0;
    put_lib("/opt/liba.so.1", "liba.so.1", NULL, NAMES("libc.so.6", "ld-linux-x86-64.so.2"));
    cr_assert_eq(begin(NULL), 0);
    world.may_lack = lacks_libc;
    world.may_lack_data = &asked;
    cr_expect_neq(open_name("/opt/liba.so.1")->object, SIZE_MAX);
    cr_expect(process.requests[1].is_lacking);
    cr_expect_null(process.requests[1].error);
    cr_expect(process.requests[2].is_lacking, "the loader is in every process");
    cr_expect_eq(asked, 1);
    cr_expect_eq(open_name("libc.so.6")->object, SIZE_MAX, "only a need may be lacking");
    cr_expect_eq(asked, 1);
}

Test(loader, cycles)
{
    put_lib("/opt/liba.so.1", "liba.so.1", "$ORIGIN", NAMES("libb.so.1", "liba.so.1"));
    put_lib("/opt/libb.so.1", "libb.so.1", "$ORIGIN", NAMES("liba.so.1", "libb.so.1"));
    cr_assert_eq(begin(NULL), 0);
    cr_expect_neq(open_name("/opt/liba.so.1")->object, SIZE_MAX);
    cr_expect_str_eq(loaded(), "/opt/liba.so.1 /opt/libb.so.1");
    cr_expect_eq(process.request_count, 5);
    cr_expect_eq(process.requests[2].via, VIA_LOADED);
}

/* An object that an older copy answers keeps the one on the search's path in its shadow. */
Test(loader, shadow_of_what_is_loaded)
{
    put_plain("/old/libj.so.12");
    put_plain("/new/libj.so.12");
    put_lib("/opt/libs.so.12", "libs.so.12", "/new", NAMES("libj.so.12"));
    cr_assert_eq(begin(NULL), 0);
    open_name("/old/libj.so.12");
    open_name("/opt/libs.so.12");
    const struct loader_request *request = &process.requests[2];
    cr_expect_eq(request->via, VIA_LOADED);
    cr_expect_not(request->is_first);
    cr_assert_eq(request->shadowed_count, 1);
    cr_expect_str_eq(request->shadowed[0].path, "/new/libj.so.12");
    cr_expect_eq(request->shadowed[0].via, VIA_RUNPATH);
}

/* Each file is read once, under whatever name and in however many processes. */
Test(loader, files_are_read_once)
{
    size_t files;
    uint64_t bytes, again;
    put_plain("/a/libx.so.1");
    tree_link(&tree, "/b/libx.so.1", "../a/libx.so.1");
    cr_assert_eq(link(tree_inside(&tree, "/a/libx.so.1"), tree_inside(&tree, "/c.so")), 0);
    cr_assert_eq(begin(NULL), 0);
    const struct loader_file *file = loader_store_get(store, "/a/libx.so.1");
    cr_expect_eq(loader_store_get(store, "/b/libx.so.1"), file);
    cr_expect_eq(loader_store_get(store, "/c.so"), file);
    cr_expect_eq(file->class, LOADER_FITS);
    cr_expect_str_eq(file->object.soname, "libx.so.1");
    cr_expect_str_eq(file->path, "/a/libx.so.1");
    cr_expect_eq(loader_store_get(store, "/none"), loader_store_get(store, "/none/none"));
    loader_store_counts(store, &files, &bytes);
    cr_expect_eq(files, 1);
    cr_expect(bytes > 0);
    open_name("/b/libx.so.1");
    loader_store_counts(store, &files, &again);
    cr_expect_eq(again, bytes);
    struct elf_file *elf = loader_store_reopen(store, file);
    cr_assert_not_null(elf);
    cr_expect_eq(loader_store_reopen(store, file), elf);
    cr_expect_null(loader_store_reopen(store, loader_store_get(store, "/none")));
}

/* Who asks for the class alone leaves the rest for whoever needs it. */
Test(loader, a_look_reads_no_more_than_it_needs)
{
    size_t files;
    uint64_t looked, read;
    put_plain("/a/libx.so.1");
    tree_put(&tree, "/a/text.so", "no object");
    cr_assert_eq(begin(NULL), 0);
    const struct loader_file *file = loader_store_look(store, "/a/libx.so.1");
    cr_expect_eq(file->class, LOADER_FITS);
    cr_expect_not(file->is_read);
    cr_expect_null(file->object.soname);
    cr_expect_eq(loader_store_look(store, "/a/libx.so.1"), file);
    loader_store_counts(store, &files, &looked);
    cr_expect_eq(files, 1);
    cr_expect_eq(loader_store_read(store, file), file);
    cr_expect_str_eq(file->object.soname, "libx.so.1");
    loader_store_counts(store, &files, &read);
    cr_expect_eq(files, 1);
    cr_expect(read > looked);
    cr_expect_eq(loader_store_get(store, "/a/libx.so.1"), file);
    loader_store_counts(store, &files, &looked);
    cr_expect_eq(looked, read);
    cr_expect_eq(loader_store_look(store, "/a/text.so")->class, LOADER_FATAL);
    cr_expect(loader_store_look(store, "/a/text.so")->is_read);
    cr_expect_eq(loader_store_look(store, "/a/none.so")->class, LOADER_ABSENT);
}

/* Folders with thousands of names are asked, small ones listed; both under every name they have. */
Test(loader, folders_by_several_names)
{
    put_plain("/big/libx.so.1");
    tree_link(&tree, "/same", "big");
    for (int i = 0; i < 1500; i++)
        tree_put(&tree, arena_printf(&arena, "/big/a-name-that-takes-its-place-%d", i), "");
    cr_assert_eq(begin(NULL), 0);
    struct loader_folder *big = loader_store_folder(store, "/big/");
    struct loader_folder *same = loader_store_folder(store, "/same/");
    struct loader_folder *none = loader_store_folder(store, "/none/");
    cr_expect_neq(big, same);
    cr_expect_eq(same->same, big);
    cr_expect_not(none->is_there);
    cr_expect(loader_folder_lacks(store, none, "libx.so.1"));
    cr_expect_not(loader_folder_lacks(store, big, "libx.so.1"));
    cr_expect(big->is_large);
    cr_expect_not(loader_folder_lacks(store, big, "liby.so.1"), "it has not been asked yet");
    loader_folder_note_lack(store, same, "liby.so.1");
    cr_expect(loader_folder_lacks(store, big, "liby.so.1"));
    cr_expect_not(loader_folder_lacks(store, same, "libx.so.1"));
}

Test(loader, paths_without_links)
{
    put_plain("/a/libx.so.1.2");
    tree_link(&tree, "/a/libx.so.1", "libx.so.1.2");
    tree_link(&tree, "/a/libx.so", "/away/../a/libx.so.1");
    tree_link(&tree, "/a/gone.so", "nowhere");
    tree_link(&tree, "/b", "a");
    tree_folder(&tree, "/away");
    put_plain("/libtop.so");
    cr_assert_eq(begin(NULL), 0);
    cr_expect_str_eq(loader_store_realpath(store, "/a/libx.so.1.2"), "/a/libx.so.1.2");
    cr_expect_str_eq(loader_store_realpath(store, "/b/libx.so.1.2"), "/a/libx.so.1.2");
    cr_expect_str_eq(loader_store_realpath(store, "/b/libx.so"), "/a/libx.so.1.2");
    cr_expect_str_eq(loader_store_realpath(store, "/a/../b/./libx.so.1"), "/a/libx.so.1.2");
    cr_expect_str_eq(loader_store_realpath(store, "/libtop.so"), "/libtop.so");
    cr_expect_str_eq(loader_store_realpath(store, "/b/.."), "/");
    cr_expect_null(loader_store_realpath(store, "/a/gone.so"));
    cr_expect_null(loader_store_realpath(store, "/a/none.so"));
    cr_expect_null(loader_store_realpath(store, "/none/none.so"));
    cr_expect(loader_store_same(store, "/b/libx.so", "/a/libx.so.1.2"));
    cr_expect(loader_store_same(store, "/a/../b/libx.so.1", "/a/libx.so.1"));
    cr_expect_not(loader_store_same(store, "/a/libx.so.1", "/libtop.so"));
}

Test(loader, files_that_are_none)
{
    tree_fifo(&tree, "/opt/fifo.so");
    tree_folder(&tree, "/opt/folder.so");
    tree_put(&tree, "/opt/text.so", "INPUT(libx.so.1)");
    tree_link(&tree, "/opt/loop.so", "loop.so");
    put_elf("/opt/arm.so", &(struct elf_spec){.machine = ELF_WRITE_AARCH64});
    put_elf("/opt/i386.so", &(struct elf_spec){.machine = ELF_WRITE_I386, .class_bits = 32});
    cr_assert_eq(begin(NULL), 0);
    cr_expect_eq(loader_store_get(store, "/opt/fifo.so")->class, LOADER_FATAL);
    cr_expect_str_eq(open_name("/opt/folder.so")->error,
                     "/opt/folder.so: cannot read file data: Is a directory");
    cr_expect_str_eq(open_name("/opt/text.so")->error, "/opt/text.so: file too short");
    cr_expect_str_eq(open_name("/opt/arm.so")->error,
                     "/opt/arm.so: cannot open shared object file: No such file or directory");
    cr_expect_str_eq(open_name("/opt/i386.so")->error, "/opt/i386.so: wrong ELF class: ELFCLASS32");
    cr_expect_eq(loader_store_get(store, "/opt/loop.so")->error, -ELOOP);
    cr_expect_eq(loader_store_get(store, "/opt/arm.so")->class, LOADER_FOREIGN);
}

static void put_cut(const char *path, size_t at)
{
    struct text out = {0};
    const struct elf_spec spec = {.class_bits = 64, .soname = "libcut.so.1", .rpath = "$ORIGIN"};
    cr_assert_eq(elf_write(&spec, &out, &tree.error), 0);
    tree_put_bytes(&tree, path, out.data, at < out.length ? at : out.length);
    text_done(&out);
}

Test(loader, files_that_are_cut)
{
    put_cut("/opt/head.so", 100);
    put_cut("/opt/body.so", 480);
    cr_assert_eq(begin(NULL), 0);
    cr_expect_str_eq(open_name("/opt/head.so")->error, "/opt/head.so: cannot read file data");
    const struct loader_file *file = loader_store_get(store, "/opt/body.so");
    cr_expect_eq(file->class, LOADER_FITS);
    cr_expect_str_eq(file->problem, "the file is cut: it ends before its segments do");
    cr_expect(file->is_cut);
}

/* The size is right, and the file ends in zeros from its dynamic section on. */
Test(loader, files_that_were_not_written_whole)
{
    struct text out = {0};
    const struct elf_spec spec = {.class_bits = 64, .soname = "libzero.so.1"};
    cr_assert_eq(elf_write(&spec, &out, &tree.error), 0);
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(const void *)(out.data + sizeof(Elf64_Ehdr));
    cr_assert_eq(segments[1].p_type, PT_LOAD);
    size_t from = segments[1].p_offset;
    memset(out.data + from, 0, out.length - from);
    tree_put_bytes(&tree, "/opt/zero.so", out.data, out.length);
    text_done(&out);
    cr_assert_eq(begin(NULL), 0);
    const struct loader_file *file = loader_store_get(store, "/opt/zero.so");
    cr_expect_eq(file->class, LOADER_FITS);
    cr_expect_str_eq(file->problem, "its dynamic section is empty: the file was not written whole");
    cr_expect(file->is_cut);
}

/* Folders of many names are asked name by name, small ones are listed. */
Test(loader, folders)
{
    put_plain("/small/libx.so.1");
    for (int i = 0; i < 1100; i++)
        tree_put(&tree, arena_printf(&arena, "/large/%d", i), "");
    put_plain("/large/liby.so.1");
    cr_assert_eq(begin(NULL), 0);
    struct loader_folder *small = loader_store_folder(store, "/small"),
                         *large = loader_store_folder(store, "/large"),
                         *gone = loader_store_folder(store, "/gone");
    cr_expect_eq(loader_store_folder(store, "/small"), small);
    cr_expect_str_eq(small->path, "/small/");
    cr_expect(loader_folder_lacks(store, gone, "x"));
    for (int i = 0; i < 8; i++) {
        cr_expect_not(loader_folder_lacks(store, small, "libx.so.1"));
        cr_expect_not(loader_folder_lacks(store, large, "liby.so.1"));
    }
    cr_expect(small->is_listed);
    cr_expect(large->is_large);
    cr_expect(loader_folder_lacks(store, small, "liby.so.1"));
    cr_expect_not(loader_folder_lacks(store, large, "libz.so.1"), "not known");
}

static bool is_far(void *data, const char *path)
{
    size_t *asked = data;
    ++*asked;
    return text_starts(path, "/far/");
}

/* What the store is told to leave alone is not looked at; the search goes on behind it. */
Test(loader, places_that_are_left_alone)
{
    size_t asked = 0;
    put_plain("/far/libx.so.1");
    put_plain("/far/liby.so.1");
    put_plain("/near/liby.so.1");
    tree_put(&tree, "/.record/environ", "LD_LIBRARY_PATH=/far:/near\n");
    tree_open(&tree);
    loader_world_read(tree.machine, &arena, &world);
    store = loader_store_new(tree.machine, world.elf_machine);
    loader_store_guard(store, is_far, &asked);
    cr_assert_eq(loader_process_start(&process, &world, store, &arena, NULL), 0);
    const struct loader_request *request = open_name("libx.so.1");
    cr_expect_eq(request->object, SIZE_MAX);
    cr_expect_str_eq(request->left_alone, "/far/");
    cr_expect_str_eq(request->error, "libx.so.1: not found, but not looked for in /far/, which "
                                     "lies on another machine");
    cr_expect_eq(request->steps[0].file->error, -EREMOTE);
    cr_expect_str_eq(process.left_alone, "/far/");
    request = open_name("liby.so.1");
    cr_assert_neq(request->object, SIZE_MAX);
    cr_expect_str_eq(process.objects[request->object].path, "/near/liby.so.1");
    cr_expect(process.objects[request->object].is_doubtful);
    request = open_name("/far/libx.so.1");
    cr_expect_eq(request->object, SIZE_MAX);
    cr_expect_str_eq(request->left_alone, "/far/libx.so.1");
    request = open_name("/near/gone.so");
    cr_expect_null(request->left_alone);
    cr_expect_not(loader_store_folder(store, "/far")->is_there);
    cr_expect_null(loader_store_realpath(store, "/far/libx.so.1"));
    cr_expect_gt(asked, 0);
}

Test(loader, relative_paths_need_the_current_folder)
{
    tree_put(&tree, "/.record/environ", "LD_LIBRARY_PATH=:rel\n");
    put_plain("/libx.so.1");
    cr_assert_eq(begin(NULL), 0);
    cr_expect_eq(open_name("libx.so.1")->object, SIZE_MAX, "where it runs is not known");
    cr_expect_eq(open_name("./libx.so.1")->object, SIZE_MAX);
    world.cwd = "/";
    cr_assert_eq(loader_process_start(&process, &world, store, &arena, NULL), 0);
    cr_expect_eq(open_name("libx.so.1")->via, VIA_LIBRARY_PATH);
    cr_expect_str_eq(loaded(), "/libx.so.1");
}

Test(loader, programs)
{
    put_plain("/usr/bin/program");
    tree_put(&tree, "/usr/bin/script", "#!/bin/sh\n");
    cr_expect_eq(begin("/usr/bin/none"), -ENOENT);
    cr_expect_eq(process.object_count, 0);
    cr_expect_eq(loader_process_start(&process, &world, store, &arena, "/usr/bin/script"),
                 -ENOEXEC);
    cr_expect_eq(loader_process_start(&process, &world, store, &arena, "/usr/bin/program"), 0);
    cr_expect_str_eq(loaded(), "/usr/bin/program");
    cr_expect_eq(process.objects[0].via, VIA_PROGRAM);
    world.is_musl = true;
    cr_expect_eq(loader_process_start(&process, &world, store, &arena, NULL), -ENOTSUP);
    cr_expect_null(open_name("libx.so.1")->error);
}

Test(loader, program_that_lacks_a_need)
{
    put_lib("/usr/bin/program", NULL, "$ORIGIN/../lib1", NAMES("libgone.so.1", "libx.so.1"));
    put_plain("/usr/lib1/libx.so.1");
    cr_expect_eq(begin("/usr/bin/program"), -ELIBACC);
    cr_expect_str_eq(loaded(), "/usr/bin/program /usr/bin/../lib1/libx.so.1");
    cr_expect_str_eq(process.requests[0].error, "libgone.so.1: cannot open shared object file: No "
                                                "such file or directory");
    cr_expect_eq(process.requests[0].requester, SIZE_MAX);
    cr_expect_eq(process.objects[1].loader, SIZE_MAX);
    cr_expect_eq(process.objects[1].via_owner, 0);
}

/* More names than any path has: nothing overflows, and the rest still counts. */
Test(loader, hostile_lists)
{
    struct text list = {0};
    for (int i = 0; i < 2000; i++)
        text_printf(&list, "/opt/%d$ORIGIN:", i);
    for (int i = 0; i < 6000; i++)
        text_add(&list, "$LIB");
    text_add(&list, ":/opt/last");
    put_lib("/opt/liba.so.1", "liba.so.1", NULL, NAMES("libx.so.1"));
    put_plain("/opt/1/opt/libx.so.1");
    cr_assert_eq(begin(NULL), 0);
    world.library_path = text_get(&list);
    cr_assert_eq(loader_process_start(&process, &world, store, &arena, NULL), 0);
    cr_expect_eq(open_name("/opt/liba.so.1")->object, SIZE_MAX, "$ORIGIN of a program not known");
    text_done(&list);
}

/* --- symbols --- */

static const char *const j_sonames[] = {"libj.so", NULL};
static const struct loader_prefix j_prefixes[] = {{"j_", j_sonames}};

static void put_j(const char *path, const struct elf_symbol *symbols, size_t count)
{
    put_elf(path,
            &(struct elf_spec){.soname = "libj.so.12", .defined = symbols, .defined_count = count});
}

static void put_user(const struct elf_symbol *symbols, size_t count)
{
    put_elf("/opt/libs.so", &(struct elf_spec){
                                .soname = "libs.so",
                                .runpath = "/new",
                                .needed = (const char *const[]){"libj.so.12"},
                                .needed_count = 1,
                                .undefined = symbols,
                                .undefined_count = count,
                            });
}

static const char *missing(const char *first)
{
    struct loader_symbols symbols;
    struct text out = {0};
    cr_assert_eq(begin(NULL), 0);
    if (first)
        open_name(first);
    size_t object = open_name("/opt/libs.so")->object;
    cr_assert_neq(object, SIZE_MAX);
    loader_check_symbols(&process, object, true, j_prefixes, 1, &symbols);
    text_printf(&out, "%zu:", symbols.checked);
    for (size_t i = 0; i < symbols.missing_count; i++) {
        const struct loader_missing *item = &symbols.missing[i];
        text_printf(&out, " %s@%s(%s)%s", item->symbol ? item->symbol : "",
                    item->version ? item->version : "",
                    item->provider == SIZE_MAX ? "" : process.objects[item->provider].path,
                    item->is_fatal ? "!" : "");
    }
    cr_expect_null(symbols.problem);
    char *text = arena_strdup(&arena, text_get(&out));
    text_done(&out);
    return text;
}

Test(loader, symbols_fit)
{
    put_j("/new/libj.so.12", (const struct elf_symbol[]){{"j_0", "J", NULL}, {"j_1", "J", NULL}},
          2);
    put_user((const struct elf_symbol[]){{"j_1", "J", "libj.so.12"}}, 1);
    cr_expect_str_eq(missing(NULL), "1:");
}

Test(loader, symbol_of_an_older_library)
{
    put_j("/new/libj.so.12", (const struct elf_symbol[]){{"j_0", "J", NULL}, {"j_1", "J", NULL}},
          2);
    put_j("/old/libj.so.12", (const struct elf_symbol[]){{"j_0", "J", NULL}}, 1);
    put_user((const struct elf_symbol[]){{"j_0", "J", "libj.so.12"}, {"j_1", "J", "libj.so.12"}},
             2);
    cr_expect_str_eq(missing("/old/libj.so.12"), "2: j_1@J(/old/libj.so.12)!");
}

Test(loader, version_is_missing)
{
    put_j("/new/libj.so.12", (const struct elf_symbol[]){{"j_0", "J", NULL}}, 1);
    put_user((const struct elf_symbol[]){{"j_0", "J", "libj.so.12"}, {"j_1", "K", "libj.so.12"}},
             2);
    cr_expect_str_eq(missing(NULL), "1: @K(/new/libj.so.12)!", "its symbols are not told as well");
}

Test(loader, library_without_versions)
{
    put_j("/new/libj.so.12", (const struct elf_symbol[]){{"j_0", NULL, NULL}}, 1);
    put_user((const struct elf_symbol[]){{"j_0", "J", "libj.so.12"}, {"j_1", "J", "libj.so.12"}},
             2);
    cr_expect_str_eq(missing(NULL), "2: j_1@J(/new/libj.so.12)!");
}

Test(loader, unversioned_symbols)
{
    put_j("/new/libj.so.12", (const struct elf_symbol[]){{"j_0", NULL, NULL}}, 1);
    put_user((const struct elf_symbol[]){{"j_0", NULL, NULL},
                                         {"j_9", NULL, NULL},
                                         {"other", NULL, NULL}},
             3);
    cr_expect_str_eq(missing(NULL), "2: j_9@(/new/libj.so.12)!");
}
