/* pixi and uv: their own files, and pyproject.toml of the project of the working folder. */
#include <string.h>

#include "base/text.h"
#include "parse/toml_lines.h"
#include "python/package_setting.h"

enum { PARENTS_MAX = 16 };

/* Names as pixi.toml and uv.toml have them; in pyproject.toml they stand below tool.pixi and
 * tool.uv. `name` may begin with "*." for any table in front, and end in ".*" for any key behind.
 */
static const struct key {
    const char *tool, *name;
    bool is_address;
} keys[] = {
    {"pixi", "workspace.channels", true},
    {"pixi", "workspace.channels.channel", true},
    {"pixi", "workspace.channel-priority", false},
    {"pixi", "project.channels", true},
    {"pixi", "project.channels.channel", true},
    {"pixi", "project.channel-priority", false},
    {"pixi", "system-requirements.cuda", false},
    {"pixi", "system-requirements.cuda.*", false},
    {"pixi", "feature.*.system-requirements.cuda", false},
    {"pixi", "feature.*.channels", true},
    {"pixi", "default-channels", true},
    {"pixi", "detached-environments", false},
    {"uv", "index.url", true},
    {"uv", "index.name", false},
    {"uv", "index.explicit", false},
    {"uv", "index.default", false},
    {"uv", "index-url", true},
    {"uv", "extra-index-url", true},
    {"uv", "find-links", true},
    {"uv", "no-index", false},
    {"uv", "torch-backend", false},
    {"uv", "pip.torch-backend", false},
    {"uv", "pip.index-url", true},
    {"uv", "pip.extra-index-url", true},
    {"uv", "python-preference", false},
    {"uv", "environments", false},
    {"uv", "no-binary-package", false},
    {"uv", "sources.*.index", false},
    {"uv", "offline", false},
};

/* Whether the name fits the pattern, in which "*" stands for any text. */
static bool fits(const char *pattern, const char *name)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return !strcmp(pattern, name);
    size_t before = (size_t)(star - pattern);
    return !strncmp(pattern, name, before) && strlen(name) >= before + strlen(star + 1) &&
           text_ends(name + before, star + 1);
}

struct reading {
    struct settings *settings;
    const char *start; /* what stands before the names of this tool: "tool.uv." or "" */
    bool has_any;      /* a value of this tool was seen */
};

static void take_value(void *data, const struct toml_value *value)
{
    struct reading *reading = data;
    struct settings *settings = reading->settings;
    if (!text_starts(value->name, reading->start))
        return;
    const char *name = value->name + strlen(reading->start);
    reading->has_any = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].tool, settings->tool) && fits(keys[i].name, name)) {
            settings_add(settings, arena_strdup(settings->context->arena, name), value->text,
                         strlen(value->text), keys[i].is_address);
            return;
        }
}

/* True where the file is there and sets something for this tool. */
static bool read_file(struct settings *settings, const char *tool, const char *path,
                      const char *environment_id, const char *start)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct reading reading = {settings, start, false};
    if (!settings_read(settings, tool, path, environment_id, SETTING_FILE_MAX, &text))
        return false;
    if (!toml_each(text.data, text.length, take_value, &reading))
        settings_note_bad(settings, "it cannot be read to its end");
    return reading.has_any;
}

static const char *variable(const struct settings *settings, const char *name)
{
    const char *value = machine_getenv(settings->context->machine, name);
    return value && *value == '/' ? value : NULL;
}

/* ~/.config/TOOL/FILE, or where XDG_CONFIG_HOME says. */
static const char *in_config(const struct settings *settings, const char *leaf)
{
    const char *home = machine_home(settings->context->machine);
    const char *config = variable(settings, "XDG_CONFIG_HOME");
    struct arena *arena = settings->context->arena;
    return config ? arena_printf(arena, "%s/%s", config, leaf)
           : home ? arena_printf(arena, "%s/.config/%s", home, leaf)
                  : NULL;
}

static void read_of_user(struct settings *settings)
{
    struct arena *arena = settings->context->arena;
    const char *home = machine_home(settings->context->machine);
    const char *pixi_home = variable(settings, "PIXI_HOME"), *file;
    const char *uv_file = variable(settings, "UV_CONFIG_FILE");
    read_file(settings, "pixi", "/etc/pixi/config.toml", NULL, "");
    if ((file = in_config(settings, "pixi/config.toml")))
        read_file(settings, "pixi", file, NULL, "");
    if (pixi_home || home)
        read_file(settings, "pixi",
                  pixi_home ? arena_printf(arena, "%s/config.toml", pixi_home)
                            : arena_printf(arena, "%s/.pixi/config.toml", home),
                  NULL, "");
    if (uv_file) { /* the only one then */
        read_file(settings, "uv", uv_file, NULL, "");
        return;
    }
    read_file(settings, "uv", "/etc/uv/uv.toml", NULL, "");
    if ((file = in_config(settings, "uv/uv.toml")))
        read_file(settings, "uv", file, NULL, "");
}

/* What a folder with a project tells; the flags say which tools still search. */
static void read_project(struct settings *settings, const char *folder, bool *wants_pixi,
                         bool *wants_uv)
{
    struct arena *arena = settings->context->arena;
    const char *start = strcmp(folder, "/") == 0 ? "" : folder;
    if (*wants_pixi &&
        read_file(settings, "pixi", arena_printf(arena, "%s/pixi.toml", start), NULL, ""))
        *wants_pixi = false;
    if (*wants_uv && read_file(settings, "uv", arena_printf(arena, "%s/uv.toml", start), NULL, ""))
        *wants_uv = false;
    const char *path = arena_printf(arena, "%s/pyproject.toml", start);
    if (*wants_pixi && read_file(settings, "pixi", path, NULL, "tool.pixi."))
        *wants_pixi = false;
    if (*wants_uv && read_file(settings, "uv", path, NULL, "tool.uv."))
        *wants_uv = false;
}

void settings_read_toml(struct settings *settings)
{
    const char *cwd = machine_cwd(settings->context->machine);
    bool wants_pixi = true, wants_uv = variable(settings, "UV_CONFIG_FILE") == NULL;
    read_of_user(settings);
    for (int i = 0; cwd && i < PARENTS_MAX && (wants_pixi || wants_uv); i++) {
        read_project(settings, cwd, &wants_pixi, &wants_uv);
        const char *slash = strrchr(cwd, '/');
        if (!slash || !slash[1])
            break;
        cwd = slash == cwd ? "/"
                           : arena_strndup(settings->context->arena, cwd, (size_t)(slash - cwd));
    }
}

/* PROJECT/.pixi/envs/NAME. */
void settings_read_pixi_in(struct settings *settings, const char *prefix)
{
    struct arena *arena = settings->context->arena;
    const char *mark = strstr(prefix, "/.pixi/envs/");
    if (!mark)
        return;
    int length = (int)(mark - prefix);
    if (!read_file(settings, "pixi", arena_printf(arena, "%.*s/pixi.toml", length, prefix), prefix,
                   ""))
        read_file(settings, "pixi", arena_printf(arena, "%.*s/pyproject.toml", length, prefix),
                  prefix, "tool.pixi.");
}
