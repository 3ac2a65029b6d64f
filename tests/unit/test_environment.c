/* Discovery of Python environments in trees made here. */
#include <criterion/criterion.h>
#include <errno.h>

#include "parse/pyvenv.h"
#include "python_tree.h"

static void check_text(struct python_tree *tree, const char *sql, const char *expected)
{
    const char *text = tree_ask(tree, sql);
    cr_assert(text && expected ? !strcmp(text, expected) : text == expected, "%s: %s, not %s", sql,
              text ? text : "NULL", expected ? expected : "NULL");
}

/* --- pyvenv.cfg --- */

Test(pyvenv, of_uv)
{
    struct arena arena = {0};
    struct pyvenv found;
    const char text[] = "home = /usr/bin\nimplementation = CPython\nuv = 0.7.2\n"
                        "version_info = 3.12.3\ninclude-system-site-packages = false\n";
    pyvenv_parse(text, sizeof text - 1, &arena, &found);
    cr_assert_str_eq(found.home, "/usr/bin");
    cr_assert_str_eq(found.uv, "0.7.2");
    cr_assert_str_eq(found.version, "3.12.3");
    cr_assert_not(found.has_system_site);
    arena_done(&arena);
}

Test(pyvenv, of_virtualenv_with_odd_spelling)
{
    struct arena arena = {0};
    struct pyvenv found;
    const char text[] = "HOME=/opt/py/bin\r\nversion_info = 3.10.1.final.0\r\n"
                        "Include-System-Site-Packages =  TRUE \r\nnoise\n= x\nuv =\n";
    pyvenv_parse(text, sizeof text - 1, &arena, &found);
    cr_assert_str_eq(found.home, "/opt/py/bin");
    cr_assert_str_eq(found.version, "3.10.1");
    cr_assert(found.has_system_site);
    cr_assert_null(found.uv);
    arena_done(&arena);
}

Test(pyvenv, hostile)
{
    struct arena arena = {0};
    struct pyvenv found;
    const char text[] = "home = /a\x1b[31m\nversion = none\0\nversion = x\n=\n";
    pyvenv_parse(text, sizeof text - 1, &arena, &found);
    cr_assert_null(found.home);
    cr_assert_null(found.version);
    arena_done(&arena);
}

/* --- kinds --- */

Test(environment, venv_of_variable)
{
    struct python_tree tree;
    tree_start(&tree, "VIRTUAL_ENV=/home/u/venv\nHOME=/home/u\n", NULL);
    tree_text(&tree, "/home/u/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    tree_link(&tree, "/home/u/venv/bin/python", "/usr/bin/python3");
    tree_text(&tree, "/usr/bin/python3", "");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree,
               "SELECT environment_id || ' ' || kind || ' ' || manager || ' ' || python || ' ' || "
               "python_path || ' ' || active || ' ' || found_by || ' ' || depth || ' ' || base || "
               "' ' || system_site FROM environment WHERE kind = 'venv'",
               "/home/u/venv venv pip 3.11.2 /home/u/venv/bin/python 1 VIRTUAL_ENV read /usr 0");
    cr_assert_eq(tree_count(&tree, "SELECT python_key FROM environment WHERE kind = 'venv'"),
                 3011002);
    tree_done(&tree);
}

/* uv and poetry take the .venv of a project from any folder in it; another user's or a folder above
 * the home folder is none of theirs. */
Test(environment, project_above_the_working_folder)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/h/u\n", "/h/u/proj/src/deep");
    tree_folder(&tree, "/h/u/proj/src/deep");
    tree_text(&tree, "/h/u/proj/.venv/pyvenv.cfg", "home = /usr/bin\nuv = 0.9\n");
    tree_text(&tree, "/h/u/.venv/pyvenv.cfg", "home = /usr/bin\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree,
               "SELECT group_concat(prefix || ' ' || found_by || ' ' || project, ';') FROM "
               "environment",
               "/h/u/proj/.venv .venv /h/u/proj;/h/u/.venv walk /h/u");
    tree_done(&tree);
    tree_start(&tree, "HOME=/h/u\n", "/h/u/proj/src");
    tree_folder(&tree, "/h/u/proj/src");
    tree_text(&tree, "/h/.venv/pyvenv.cfg", "home = /usr/bin\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT found_by FROM environment", "walk");
    tree_done(&tree);
    tree_start(&tree, "HOME=/h/u\n", "/srv/a/b");
    tree_folder(&tree, "/srv/a/b");
    tree_text(&tree, "/.venv/pyvenv.cfg", "home = /usr/bin\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT prefix || ' ' || found_by || ' ' || project FROM environment",
               "/.venv .venv /");
    tree_done(&tree);
}

