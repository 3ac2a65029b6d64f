/* Who made an environment, what its search path is, and which environment a command starts, in
 * trees that lie as the tools leave them. */
#include <criterion/criterion.h>
#include <errno.h>

#include "python_tree.h"

static void check_text(struct python_tree *tree, const char *sql, const char *expected)
{
    const char *text = tree_ask(tree, sql);
    cr_expect(text && expected ? !strcmp(text, expected) : text == expected, "%s: %s, not %s", sql,
              text ? text : "NULL", expected ? expected : "NULL");
}

#define MARKS(leaf) \
    "SELECT manager || ' ' || ifnull(manager_version, '-') || ' ' || ifnull(name, '-') || ' ' || " \
    "ifnull(project, '-') FROM environment WHERE prefix LIKE '%/" leaf "'"

/* --- managers --- */

Test(manager, of_venvs)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/h\nPOETRY_VIRTUALENVS_PATH=/p/venvs\nWORKON_HOME=/wh\n", NULL);
    tree_text(&tree, "/w/plain/pyvenv.cfg", "home = /usr/bin\nprompt = 'shown'\n");
    tree_text(&tree, "/w/virtual/pyvenv.cfg", "home = /usr/bin\nvirtualenv = 20.29.1\n");
    tree_text(&tree, "/w/uvp/.venv/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.1\nprompt = uvp\n");
    tree_text(&tree, "/h/.local/share/uv/tools/ruff/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.2\n");
    tree_text(&tree, "/h/.local/share/uv/tools/ruff/uv-receipt.toml", "[tool]\n");
    tree_text(&tree, "/else/pipx/cow/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.2\n");
    tree_text(&tree, "/else/pipx/cow/pipx_metadata.json", "{}");
    tree_text(&tree, "/p/venvs/poe-Vn6gyX3s-py3.11/pyvenv.cfg",
              "home = /usr/bin\nvirtualenv = 20.29.1\nprompt = \"poe-py3.11\"\n");
    tree_text(&tree, "/w/poein/.venv/pyvenv.cfg",
              "home = /usr/bin\nvirtualenv = 20.29.1\nprompt = \"in-py3.11\"\n");
    tree_text(&tree, "/h/.local/share/virtualenvs/pe-vb_ib7iU/pyvenv.cfg",
              "home = /usr/bin\nvirtualenv = 20.29.1\n");
    tree_text(&tree, "/h/.local/share/virtualenvs/pe-vb_ib7iU/.project", "/w/pe\n");
    tree_text(&tree, "/w/pdmp/.venv/pyvenv.cfg", "home = /usr/bin\nvirtualenv = 20.29.1\n");
    tree_text(&tree, "/w/pdmp/.pdm-python", "");
    tree_text(&tree, "/h/.local/share/hatch/env/virtual/hat/kTSi9-Ij/hatenv/pyvenv.cfg",
              "home = /usr/bin\n");
    tree_text(&tree, "/h/.virtualenvs/wrapped/pyvenv.cfg", "home = /usr/bin\nvirtualenv = 20\n");
    tree_text(&tree, "/h/.virtualenvs/wrapped/bin/get_env_details", "");
    tree_text(&tree, "/h/.virtualenvs/wrapped/.project", "/w/proj1\n");
    /* set-up files of virtualenvwrapper beside it; a file .project alone says nothing */
    tree_text(&tree, "/k/envs/postactivate", "");
    tree_text(&tree, "/k/envs/legacy/pyvenv.cfg", "home = /usr/bin\nvirtualenv = 20\n");
    tree_text(&tree, "/k/envs/legacy/.project", "/w/proj2\n");
    tree_text(&tree, "/k/lone/pyvenv.cfg", "home = /usr/bin\n");
    tree_text(&tree, "/k/lone/.project", "/w/proj3\n");
    tree_text(&tree, "/h/.local/share/virtualenvs/own/pyvenv.cfg", "home = /usr/bin\nuv = 0.9\n");
    tree_text(&tree, "/wh/infer-aBcD123_/pyvenv.cfg", "home = /usr/bin\nvirtualenv = 20\n");
    tree_text(&tree, "/wh/infer-aBcD123_/.project", "/w/infer\n");
    tree_text(&tree, "/wh/plain-one/pyvenv.cfg", "home = /usr/bin\nvirtualenv = 20.1\n");
    tree_text(&tree, "/wh/plain-one/.project", "/w/one\n");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, MARKS("plain"), "pip - shown -");
    check_text(&tree, MARKS("virtual"), "virtualenv 20.29.1 virtual -");
    check_text(&tree, MARKS("uvp/.venv"), "uv 0.9.1 uvp /w/uvp");
    check_text(&tree, MARKS("ruff"), "uv tool 0.9.2 ruff -");
    check_text(&tree, MARKS("cow"), "pipx - cow -");
    check_text(&tree, MARKS("poe-Vn6gyX3s-py3.11"), "poetry - poe-py3.11 -");
    check_text(&tree, MARKS("poein/.venv"), "poetry - in-py3.11 /w/poein");
    check_text(&tree, MARKS("pe-vb_ib7iU"), "pipenv - pe-vb_ib7iU /w/pe");
    check_text(&tree, MARKS("pdmp/.venv"), "pdm - .venv /w/pdmp");
    check_text(&tree, MARKS("hatenv"), "hatch - hatenv -");
    check_text(&tree, MARKS("wrapped"), "virtualenvwrapper - wrapped /w/proj1");
    check_text(&tree, MARKS("legacy"), "virtualenvwrapper - legacy /w/proj2");
    check_text(&tree, MARKS("lone"), "pip - lone /w/proj3");
    check_text(&tree, MARKS("virtualenvs/own"), "uv 0.9 own -");
    check_text(&tree, MARKS("infer-aBcD123_"), "pipenv - infer-aBcD123_ /w/infer");
    check_text(&tree, MARKS("plain-one"), "virtualenv 20.1 plain-one /w/one");
    tree_done(&tree);
}

