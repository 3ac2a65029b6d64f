/* Settings of conda, mamba, pixi, pip and uv. */
#include <criterion/criterion.h>

#include "base/text.h"
#include "python/condarc.h"
#include "python_tree.h"

static void run(struct python_tree *tree)
{
    cr_assert_eq(tree_run(tree, &probe_environment), 0);
    cr_assert_eq(tree_run(tree, &probe_package_setting), 0);
}

static void expect(struct python_tree *tree, const char *where, const char *expected)
{
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql,
                "SELECT group_concat(tool || ' ' || name || '=' || value || ' ' || position || ' ' "
                "|| path || ifnull(' ' || environment_id, ''), '\n') FROM package_setting WHERE %s",
                where);
    const char *seen = tree_ask(tree, sql.data);
    cr_expect_str_eq(seen ? seen : "", expected);
}

static int64_t malformed(struct python_tree *tree)
{
    return tree_count(tree, "SELECT count(*) FROM probe WHERE name = 'package_setting' AND "
                            "status = 'malformed' AND fills = 'package_setting'");
}

Test(package_setting, of_conda)
{
    struct python_tree tree;
    tree_start(&tree,
               "HOME=/home/u\nCONDA_EXE=/opt/conda/bin/conda\nCONDARC=/x/rc.yml\n"
               "CONDA_OVERRIDE_CUDA=\nCONDA_CHANNELS=nvidia,https://u:p@h/t/tok/c\n",
               NULL);
    tree_text(&tree, "/etc/conda/condarc.d/b.yml", "solver: libmamba\n");
    tree_text(&tree, "/etc/conda/condarc.d/a.yaml", "offline: true\n");
    tree_text(&tree, "/etc/conda/condarc.d/not.txt", "solver: no\n");
    tree_text(&tree, "/opt/conda/.condarc",
              "channels:\n  - https://user:secret@repo.corp/api/conda\n"
              "  - 'https://conda.anaconda.org/t/tk-1-2/nvidia'\nchannel_priority: strict\n"
              "other: {a: [b, c]}\n");
    tree_text(&tree, "/home/u/.condarc",
              "channels: [conda-forge]\npinned_packages:\n- numpy 1.26.*\n"
              "override_virtual_packages:\n  cuda: \"12.4\"\n  archspec:\n"
              "envs_dirs:\n- ~/envs\n- $DATA/envs\n- /data/envs\n");
    tree_text(&tree, "/home/u/.mambarc", "channels:\n- bioconda\n");
    tree_text(&tree, "/x/rc.yml", "default_channels: https://h/a?token=x\n");
    tree_text(&tree, "/c/conda-meta/history", "");
    tree_text(&tree, "/c/.condarc", "channels: pytorch\n");
    tree_text(&tree, "/c/conda-meta/state",
              "{\"env_vars\":{\"SECRET\":\"x\",\"CONDA_OVERRIDE_CUDA\":\"13.0\"}}");
    run(&tree);
    expect(&tree, "tool IN ('conda', 'mamba')",
           "conda offline=true 0 /etc/conda/condarc.d/a.yaml\n"
           "conda solver=libmamba 0 /etc/conda/condarc.d/b.yml\n"
           "conda channels=https://repo.corp/api/conda 0 /opt/conda/.condarc\n"
           "conda channels=https://conda.anaconda.org/nvidia 1 /opt/conda/.condarc\n"
           "conda channel_priority=strict 0 /opt/conda/.condarc\n"
           "conda channels=conda-forge 0 /home/u/.condarc\n"
           "conda pinned_packages=numpy 1.26.* 0 /home/u/.condarc\n"
           "conda override_virtual_packages.cuda=12.4 0 /home/u/.condarc\n"
           "conda override_virtual_packages.archspec= 0 /home/u/.condarc\n"
           "conda envs_dirs=~/envs 0 /home/u/.condarc\n"
           "conda envs_dirs=$DATA/envs 1 /home/u/.condarc\n"
           "conda envs_dirs=/data/envs 2 /home/u/.condarc\n"
           "mamba channels=bioconda 0 /home/u/.mambarc\n"
           "conda default_channels=https://h/a 0 /x/rc.yml\n"
           "conda channels=pytorch 0 /c/.condarc /c\n"
           "conda override_virtual_packages.cuda=13.0 0 /c/conda-meta/state /c\n"
           "conda override_virtual_packages.cuda= 0 CONDA_OVERRIDE_CUDA\n"
           "conda channels=nvidia 0 CONDA_CHANNELS\n"
           "conda channels=https://h/c 1 CONDA_CHANNELS");
    cr_expect_eq(malformed(&tree), 0);
    struct condarc_dirs dirs;
    condarc_read_envs_dirs(&tree.context, &dirs);
    cr_assert_eq(dirs.count, 2);
    cr_expect_str_eq(dirs.items[0], "/home/u/envs");
    cr_expect_str_eq(dirs.items[1], "/data/envs");
    tree_done(&tree);
}

