#include <string.h>

#include "probe_tree.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
    tree_put(&tree, "/etc/os-release", "ID=debian\nVERSION_ID=12\n");
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_run, .init = start, .fini = finish);

static int run(void)
{
    tree_open(&tree);
    size_t count;
    const struct probe *const *probes = probes_all(&count);
    return probes_run(probes, count, &tree.context);
}

Test(probe_run, every_source_tells_what_became_of_it)
{
    cr_assert_eq(run(), 0, "%s", tree.error.text);
    cr_expect_eq(facts_failed(tree.facts, &tree.error), 0, "%s", tree.error.text);
    expect_rows(&tree,
                "SELECT DISTINCT name FROM probe WHERE name IN ('all', 'host', 'env_var', "
                "'pci', 'kernel_module', 'driver_version', 'gpu_proc', 'device_node', "
                "'service', 'loader_cache', 'driver_library', 'toolkit', 'nvml') ORDER BY 1",
                "all\ndevice_node\ndriver_library\ndriver_version\nenv_var\ngpu_proc\nhost\n"
                "kernel_module\nloader_cache\nnvml\npci\nservice\ntoolkit");
    /* the same facts each time: no clock on a recorded machine */
    expect_rows(&tree, "SELECT name, scope, status, ms FROM probe ORDER BY rowid DESC LIMIT 1",
                "all|machine|ok|~");
    expect_rows(&tree, "SELECT count(*) FROM host", "1");
    expect_rows(&tree,
                "SELECT count(*) FROM probe WHERE status NOT IN ('ok', 'absent', 'denied', "
                "'malformed', 'timeout', 'skipped') OR scope IS NULL",
                "0");
}

/* --env that leads nowhere is the user's mistake, and the question to NVML is still taken back. */
Test(probe_run, wrong_use_ends_it)
{
    static const char *const environments[] = {"/no/such/venv"};
    tree.options.environments = environments;
    tree.options.environment_count = 1;
    cr_expect_lt(run(), 0);
    cr_expect(tree.error.text[0]);
    cr_expect_null(tree.context.nvml);
}

Test(probe_run, strange_lines_of_the_record_are_told)
{
    tree_put(&tree, "/.record/dev", "what is this\n");
    cr_assert_eq(run(), 0);
    expect_rows(&tree,
                "SELECT count(*) > 0 FROM probe WHERE name = 'record' AND status = "
                "'malformed'",
                "1");
}

Test(probe_run, tables_have_limits)
{
    tree_open(&tree);
    facts_set_limits(tree.facts, 2, 1000);
    for (int i = 0; i < 3; i++)
        facts_add_env_var(tree.facts, &(struct row_env_var){.name = "A", .value = "b"});
    expect_rows(&tree, "SELECT count(*) FROM env_var", "2");
    cr_expect(facts_is_cut(tree.facts, TABLE_env_var));
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    facts_add_service(tree.facts, &(struct row_service){.name = text});
    expect_rows(&tree, "SELECT count(*) FROM service", "0");
    cr_expect(facts_is_cut(tree.facts, TABLE_service));
    cr_expect_not(facts_is_cut(tree.facts, TABLE_host));
    facts_set_limits(tree.facts, 0, 0);
    facts_add_service(tree.facts, &(struct row_service){.name = text});
    expect_rows(&tree, "SELECT count(*) FROM service", "1");
}