Test(manager, of_conda_and_its_kin)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/h\n", NULL);
    tree_text(&tree, "/o/conda/conda-meta/history", "");
    tree_folder(&tree, "/o/conda/pkgs");
    tree_text(&tree, "/o/conda/envs/ml/conda-meta/history",
              "==> 2024 <==\n# cmd: /o/conda/bin/conda create -n ml\n# conda version: 24.1.2\n");
    tree_text(&tree, "/o/conda/envs/mm/conda-meta/history",
              "==> 2024 <==\n# cmd: mamba create -n mm\n# conda version: 3.8.0\n");
    tree_text(&tree, "/h/y/envs/mi/conda-meta/history",
              "==> 2024 <==\n# cmd: micromamba create -n mi\n# conda version: 3.8.0\n");
    tree_text(&tree, "/w/p/.pixi/envs/gpu/conda-meta/pixi",
              "{\"manifest_path\": \"/w/p/pixi.toml\", \"environment_name\": \"gpu\", "
              "\"pixi_version\": \"0.40.0\"}");
    tree_folder(&tree, "/h/.pixi/envs/tool/conda-meta");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, MARKS("o/conda"), "conda - base -");
    check_text(&tree, MARKS("ml"), "conda 24.1.2 ml -");
    check_text(&tree, MARKS("mm"), "mamba - mm -");
    check_text(&tree, MARKS("mi"), "micromamba - mi -");
    check_text(&tree, MARKS("gpu"), "pixi 0.40.0 gpu /w/p");
    check_text(&tree, MARKS("tool"), "pixi - tool -");
    tree_done(&tree);
}

Test(manager, of_systems_and_pythons)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/h\n", NULL);
    tree_text(&tree, "/usr/bin/python3.13", "");
    tree_link(&tree, "/usr/bin/python3", "python3.13");
    tree_text(&tree, "/usr/include/python3.13/patchlevel.h",
              "#define PY_MAJOR_VERSION\t3\n#define PY_VERSION      \t\"3.13.2+\"\n");
    tree_text(&tree, "/usr/bin/dnf5", "");
    tree_folder(&tree, "/usr/lib/python3.13/site-packages");
    tree_folder(&tree, "/usr/lib64/python3.13/site-packages");
    tree_text(&tree, "/h/.pyenv/versions/3.12.9/bin/python3", "");
    tree_folder(&tree, "/h/.pyenv/versions/3.12.9/lib/python3.12/site-packages");
    tree_text(&tree, "/h/.local/share/uv/python/cpython-3.12.8-linux-x86_64-gnu/bin/python3", "");
    tree_folder(&tree, "/h/.local/share/uv/python/cpython-3.12.8-linux-x86_64-gnu/lib/python3.12/"
                       "site-packages");
    tree_text(&tree,
              "/h/.local/share/uv/python/cpython-3.12.8-linux-x86_64-gnu/lib/python3.12/"
              "EXTERNALLY-MANAGED",
              "");
    tree_dist(&tree, "/opt/pfx/lib/python3.11/site-packages", "six", "1.16.0", "");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, MARKS("usr"), "dnf - - -");
    check_text(&tree, MARKS("3.12.9"), "pyenv - 3.12.9 -");
    check_text(&tree, MARKS("cpython-3.12.8-linux-x86_64-gnu"),
               "uv - cpython-3.12.8-linux-x86_64-gnu -");
    check_text(&tree, "SELECT externally_managed FROM environment WHERE manager = 'uv'", "1");
    check_text(&tree,
               "SELECT group_concat(python, ' ') FROM (SELECT python FROM environment WHERE "
               "manager IN ('dnf', 'pyenv', 'uv') ORDER BY manager)",
               "3.13.2 3.12.9 3.12.8");
    check_text(&tree, "SELECT kind || python FROM environment WHERE prefix = '/opt/pfx'",
               "folder3.11");
    cr_assert_eq(tree_run(&tree, &probe_package), 0);
    check_text(&tree, "SELECT site FROM package WHERE name = 'six'",
               "/opt/pfx/lib/python3.11/site-packages");
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    check_text(&tree,
               "SELECT group_concat(position || path, ' ') FROM (SELECT * FROM search_path "
               "WHERE environment_id = '/usr' ORDER BY position)",
               "0/usr/lib64/python3.13/site-packages 1/usr/lib/python3.13/site-packages");
    tree_done(&tree);
}