Test(environment, python_on_path_wins_over_variable)
{
    struct python_tree tree;
    tree_start(&tree, "VIRTUAL_ENV=/a\nPATH=/nothing:/b/bin:/usr/bin\n", NULL);
    tree_text(&tree, "/a/pyvenv.cfg", "home = /usr/bin\n");
    tree_text(&tree, "/b/pyvenv.cfg", "home = /usr/bin\nuv = 0.5.1\n");
    tree_text(&tree, "/usr/bin/python3.12", "");
    tree_link(&tree, "/usr/bin/python3", "python3.12");
    tree_link(&tree, "/b/bin/python", "/usr/bin/python3");
    tree_folder(&tree, "/usr/lib/python3/dist-packages");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT group_concat(environment_id) FROM environment WHERE active = 1",
               "/b");
    check_text(&tree, "SELECT manager FROM environment WHERE environment_id = '/b'", "uv");
    check_text(&tree, "SELECT kind || manager || python FROM environment WHERE prefix = '/usr'",
               "systemapt3.12");
    tree_done(&tree);
}

Test(environment, conda_and_its_environments)
{
    struct python_tree tree;
    tree_start(&tree, "CONDA_PREFIX=/home/u/miniconda3/envs/ml\n", NULL);
    tree_text(&tree, "/home/u/miniconda3/conda-meta/history", "");
    tree_text(&tree, "/home/u/miniconda3/envs/ml/conda-meta/python-3.10.4-h1_0.json",
              "{\"build\": \"h1_0\", \"files\": [\"bin/python\"], \"name\": \"python\", "
              "\"version\": \"3.10.4\"}");
    tree_folder(&tree, "/home/u/miniconda3/pkgs/x/lib/python3.9/site-packages");
    tree_folder(&tree, "/p/.pixi/envs/default/conda-meta");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree,
               "SELECT group_concat(prefix) FROM (SELECT * FROM environment ORDER BY prefix)",
               "/home/u/miniconda3,/home/u/miniconda3/envs/ml,/p/.pixi/envs/default");
    check_text(&tree,
               "SELECT kind || ' ' || python || ' ' || active FROM environment "
               "WHERE prefix LIKE '%/ml'",
               "conda 3.10.4 1");
    check_text(&tree, "SELECT manager FROM environment WHERE prefix LIKE '%default'", "pixi");
    tree_done(&tree);
}

Test(environment, system_user_and_local)
{
    struct python_tree tree;
    tree_start(&tree, "PATH=/usr/bin\nHOME=/home/u\n", NULL);
    tree_text(&tree, "/usr/bin/python3.10", "");
    tree_link(&tree, "/usr/bin/python3", "python3.10");
    tree_folder(&tree, "/usr/lib/python3/dist-packages");
    tree_folder(&tree, "/usr/local/lib/python3.10/dist-packages");
    tree_folder(&tree, "/home/u/.local/lib/python3.9/site-packages");
    tree_folder(&tree, "/home/u/.local/lib/python3.10/site-packages");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(
        &tree,
        "SELECT group_concat(prefix || ' ' || kind || ' ' || manager || ' ' || python || ' ' "
        "|| active, ';') FROM (SELECT * FROM environment ORDER BY prefix)",
        "/home/u/.local user pip 3.10 0;/usr system apt 3.10 1;/usr/local system pip 3.10 0");
    tree_done(&tree);
}

Test(environment, pyenv_shim)
{
    struct python_tree tree;
    tree_start(&tree, "PATH=/home/u/.pyenv/shims:/usr/bin\nHOME=/home/u\n", "/home/u/project/deep");
    tree_text(&tree, "/home/u/.pyenv/shims/python", "#!/bin/sh\n");
    tree_text(&tree, "/home/u/project/.python-version", "3.12\n");
    tree_folder(&tree, "/home/u/project/deep");
    tree_folder(&tree, "/home/u/.pyenv/versions/3.12.9/lib/python3.12/site-packages");
    tree_folder(&tree, "/home/u/.pyenv/versions/3.12.10/lib/python3.12/site-packages");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT prefix FROM environment WHERE active = 1",
               "/home/u/.pyenv/versions/3.12.10");
    tree_done(&tree);
}