Test(package_setting, folders_of_variables_come_first)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/home/u\nCONDA_ENVS_PATH=/a:~/b::c\nDATA=/d\n", NULL);
    tree_text(&tree, "/etc/conda/.condarc", "envs_dirs: [/a, /early]\n");
    tree_text(&tree, "/home/u/.condarc", "envs_dirs: ['${DATA}/e']\n");
    run(&tree);
    struct condarc_dirs dirs;
    condarc_read_envs_dirs(&tree.context, &dirs);
    cr_assert_eq(dirs.count, 4);
    cr_expect_str_eq(dirs.items[0], "/a");
    cr_expect_str_eq(dirs.items[1], "/home/u/b");
    cr_expect_str_eq(dirs.items[2], "/d/e");
    cr_expect_str_eq(dirs.items[3], "/early");
    tree_done(&tree);
}

Test(package_setting, of_pip)
{
    struct python_tree tree;
    tree_start(&tree,
               "HOME=/home/u\nPIP_CONFIG_FILE=/x/pip.ini\nPIP_EXTRA_INDEX_URL=https://a:b@h/1 "
               "https://h/2\nUV_INDEX=corp=https://tok@h/s https://h/x\nUV_TORCH_BACKEND=auto\n",
               NULL);
    tree_text(&tree, "/etc/pip.conf",
              "[global]\nIndex_URL = https://user:secret@h/simple\nextra-index-url =\n"
              "    https://h/a\n    https://h/b?x=y\ntimeout = 60\n[install]\nno-binary: :all:\n"
              "user = yes\n[download]\nindex-url = https://no\n");
    tree_text(&tree, "/home/u/.config/pip/pip.conf", "[global]\nbreak-system-packages = true\n");
    tree_text(&tree, "/x/pip.ini", "[global]\nfind-links = /srv/wheels https://h/w\n");
    tree_text(&tree, "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
    tree_text(&tree, "/v/pip.conf", "[global]\nno-index = true\n");
    run(&tree);
    expect(&tree, "tool = 'pip'",
           "pip index-url=https://h/simple 0 /etc/pip.conf\n"
           "pip extra-index-url=https://h/a 0 /etc/pip.conf\n"
           "pip extra-index-url=https://h/b 1 /etc/pip.conf\n"
           "pip no-binary=:all: 0 /etc/pip.conf\npip user=yes 0 /etc/pip.conf\n"
           "pip break-system-packages=true 0 /home/u/.config/pip/pip.conf\n"
           "pip find-links=/srv/wheels 0 /x/pip.ini\npip find-links=https://h/w 1 /x/pip.ini\n"
           "pip no-index=true 0 /v/pip.conf /v\n"
           "pip extra-index-url=https://h/1 0 PIP_EXTRA_INDEX_URL\n"
           "pip extra-index-url=https://h/2 1 PIP_EXTRA_INDEX_URL");
    expect(&tree, "tool = 'uv'",
           "uv index=https://h/s 0 UV_INDEX\nuv index=https://h/x 1 UV_INDEX\n"
           "uv torch-backend=auto 0 UV_TORCH_BACKEND");
    tree_done(&tree);
}

Test(package_setting, of_pixi_and_uv)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/home/u\n", "/home/u/proj/sub\n");
    tree_text(&tree, "/home/u/proj/pyproject.toml",
              "[project]\nname = \"x\"\ndescription = \"\"\"\n[tool.uv]\nnot = 'this'\n\"\"\"\n"
              "[[tool.uv.index]]\nname = \"pytorch-cu126\"\n"
              "url = \"https://user:secret@download.pytorch.org/whl/cu126\"\nexplicit = true\n"
              "[tool.uv]\nenvironments = [\"sys_platform == 'linux'\", # only\n]\n"
              "[tool.uv.sources]\ntorch = [{ index = \"pytorch-cu126\", marker = 'm' }]\n"
              "[tool.uv.pip]\n\"torch-backend\" = \"auto\"\n"
              "[tool.pixi.workspace]\nchannels = [\"conda-forge\", 'https://h/t/tok/x']\n"
              "[tool.pixi.feature.gpu.system-requirements]\ncuda = \"12.4\"\n");
    tree_text(&tree, "/home/u/.pixi/config.toml", "default-channels = [\"conda-forge\"]\n");
    tree_text(&tree, "/p/pixi.toml",
              "[project]\nchannels = [{ channel = \"pytorch\" }]\n"
              "[system-requirements]\ncuda = { driver = \"12\", arch = \"8.6\" }\n");
    tree_text(&tree, "/p/.pixi/envs/default/conda-meta/history", "");
    run(&tree);
    expect(&tree, "tool = 'pixi'",
           "pixi project.channels.channel=pytorch 0 /p/pixi.toml /p/.pixi/envs/default\n"
           "pixi system-requirements.cuda.driver=12 0 /p/pixi.toml /p/.pixi/envs/default\n"
           "pixi system-requirements.cuda.arch=8.6 0 /p/pixi.toml /p/.pixi/envs/default\n"
           "pixi default-channels=conda-forge 0 /home/u/.pixi/config.toml\n"
           "pixi workspace.channels=conda-forge 0 /home/u/proj/pyproject.toml\n"
           "pixi workspace.channels=https://h/x 1 /home/u/proj/pyproject.toml\n"
           "pixi feature.gpu.system-requirements.cuda=12.4 0 /home/u/proj/pyproject.toml");
    expect(&tree, "tool = 'uv'",
           "uv index.name=pytorch-cu126 0 /home/u/proj/pyproject.toml\n"
           "uv index.url=https://download.pytorch.org/whl/cu126 0 /home/u/proj/pyproject.toml\n"
           "uv index.explicit=true 0 /home/u/proj/pyproject.toml\n"
           "uv environments=sys_platform == 'linux' 0 /home/u/proj/pyproject.toml\n"
           "uv sources.torch.index=pytorch-cu126 0 /home/u/proj/pyproject.toml\n"
           "uv pip.torch-backend=auto 0 /home/u/proj/pyproject.toml");
    cr_expect_eq(malformed(&tree), 0);
    tree_done(&tree);
}