/* --- search path --- */

#define PATHS(id) \
    "SELECT group_concat(path || '=' || kind || '=' || ifnull(owner_id, '-') || '=' || present, " \
    "' ') FROM (SELECT * FROM search_path WHERE environment_id = '" id "' ORDER BY position)"

Test(search_path, of_debian_with_user_site_and_pythonpath)
{
    struct python_tree tree;
    tree_start(&tree, "PATH=/usr/bin\nHOME=/h\nPYTHONPATH=/srv/libs::/gone:rel\n", "/w");
    tree_text(&tree, "/usr/bin/python3.12", "");
    tree_link(&tree, "/usr/bin/python3", "python3.12");
    tree_folder(&tree, "/usr/lib/python3/dist-packages");
    tree_text(&tree, "/usr/lib/python3.12/sitecustomize.py", "");
    tree_folder(&tree, "/usr/local/lib/python3.12/dist-packages");
    tree_folder(&tree, "/h/.local/lib/python3.12/site-packages");
    tree_dist(&tree, "/srv/libs", "torch", "2.6.0", "");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    check_text(&tree, PATHS("/usr"),
               "/srv/libs=pythonpath=/srv/libs=1 /gone=pythonpath=-=0 /w/rel=pythonpath=-=0 "
               "/h/.local/lib/python3.12/site-packages=user-site=/h/.local=1 "
               "/usr/local/lib/python3.12/dist-packages=site=/usr/local=1 "
               "/usr/lib/python3/dist-packages=site=-=1");
    check_text(&tree, PATHS("/h/.local"), "/h/.local/lib/python3.12/site-packages=user-site=-=1");
    check_text(&tree,
               "SELECT kind || found_by || depth FROM environment WHERE prefix = '/srv/libs'",
               "folderPYTHONPATHread");
    check_text(&tree, "SELECT path FROM startup_code WHERE environment_id = '/usr'",
               "/usr/lib/python3.12/sitecustomize.py");
    tree_done(&tree);
}

Test(search_path, of_venvs)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/h\n", NULL);
    tree_text(&tree, "/usr/bin/python3.12", "");
    tree_link(&tree, "/usr/bin/python3", "python3.12");
    tree_folder(&tree, "/usr/lib/python3/dist-packages");
    tree_folder(&tree, "/h/.local/lib/python3.12/site-packages");
    tree_text(&tree, "/a/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
    tree_link(&tree, "/a/lib64", "lib");
    tree_text(&tree, "/b/pyvenv.cfg",
              "home = /usr/bin\nversion = 3.12.3\ninclude-system-site-packages = true\n");
    tree_folder(&tree, "/b/lib/python3.12/site-packages");
    tree_folder(&tree, "/a/lib/python3.12/site-packages/inside");
    tree_folder(&tree, "/w/src");
    tree_folder(&tree, "/w/uvp");
    tree_folder(&tree, "/w/dev");
    tree_dist(&tree, "/a/lib/python3.12/site-packages", "uvp", "0.1.0", "");
#define SITE "/a/lib/python3.12/site-packages"
    tree_text(&tree, SITE "/__editable__.edi2-0.1.0.pth", "/w/src\n/gone\n");
    tree_text(&tree, SITE "/uvp.pth", "/w/uvp");
    tree_text(&tree, SITE "/easy-install.pth", "/w/dev/\n/w/src\n");
    tree_text(&tree, SITE "/other.pth", "inside\n");
    tree_text(&tree, SITE "/.hidden.pth", "import hidden\n");
    tree_text(&tree, SITE "/distutils-precedence.pth", "import os; x\n");
    tree_fifo(&tree, SITE "/zz.pth");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    check_text(&tree, PATHS("/a"),
               SITE "=site=-=1 /w/src=editable=-=1 /w/dev=egg-link=-=1 " SITE "/inside=pth=-=1 "
                    "/w/uvp=editable=-=1");
    check_text(&tree, PATHS("/b"),
               "/b/lib/python3.12/site-packages=site=-=1 "
               "/h/.local/lib/python3.12/site-packages=user-site=/h/.local=1 "
               "/usr/lib/python3/dist-packages=base-site=/usr=1");
    check_text(&tree,
               "SELECT group_concat(path || ' ' || line || ' ' || package) FROM startup_code",
               SITE "/distutils-precedence.pth import os; x setuptools");
    check_text(&tree, "SELECT status FROM probe WHERE path LIKE '%zz.pth'", "malformed");
    tree_done(&tree);
}

