/* Where tools keep environments. A row with a variable stands before the default that it replaces;
 * both are looked at, since the variable may be new. */
#include <string.h>

#include "python/environment_set.h"

const struct place environment_places[] = {
    {PLACE_SELF, "/usr", NULL},
    {PLACE_SELF, "/usr/local", NULL},
    {PLACE_SELF, "~/.local", NULL},
    {PLACE_SELF, "./venv", NULL},
    {PLACE_SELF, "./env", NULL},
    {PLACE_SELF, "~/.venv", NULL},
    {PLACE_SELF, "~/venv", NULL},
    {PLACE_CHILDREN, "~/.venvs", NULL},
    {PLACE_CHILDREN, "~/venvs", NULL},
    {PLACE_CHILDREN, "~/envs", NULL},
    {PLACE_CHILDREN, "./.pixi/envs", "pixi"},
    {PLACE_CHILDREN, "$PIXI_PROJECT_ROOT/.pixi/envs", "pixi"},
    {PLACE_CHILDREN, "$PIXI_HOME/envs", "pixi"},
    {PLACE_CHILDREN, "~/.pixi/envs", "pixi"},
    /* conda and its kin */
    {PLACE_PROGRAM, "$CONDA_EXE", NULL},
    {PLACE_ROOT, "$MAMBA_ROOT_PREFIX", NULL},
    {PLACE_LIST, "$CONDA_ENVS_PATH", NULL},
    {PLACE_LIST, "$CONDA_ENVS_DIRS", NULL},
    {PLACE_ROOT, "~/miniconda3", NULL},
    {PLACE_ROOT, "~/anaconda3", NULL},
    {PLACE_ROOT, "~/miniforge3", NULL},
    {PLACE_ROOT, "~/mambaforge", NULL},
    {PLACE_ROOT, "~/micromamba", NULL},
    {PLACE_ROOT, "~/.local/share/mamba", NULL},
    {PLACE_CHILDREN, "~/.conda/envs", NULL},
    {PLACE_ROOT, "/opt/conda", NULL},
    {PLACE_GLOB, "/opt/miniconda", NULL},
    {PLACE_GLOB, "/opt/miniforge", NULL},
    {PLACE_GLOB, "/opt/mambaforge", NULL},
    {PLACE_GLOB, "/opt/micromamba", NULL},
    {PLACE_GLOB, "/opt/anaconda", NULL},
    /* virtual environments by the tool that keeps them */
    {PLACE_CHILDREN, "$WORKON_HOME", NULL},
    {PLACE_CHILDREN, "~/.virtualenvs", NULL},
    {PLACE_CHILDREN, "$POETRY_VIRTUALENVS_PATH", "poetry"},
    {PLACE_CHILDREN, "$POETRY_CACHE_DIR/virtualenvs", "poetry"},
    {PLACE_CHILDREN, "$XDG_CACHE_HOME/pypoetry/virtualenvs", "poetry"},
    {PLACE_CHILDREN, "~/.cache/pypoetry/virtualenvs", "poetry"},
    {PLACE_CHILDREN, "$XDG_DATA_HOME/virtualenvs", "pipenv"},
    {PLACE_CHILDREN, "~/.local/share/virtualenvs", "pipenv"},
    {PLACE_CHILDREN, "$PDM_VENV_LOCATION", "pdm"},
    {PLACE_CHILDREN, "$XDG_DATA_HOME/pdm/venvs", "pdm"},
    {PLACE_CHILDREN, "~/.local/share/pdm/venvs", "pdm"},
    {PLACE_DEEP, "$HATCH_DATA_DIR/env/virtual", "hatch"},
    {PLACE_DEEP, "$XDG_DATA_HOME/hatch/env/virtual", "hatch"},
    {PLACE_DEEP, "~/.local/share/hatch/env/virtual", "hatch"},
    {PLACE_CHILDREN, "$UV_TOOL_DIR", "uv tool"},
    {PLACE_CHILDREN, "$XDG_DATA_HOME/uv/tools", "uv tool"},
    {PLACE_CHILDREN, "~/.local/share/uv/tools", "uv tool"},
    {PLACE_CHILDREN, "$PIPX_HOME/venvs", "pipx"},
    {PLACE_CHILDREN, "$XDG_DATA_HOME/pipx/venvs", "pipx"},
    {PLACE_CHILDREN, "~/.local/share/pipx/venvs", "pipx"},
    {PLACE_CHILDREN, "~/.local/pipx/venvs", "pipx"},
    {PLACE_CHILDREN, "/opt/pipx/venvs", "pipx"},
    /* Pythons by the tool that installs them */
    {PLACE_CHILDREN, "$PYENV_ROOT/versions", "pyenv"},
    {PLACE_CHILDREN, "~/.pyenv/versions", "pyenv"},
    {PLACE_CHILDREN, "$UV_PYTHON_INSTALL_DIR", "uv"},
    {PLACE_CHILDREN, "$XDG_DATA_HOME/uv/python", "uv"},
    {PLACE_CHILDREN, "~/.local/share/uv/python", "uv"},
};
const size_t environment_place_count = sizeof environment_places / sizeof *environment_places;

const char *environment_expand(const struct environment_set *set, const char *path)
{
    const struct machine *machine = set->context->machine;
    const char *start = NULL, *rest = path + strcspn(path, "/");
    if (path[0] == '/')
        return path;
    if (path[0] == '~')
        start = machine_home(machine);
    else if (path[0] == '.')
        start = machine_cwd(machine);
    else if (path[0] == '$')
        start = machine_getenv(
            machine, arena_strndup(set->context->arena, path + 1, (size_t)(rest - path - 1)));
    return start && start[0] == '/' ? arena_printf(set->context->arena, "%s%s", start, rest) : NULL;
}