Test(environment, system_site_reads_the_base)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/v/pyvenv.cfg", "home = /opt/py/bin\ninclude-system-site-packages = true\n");
    tree_text(&tree, "/opt/py/bin/python3", "");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT base || ' ' || system_site FROM environment WHERE prefix = '/v'",
               "/opt/py 1");
    check_text(&tree, "SELECT found_by || ' ' || depth FROM environment WHERE prefix = '/opt/py'",
               "base read");
    tree_done(&tree);
}

/* --- trouble --- */

Test(environment, loops_of_home)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/self/pyvenv.cfg", "home = /self/bin\n");
    tree_text(&tree, "/a/pyvenv.cfg", "home = /b/bin\ninclude-system-site-packages = true\n");
    tree_text(&tree, "/b/pyvenv.cfg", "home = /a/bin\ninclude-system-site-packages = true\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM environment"), 3);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM environment WHERE base IS NULL"), 3);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE status = 'malformed' AND "
                                   "detail LIKE '%back to itself'"),
                 3);
    tree_done(&tree);
}

Test(environment, links_lead_to_one)
{
    struct python_tree tree;
    tree_start(&tree, "VIRTUAL_ENV=/link\nPATH=/real/bin\n", NULL);
    tree_text(&tree, "/real/pyvenv.cfg", "home = /usr/bin\n");
    tree_text(&tree, "/real/bin/python", "");
    tree_link(&tree, "/link", "/real");
    tree_link(&tree, "/round", "/round");
    tree_link(&tree, "/real/bin/python3", "python3");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT group_concat(prefix) FROM environment", "/real");
    tree_done(&tree);
}

Test(environment, fifo_and_huge_pyvenv)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_fifo(&tree, "/f/pyvenv.cfg");
    tree_text(&tree, "/h/pyvenv.cfg", "home = /usr/bin\n");
    tree_extend(&tree, "/h/pyvenv.cfg", (int64_t)4 << 30);
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM environment WHERE kind = 'venv'"), 2);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE status = 'malformed' AND "
                                   "path LIKE '%/pyvenv.cfg'"),
                 2);
    tree_done(&tree);
}

Test(environment, hostile_folder_name)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/x\x1b[1m';\"\n\xff/pyvenv.cfg", "home = /usr/bin\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM environment"), 1);
    tree_done(&tree);
}

Test(environment, variable_without_environment)
{
    struct python_tree tree;
    tree_start(&tree, "VIRTUAL_ENV=/gone\n", NULL);
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM environment"), 0);
    check_text(&tree, "SELECT status || path FROM probe WHERE detail LIKE 'VIRTUAL_ENV%'",
               "absent/gone");
    tree_done(&tree);
}

/* --- --env --- */

static int run_with(struct python_tree *tree, const char *path)
{
    static const char *paths[1];
    paths[0] = path;
    tree->options.environments = paths;
    tree->options.environment_count = 1;
    return tree_run(tree, &probe_environment);
}

Test(environment, option_takes_a_target_folder)
{
    struct python_tree tree;
    tree_start(&tree, NULL, "/srv");
    tree_dist(&tree, "/srv/libs", "torch", "2.6.0", "");
    cr_assert_eq(run_with(&tree, "libs"), 0);
    check_text(&tree, "SELECT prefix || ' ' || kind || ' ' || found_by FROM environment",
               "/srv/libs folder --env");
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    check_text(&tree, "SELECT name || site FROM package", "torch/srv/libs");
    tree_done(&tree);
}

Test(environment, option_refuses_what_is_none)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    tree_text(&tree, "/etc/hosts", "");
    cr_assert_eq(run_with(&tree, "/etc"), -EINVAL);
    cr_assert_str_eq(tree.error.text, "--env /etc: no Python environment there inside the root");
    tree_done(&tree);
}

Test(environment, option_refuses_what_is_missing)
{
    struct python_tree tree;
    tree_start(&tree, NULL, NULL);
    cr_assert_eq(run_with(&tree, "/gone"), -EINVAL);
    tree_done(&tree);
}