Test(search_path, conda_sees_the_user_site_first)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/h\n", NULL);
    tree_folder(&tree, "/c/conda-meta");
    tree_text(&tree, "/c/bin/python3.11", "");
    tree_link(&tree, "/c/bin/python3", "python3.11");
    tree_folder(&tree, "/c/lib/python3.11/site-packages");
    tree_folder(&tree, "/h/.local/lib/python3.11/site-packages");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_search_path), 0);
    check_text(&tree, PATHS("/c"),
               "/h/.local/lib/python3.11/site-packages=user-site=/h/.local=1 "
               "/c/lib/python3.11/site-packages=site=-=1");
    tree_done(&tree);
}

/* --- launchers --- */

#define LAUNCHER(which) \
    "SELECT ifnull(interpreter, '-') || ' ' || ifnull(environment_id, '-') || ' ' || " \
    "ifnull(present, '-') || ' ' || ifnull(via, '-') FROM launcher WHERE name = '" which "'"

static void put_kernel(struct python_tree *tree, const char *folder, const char *name,
                       const char *argv)
{
    tree_text(tree, arena_printf(&tree->arena, "%s/%s/kernel.json", folder, name),
              arena_printf(&tree->arena,
                           "{\"argv\": %s, \"display_name\": \"D\", \"language\": \"python\"}",
                           argv));
}

Test(launcher, commands_and_kernels)
{
    struct python_tree tree;
    tree_start(&tree, "PATH=/v/bin:/usr/local/bin:/usr/bin\nHOME=/h\nJUPYTER_PATH=/srv/jupyter\n",
               NULL);
    tree_text(&tree, "/v/pyvenv.cfg", "home = /usr/bin\n");
    tree_link(&tree, "/v/bin/python", "/usr/bin/python3");
    tree_text(&tree, "/usr/bin/python3.12", "\177ELF");
    tree_link(&tree, "/usr/bin/python3", "python3.12");
    tree_text(&tree, "/usr/local/bin/pip", "#!/gone/bin/python3\n");
    tree_text(&tree, "/usr/bin/pip3", "#!/usr/bin/env python3\n");
    tree_folder(&tree, "/usr/lib/python3/dist-packages");
    tree_text(&tree, "/c/envs/ml/conda-meta/history", "");
    tree_text(&tree, "/c/envs/ml/bin/python", "");
#define USER "/h/.local/share/jupyter/kernels"
    put_kernel(&tree, USER, "here", "[\"/v/bin/python\", \"-m\", \"ipykernel_launcher\"]");
    put_kernel(&tree, USER, "dead", "[\"/old/bin/python\"]");
    put_kernel(&tree, USER, "named", "[\"conda\", \"run\", \"-n\", \"ml\", \"python\"]");
    put_kernel(&tree, USER, "own", "[\"python\"]");
    put_kernel(&tree, "/srv/jupyter/kernels", "here", "[\"/usr/bin/python3\"]");
    put_kernel(&tree, "/v/share/jupyter/kernels", "python3", "[\"python\"]");
    tree_text(&tree, USER "/r/kernel.json", "{\"argv\": [\"R\"], \"language\": \"R\"}");
    tree_text(&tree, USER "/cut/kernel.json", "{\"argv\": [");
    tree_fifo(&tree, USER "/fifo/kernel.json");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    cr_assert_eq(tree_run(&tree, &probe_launcher), 0);
    check_text(&tree, LAUNCHER("python"), "/v/bin/python /v 1 link");
    check_text(&tree,
               "SELECT interpreter || environment_id FROM launcher WHERE name = 'python3' AND "
               "kind = 'python'",
               "/usr/bin/python3/usr");
    check_text(&tree, LAUNCHER("pip"), "/gone/bin/python3 - 0 shebang");
    check_text(&tree, LAUNCHER("pip3"), "/usr/bin/python3 /usr 1 shebang");
    check_text(&tree, LAUNCHER("here"), "/usr/bin/python3 /usr 1 argv"); /* JUPYTER_PATH first */
    check_text(&tree, LAUNCHER("dead"), "/old/bin/python - 0 argv");
    check_text(&tree, LAUNCHER("named"), "/c/envs/ml/bin/python /c/envs/ml 1 argv");
    check_text(&tree, LAUNCHER("own"), "- - - argv");
    check_text(&tree, "SELECT interpreter FROM launcher WHERE path LIKE '/v/share/%'",
               "/v/bin/python");
    cr_assert_eq(tree_count(&tree, "SELECT count(*) FROM launcher WHERE name IN ('r', 'cut')"), 0);
    cr_assert_eq(tree_count(&tree,
                            "SELECT count(*) FROM probe WHERE name = 'launcher' AND status = "
                            "'malformed'"),
                 2);
    tree_done(&tree);
}

