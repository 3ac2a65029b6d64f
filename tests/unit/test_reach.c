/* Libraries on file systems of other machines are left alone: on this machine, with a table of
 * mounts that says of a folder that it is one. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "elf_write.h"
#include "probe_tree.h"

static struct probe_tree tree;
static struct conda {
    const char *folder, *depth;
} conda[2]; /* environments beside that of torch */

static void put_elf(const char *path, const char *soname, const char *runpath, const char *needed)
{
    CLEANUP_TEXT struct text bytes = {0};
    const struct elf_spec spec = {
        .machine = ELF_WRITE_X86_64,
        .class_bits = 64,
        .soname = soname,
        .runpath = runpath,
        .needed = &needed,
        .needed_count = needed ? 1 : 0,
    };
    cr_assert_eq(elf_write(&spec, &bytes, &tree.error), 0, "%s", tree.error.text);
    tree_put_bytes(&tree, path, bytes.data, bytes.length);
}

/* The environment of torch, with the driver's library in /far, which its _C.so needs. */
static void start(void)
{
    tree_start(&tree);
    put_elf("/v/site/torch/_C.so", NULL, "$ORIGIN/lib", "libfar.so.1");
    put_elf("/v/site/torch/near.so", NULL, "$ORIGIN/lib", "libcudart.so.12");
    put_elf("/v/site/torch/lib/libcudart.so.12", "libcudart.so.12", NULL, NULL);
    put_elf("/far/lib/libfar.so.1", "libfar.so.1", NULL, NULL);
    put_elf("/far/device.so", NULL, NULL, NULL);
    tree_link(&tree, "/v/site/torch/device.so", "../../../far/device.so");
    tree_link(&tree, "/v/site/torch/libs", "../../../far/lib");
    tree_link(&tree, "/link", "far/lib");
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(reach, .init = start, .fini = finish);

/* From now on /far of the tree is another machine's, mounted as that type. */
static bool enter(const char *type)
{
    tree_put(&tree, "/mountinfo",
             arena_printf(&tree.arena,
                          "1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / %s/far rw - %s s:/x rw\n",
                          tree.dir, type));
    setenv("LD_LIBRARY_PATH", arena_printf(&tree.arena, "%s/link", tree.dir), 1);
    const char *table = arena_printf(&tree.arena, "%s/mountinfo", tree.dir);
    const char *real = arena_printf(&tree.arena, "/proc/%d/mountinfo", (int)getpid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           mount(table, real, NULL, MS_BIND, NULL) == 0;
}

static void look(const char *load, const struct probe *probe, const char *site)
{
    const struct descriptor torch = {
        "frameworks/torch.json",
        arena_printf(&tree.arena,
                     "{\"schema\":1,\"name\":\"torch\",\"device\":[\"torch/device.so\"],"
                     "\"load\":[{\"open\":\"%s\"}]}",
                     load)};
    const struct descriptor cudart = {
        "libraries/cudart.json", "{\"schema\":1,\"name\":\"cudart\",\"title\":\"CUDA runtime\","
                                 "\"origin\":\"toolkit\",\"sonames\":[\"libcudart.so\"]}"};
    cr_assert_eq(machine_open_live(&tree.machine, &tree.error), 0);
    cr_assert_eq(sqlite3_open(":memory:", &tree.db), SQLITE_OK);
    cr_assert_eq(facts_open(tree.db, &tree.facts, &tree.error), 0);
    tree.context = (struct probe_context){.machine = tree.machine,
                                          .facts = tree.facts,
                                          .options = &tree.options,
                                          .descriptors = &torch,
                                          .descriptor_count = 1,
                                          .libraries = &cudart,
                                          .library_count = 1,
                                          .arena = &tree.arena,
                                          .error = &tree.error};
    facts_add_environment(
        tree.facts, &(struct row_environment){
                        .environment_id = "/v", .prefix = "/v", .depth = "read", .kind = "venv"});
    for (size_t i = 0; i < sizeof conda / sizeof *conda && conda[i].folder; i++) {
        char *prefix = arena_printf(&tree.arena, "%s%s", tree.dir, conda[i].folder);
        facts_add_environment(tree.facts, &(struct row_environment){.environment_id = prefix,
                                                                    .prefix = prefix,
                                                                    .depth = conda[i].depth,
                                                                    .kind = "conda"});
    }
    facts_add_search_path(tree.facts, &(struct row_search_path){
                                          .environment_id = "/v",
                                          .position = known(0),
                                          .path = arena_printf(&tree.arena, "%s%s", tree.dir, site),
                                          .kind = "site",
                                          .present = known(1)});
    facts_add_framework(tree.facts, &(struct row_framework){.environment_id = "/v",
                                                            .framework_id = "t",
                                                            .name = "torch",
                                                            .package = "torch"});
    facts_add_package(
        tree.facts,
        &(struct row_package){
            .environment_id = "/v",
            .package_id = "torch",
            .name = "torch",
            .kind = "dist",
            .site = arena_printf(&tree.arena, "%s%s", tree.dir, site),
            .path = arena_printf(&tree.arena, "%s%s/torch-2.dist-info/METADATA", tree.dir, site)});
    tree_run(&tree, probe);
}

/* In a child, whose facts go through a file: a process with threads, as the sanitizers' is, may not
 * leave its namespaces. */
static void run(const char *type, const char *load, const struct probe *probe, const char *site)
{
    int status;
    const char *facts = arena_printf(&tree.arena, "%s/facts.sqlite", tree.dir);
    tree_put(&tree, "/facts.sqlite", "");
    fflush(NULL);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (!child) {
        if (!enter(type))
            _exit(2);
        look(load, probe, site);
        _exit(sqlite3_exec(tree.db, arena_printf(&tree.arena, "VACUUM INTO '%s'", facts), NULL,
                           NULL, NULL) != SQLITE_OK);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        cr_skip_test("needs the right to mount");
    cr_assert_eq(status, 0);
    cr_assert_eq(sqlite3_open(facts, &tree.db), SQLITE_OK);
}

static const char *with_dir(const char *format)
{
    return arena_printf(&tree.arena, format, tree.dir, tree.dir);
}

#define SKIPPED "SELECT path, status FROM probe WHERE status = 'skipped'"

Test(reach, what_is_not_found_is_not_known)
{
    run("nfs4", "torch/_C.so", &probe_library, "/v/site");
    expect_rows(&tree, "SELECT outcome, error FROM process WHERE process_id = 't'",
                with_dir("unknown|libfar.so.1: not found, but not looked for in %s/link/, which "
                         "lies on another machine"));
    expect_rows(&tree,
                "SELECT required, found_path FROM resolution WHERE process_id = 't' AND "
                "name = 'libfar.so.1'",
                "~|~");
    expect_rows(&tree,
                "SELECT trail LIKE '%/link/libfar.so.1: on another machine, not looked at%' FROM "
                "resolution WHERE name = 'libfar.so.1'",
                "1");
    expect_rows(&tree, "SELECT count(*) FROM loaded WHERE path LIKE '%far%'", "0");
    expect_rows(&tree, SKIPPED, with_dir("%s/link/|skipped"));
}

Test(reach, what_is_found_behind_is_in_doubt)
{
    tree.options.all_environments = true; /* an automounter is never woken */
    run("autofs", "torch/near.so", &probe_library, "/v/site");
    expect_rows(&tree, "SELECT outcome, error FROM process WHERE process_id = 't'",
                with_dir("unknown|%s/v/site/torch/lib/libcudart.so.12 is not what loads if "
                         "%s/link/ has another, which lies on another machine and was not looked "
                         "at"));
    expect_rows(&tree, "SELECT count(*) FROM missing_symbol", "0");
}

Test(reach, a_path_that_leads_out)
{
    run("nfs", "torch/libs/libfar.so.1", &probe_library, "/v/site");
    expect_rows(&tree, "SELECT outcome FROM process WHERE process_id = 't'", "unknown");
    expect_rows(&tree, "SELECT count(*) FROM loaded WHERE path LIKE '%far%'", "0");
}

Test(reach, the_driver_is_not_looked_for_there)
{
    put_elf("/far/lib/libcuda.so.1", "libcuda.so.1", NULL, NULL);
    run("nfs4", "torch/_C.so", &probe_driver_library, "/v/site");
    expect_rows(&tree,
                "SELECT count(*) FROM driver_library WHERE path LIKE '%/link/%' OR path LIKE "
                "'%/far/%'",
                "0");
    expect_rows(&tree, SKIPPED, with_dir("%s/link|skipped"));
}

/* A toolkit, or conda's cuda-compat, on a server that may be dead. */
static void look_at_variables(const struct probe *probe)
{
    tree_put(&tree, "/far/cuda-12.4/version.json", "{\"cuda\":{\"version\":\"12.4.1\"}}");
    tree_put(&tree, "/far/cuda-12.4/bin/nvcc", "");
    put_elf("/far/conda/cuda-compat/libcuda.so.1", "libcuda.so.1", NULL, NULL);
    setenv("CUDA_HOME", with_dir("%s/far/cuda-12.4"), 1);
    setenv("CONDA_PREFIX", with_dir("%s/far/conda"), 1);
    setenv("PATH", with_dir("%s/far/cuda-12.4/bin:/usr/bin:/bin"), 1);
    run("nfs4", "torch/_C.so", probe, "/v/site");
}

#define BY_VARIABLES \
    "SELECT count(*) FROM toolkit WHERE path LIKE '%/far/%' UNION ALL " \
    "SELECT count(*) FROM driver_library WHERE path LIKE '%/far/%'"

Test(reach, no_toolkit_is_looked_for_there)
{
    look_at_variables(&probe_toolkit);
    expect_rows(&tree, BY_VARIABLES, "0\n0");
    expect_rows(&tree, "SELECT path, fills FROM probe WHERE status = 'skipped'",
                with_dir("%s/far/cuda-12.4/bin/nvcc|toolkit"));
}

Test(reach, no_copy_of_the_driver_is_looked_for_there)
{
    look_at_variables(&probe_driver_library);
    expect_rows(&tree, BY_VARIABLES, "0\n0");
    expect_rows(&tree,
                "SELECT count(*) FROM probe WHERE path LIKE '%/far/conda/cuda-compat' AND "
                "status = 'skipped' AND detail LIKE '%--all-envs%'",
                "1");
}

/* A package of an environment here, whose file is a link to there. */
Test(reach, a_file_of_a_package)
{
    tree_put(&tree, "/v/site/torch-2.dist-info/RECORD",
             "torch/device.so,sha256=a,7\ntorch/gone.so,sha256=a,7\n");
    run("nfs4", "torch/_C.so", &probe_damaged_file, "/v/site");
    expect_rows(&tree, "SELECT path, state FROM damaged_file", "torch/gone.so|gone");
    expect_rows(&tree, "SELECT path, fills FROM probe WHERE status = 'skipped'",
                with_dir("%s/v/site/torch/device.so|"));
}

Test(reach, what_variables_name_is_found_with_all_envs)
{
    tree.options.all_environments = true;
    look_at_variables(&probe_toolkit);
    expect_rows(&tree, BY_VARIABLES, "1\n0");
    expect_rows(&tree, SKIPPED, "");
}

Test(reach, all_envs_asks_for_all)
{
    tree.options.all_environments = true;
    run("nfs4", "torch/_C.so", &probe_library, "/v/site");
    expect_rows(&tree, "SELECT outcome, error FROM process WHERE process_id = 't'", "loads|~");
    expect_rows(&tree, SKIPPED, "");
}

/* It was read, so its server answers: and so it does for what else it has. */
Test(reach, an_environment_that_lies_there)
{
    run("nfs4", "lib/libfar.so.1", &probe_library, "/far");
    expect_rows(&tree, "SELECT outcome, error FROM process WHERE process_id = 't'", "loads|~");
    expect_rows(&tree, SKIPPED, "");
}

Test(reach, device_code)
{
    run("nfs4", "torch/_C.so", &probe_device_code, "/v/site");
    expect_rows(&tree, "SELECT path, status, size, bytes_read, problem FROM device_file",
                with_dir("%s/v/site/torch/device.so|unread|~|~|~"));
    expect_rows(&tree, SKIPPED, with_dir("%s/v/site/torch/device.so|skipped"));
}

Test(reach, a_named_file_is_read)
{
    const char *path = with_dir("%s/far/device.so");
    tree.options.code_files = &path;
    tree.options.code_file_count = 1;
    run("nfs4", "torch/_C.so", &probe_device_code, "/v/site");
    expect_rows(&tree, "SELECT status FROM device_file WHERE framework_id IS NULL", "none");
}

/* One that was read has answered, one that was only listed may not: it is left alone. */
Test(reach, the_compat_copy_of_an_environment)
{
    put_elf("/far/envs/a/cuda-compat/libcuda.so.1", "libcuda.so.1", NULL, NULL);
    put_elf("/near/cuda-compat/libcuda.so.1", "libcuda.so.1", NULL, NULL);
    conda[0] = (struct conda){"/far/envs/a", "listed"};
    conda[1] = (struct conda){"/near", "listed"};
    run("nfs4", "torch/_C.so", &probe_compat, "/v/site");
    expect_rows(&tree, "SELECT path FROM compat_library",
                with_dir("%s/near/cuda-compat/libcuda.so.1"));
    expect_rows(&tree, "SELECT path, fills = '' FROM probe WHERE status = 'skipped'",
                with_dir("%s/far/envs/a/cuda-compat|1"));
}

Test(reach, the_compat_copy_of_an_environment_that_was_read)
{
    put_elf("/far/envs/a/cuda-compat/libcuda.so.1", "libcuda.so.1", NULL, NULL);
    conda[0] = (struct conda){"/far/envs/a", "read"};
    run("nfs4", "torch/_C.so", &probe_compat, "/v/site");
    expect_rows(&tree, "SELECT path FROM compat_library",
                with_dir("%s/far/envs/a/cuda-compat/libcuda.so.1"));
    expect_rows(&tree, SKIPPED, "");
}
