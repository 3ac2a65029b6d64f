/* condarc files, and variables that an environment of conda sets when it is activated. */
#include <jansson.h>
#include <string.h>

#include "base/json_file.h"
#include "python/condarc.h"
#include "python/package_setting.h"

enum { STATE_MAX = 256 * 1024 };

struct reading {
    struct settings *settings;
    const char *environment_id;
};

static void take_value(void *data, const struct condarc_value *value)
{
    settings_add(data, value->name, value->value, strlen(value->value), false);
}

static void read_file(void *data, const char *tool, const char *path)
{
    const struct reading *reading = data;
    CLEANUP_BYTES struct bytes text = {0};
    if (!settings_read(reading->settings, tool, path, reading->environment_id, CONDARC_SIZE_MAX,
                       &text))
        return;
    struct arena arena = {0}; /* its names are not needed beyond the file */
    if (!condarc_parse(text.data, text.length, &arena, take_value, reading->settings))
        settings_note_bad(reading->settings, "it is no YAML with settings of conda");
    arena_done(&arena);
}

void settings_read_conda(struct settings *settings)
{
    struct reading reading = {settings, NULL};
    condarc_each_place(settings->context, read_file, &reading);
}

/* conda-meta/state may hold any variable, secrets too: only these two are looked at. */
static void read_state(struct settings *settings, const char *prefix)
{
    static const struct {
        const char *variable, *name;
    } wanted[] = {{"CONDA_OVERRIDE_CUDA", "override_virtual_packages.cuda"},
                  {"CONDA_OVERRIDE_CUDA_ARCH", "override_virtual_packages.cuda_arch"}};
    CLEANUP_BYTES struct bytes text = {0};
    char *path = arena_printf(settings->context->arena, "%s/conda-meta/state", prefix);
    if (!settings_read(settings, "conda", path, prefix, STATE_MAX, &text))
        return;
    CLEANUP_JSON json_t *root = json_loadb(text.data, text.length, 0, NULL);
    if (!json_is_object(root)) {
        settings_note_bad(settings, "it is no JSON object");
        return;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *value = json_string_value(
            json_object_get(json_object_get(root, "env_vars"), wanted[i].variable));
        if (value)
            settings_add(settings, wanted[i].name, value, strlen(value), false);
    }
}

void settings_read_conda_in(struct settings *settings, const char *prefix)
{
    struct reading reading = {settings, prefix};
    condarc_each_place_in(settings->context, prefix, read_file, &reading);
    read_state(settings, prefix);
}