Test(launcher, tool_that_goes_by_the_name_of_python)
{
    struct python_tree tree;
    tree_start(&tree, "PATH=/h/shims:/usr/bin\nHOME=/h\n", NULL);
    tree_text(&tree, "/opt/bin/mise", "\177ELF");
    tree_link(&tree, "/h/shims/python3", "/opt/bin/mise");
    tree_text(&tree, "/usr/bin/python3", "\177ELF");
    cr_assert_eq(tree_run(&tree, &probe_environment), 0);
    check_text(&tree, "SELECT prefix FROM environment WHERE active = 1", "/usr");
    tree_done(&tree);
}

/* --- --env --- */

static const char *environment_of(const char *option)
{
    static char found[512];
    struct python_tree tree;
    const char *paths[] = {option};
    tree_start(&tree, "HOME=/h\n", NULL);
    tree_text(&tree, "/v/pyvenv.cfg", "home = /usr/bin\n");
    tree_text(&tree, "/v/bin/python3", "\177ELF");
    tree_text(&tree, "/v/bin/pip", "#!/v/bin/python3\n");
    tree_text(&tree, "/etc/hosts", "127.0.0.1\n");
    tree_text(&tree, "/v/lib/python3.12/site-packages/a-1.dist-info/METADATA",
              "Name: a\nVersion: 1\n\n");
    tree_text(&tree, "/project/.venv/pyvenv.cfg", "home = /usr/bin\n");
    put_kernel(&tree, USER, "mine", "[\"/v/bin/python3\"]");
    put_kernel(&tree, USER, "dead", "[\"/old/bin/python3\"]");
    tree.options.environments = paths;
    tree.options.environment_count = 1;
    int r = tree_run(&tree, &probe_environment);
    const char *text =
        r < 0 ? tree.error.text
              : tree_ask(&tree, "SELECT prefix FROM environment WHERE found_by = '--env'");
    snprintf(found, sizeof found, "%s", text ? text : "NULL");
    tree_done(&tree);
    return found;
}

#define NO_KERNEL \
    " no Jupyter kernel of that name with a Python that is there; gpudoctor facts launcher lists " \
    "kernels"

Test(option, takes_programs_and_kernels)
{
    cr_expect_str_eq(environment_of("/v/bin/python3"), "/v");
    cr_expect_str_eq(environment_of("/v/bin/pip"), "/v");
    cr_expect_str_eq(environment_of(USER "/mine/kernel.json"), "/v");
    cr_expect_str_eq(environment_of(USER "/mine"), "/v");
    cr_expect_str_eq(environment_of("/v/pyvenv.cfg"), "/v");
    cr_expect_str_eq(environment_of("/v/lib/python3.12/site-packages"), "/v");
    cr_expect_str_eq(environment_of("/project"), "/project/.venv");
    cr_expect_str_eq(environment_of("kernel:mine"), "/v");
    cr_expect_str_eq(environment_of("kernel:dead"), "--env kernel:dead:" NO_KERNEL);
    cr_expect_str_eq(environment_of("kernel:none"), "--env kernel:none:" NO_KERNEL);
    cr_expect_str_eq(environment_of("/etc/hosts"),
                     "--env /etc/hosts: no Python environment there inside the root");
}
