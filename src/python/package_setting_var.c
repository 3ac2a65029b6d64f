/* Environment variables that set what package managers choose. */
#include <string.h>

#include "base/text.h"
#include "python/package_setting.h"

/* `separator` parts a list; '\0' for one value. Names are those of the same setting in a file. */
static const struct variable {
    const char *variable, *tool, *name;
    char separator;
    bool is_address;
} variables[] = {
    /* an empty value says that there is no GPU */
    {"CONDA_OVERRIDE_CUDA", "conda", "override_virtual_packages.cuda", '\0', false},
    {"CONDA_OVERRIDE_CUDA_ARCH", "conda", "override_virtual_packages.cuda_arch", '\0', false},
    {"CONDA_CHANNELS", "conda", "channels", ',', true},
    {"CONDA_DEFAULT_CHANNELS", "conda", "default_channels", ',', true},
    {"CONDA_CHANNEL_ALIAS", "conda", "channel_alias", '\0', true},
    {"CONDA_CHANNEL_PRIORITY", "conda", "channel_priority", '\0', false},
    {"CONDA_SOLVER", "conda", "solver", '\0', false},
    {"CONDA_PINNED_PACKAGES", "conda", "pinned_packages", '&', false},
    {"CONDA_ENVS_DIRS", "conda", "envs_dirs", ':', false},
    {"CONDA_ENVS_PATH", "conda", "envs_dirs", ':', false},
    {"CONDA_PKGS_DIRS", "conda", "pkgs_dirs", ',', false},
    {"CONDA_OFFLINE", "conda", "offline", '\0', false},
    {"PIP_INDEX_URL", "pip", "index-url", '\0', true},
    {"PIP_EXTRA_INDEX_URL", "pip", "extra-index-url", ' ', true},
    {"PIP_NO_INDEX", "pip", "no-index", '\0', false},
    {"PIP_FIND_LINKS", "pip", "find-links", ' ', true},
    {"PIP_NO_BINARY", "pip", "no-binary", ' ', false},
    {"PIP_ONLY_BINARY", "pip", "only-binary", ' ', false},
    {"PIP_TARGET", "pip", "target", '\0', false},
    {"PIP_USER", "pip", "user", '\0', false},
    {"PIP_REQUIRE_VIRTUALENV", "pip", "require-virtualenv", '\0', false},
    {"PIP_BREAK_SYSTEM_PACKAGES", "pip", "break-system-packages", '\0', false},
    {"UV_DEFAULT_INDEX", "uv", "default-index", '\0', true},
    {"UV_INDEX", "uv", "index", ' ', true},
    {"UV_INDEX_URL", "uv", "index-url", '\0', true},
    {"UV_EXTRA_INDEX_URL", "uv", "extra-index-url", ' ', true},
    {"UV_FIND_LINKS", "uv", "find-links", ',', true},
    {"UV_NO_INDEX", "uv", "no-index", '\0', false},
    {"UV_TORCH_BACKEND", "uv", "torch-backend", '\0', false},
    {"UV_CUDA_DRIVER_VERSION", "uv", "cuda-driver-version", '\0', false},
    {"UV_PYTHON_PREFERENCE", "uv", "python-preference", '\0', false},
    {"UV_OFFLINE", "uv", "offline", '\0', false},
};

/* "NAME=https://..." of UV_INDEX: the name is no part of the address. */
static void add_value(struct settings *settings, const struct variable *item, const char *value,
                      size_t length)
{
    const char *equals = item->is_address ? memchr(value, '=', length) : NULL;
    const char *scheme = item->is_address ? memmem(value, length, "://", 3) : NULL;
    if (equals && scheme && equals < scheme) {
        length -= (size_t)(equals + 1 - value);
        value = equals + 1;
    }
    settings_add(settings, item->name, value, length, item->is_address);
}

static void add_list(struct settings *settings, const struct variable *item, const char *value)
{
    const char separators[] = {item->separator, '\n', '\t', '\0'};
    while (*(value += strspn(value, separators))) {
        size_t length = strcspn(value, separators);
        add_value(settings, item, value, length);
        value += length;
    }
}

void settings_read_variables(struct settings *settings)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const struct variable *item = &variables[i];
        const char *value = machine_getenv(settings->context->machine, item->variable);
        if (!value)
            continue;
        settings_begin(settings, item->tool, item->variable, NULL);
        if (item->separator)
            add_list(settings, item, value);
        else
            add_value(settings, item, value, strlen(value));
    }
}