Test(package_setting, broken_files_are_told)
{
    struct python_tree tree;
    CLEANUP_TEXT struct text deep = {0}, wide = {0};
    tree_start(&tree, "HOME=/home/u\nPIP_CONFIG_FILE=/dev/null\n", "/home/u/proj\n");
    for (int i = 0; i < 60000; i++)
        text_add(&deep, "[");
    text_add(&wide, "channels: &a [x]\n");
    for (int i = 0; i < 30000; i++)
        text_add(&wide, "- *a\n");
    tree_text(&tree, "/etc/conda/.condarc", deep.data);
    tree_text(&tree, "/etc/conda/condarc", wide.data);
    tree_bytes(&tree, "/var/lib/conda/.condarc", "\0\1\377\376", 4);
    tree_text(&tree, "/var/lib/conda/condarc", "- a\n- list\n");
    tree_fifo(&tree, "/home/u/.condarc");
    tree_text(&tree, "/home/u/.conda/.condarc", "channels: {a: b\n");
    tree_text(&tree, "/etc/pip.conf", "lost\n[global]\nuser = 1\n");
    tree_text(&tree, "/home/u/proj/uv.toml", "index-url = \"https://h/x\"\nbad = = 1\n");
    tree_text(&tree, "/etc/uv/uv.toml", "x = [[[[[[[[[[[[1]]]]]]]]]]]]\n");
    tree_text(&tree, "/c/conda-meta/history", "");
    tree_text(&tree, "/c/conda-meta/state", "{\"env_vars\":");
    run(&tree);
    cr_expect_eq(malformed(&tree), 10);
    expect(&tree, "tool = 'pip'", "pip user=1 0 /etc/pip.conf");
    expect(&tree, "tool = 'uv'", "uv index-url=https://h/x 0 /home/u/proj/uv.toml");
    expect(&tree, "tool = 'conda'", "");
    tree_done(&tree);
}

Test(package_setting, of_nothing)
{
    struct python_tree tree;
    tree_start(&tree, "HOME=/home/u\n", "/home/u\n");
    tree_text(&tree, "/home/u/.condarc", "# nothing\n");
    tree_text(&tree, "/home/u/pyproject.toml", "[project]\nname = 'x'\n");
    run(&tree);
    expect(&tree, "1", "");
    cr_expect_str_eq(tree_ask(&tree, "SELECT status || ' ' || fills FROM probe WHERE name = "
                                     "'package_setting'"),
                     "ok package_setting");
    tree_done(&tree);
}
