/* pip.conf. */
#include <string.h>

#include "base/text.h"
#include "parse/pip_conf.h"
#include "python/package_setting.h"

enum { PIP_CONF_MAX = 256 * 1024 };

static const struct option {
    const char *name;
    bool is_address, is_list;
} options[] = {
    {"index-url", true, false},
    {"extra-index-url", true, true},
    {"no-index", false, false},
    {"find-links", true, true},
    {"no-binary", false, false},
    {"only-binary", false, false},
    {"target", false, false},
    {"user", false, false},
    {"require-virtualenv", false, false},
    {"break-system-packages", false, false},
};

/* Values of a list may also stand in one line, with blanks between. */
static void take_setting(void *data, const struct pip_setting *setting)
{
    if (strcmp(setting->section, "global") != 0 && strcmp(setting->section, "install") != 0)
        return;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct option *option = &options[i];
        if (strcmp(setting->name, option->name) != 0)
            continue;
        struct span rest = setting->value, word;
        while (option->is_list && span_word(&rest, &word))
            settings_add(data, option->name, word.data, word.length, true);
        if (!option->is_list)
            settings_add(data, option->name, setting->value.data, setting->value.length,
                         option->is_address);
    }
}

static void read_file(struct settings *settings, const char *path, const char *environment_id)
{
    CLEANUP_BYTES struct bytes text = {0};
    if (settings_read(settings, "pip", path, environment_id, PIP_CONF_MAX, &text) &&
        !pip_conf_each(text.data, text.length, take_setting, settings))
        settings_note_bad(settings, "a line of it is no setting of pip");
}

/* In the order in which pip reads them; a later one counts more. */
void settings_read_pip(struct settings *settings)
{
    const struct machine *machine = settings->context->machine;
    struct arena *arena = settings->context->arena;
    const char *home = machine_home(machine), *config = machine_getenv(machine, "XDG_CONFIG_HOME");
    const char *file = machine_getenv(machine, "PIP_CONFIG_FILE");
    read_file(settings, "/etc/xdg/pip/pip.conf", NULL);
    read_file(settings, "/etc/pip.conf", NULL);
    if (home && !text_equal(file, "/dev/null")) {
        bool has_config = config && config[0] == '/';
        read_file(settings, arena_printf(arena, "%s/.pip/pip.conf", home), NULL);
        read_file(settings,
                  has_config ? arena_printf(arena, "%s/pip/pip.conf", config)
                             : arena_printf(arena, "%s/.config/pip/pip.conf", home),
                  NULL);
    }
    if (file && file[0] == '/')
        read_file(settings, file, NULL);
}

void settings_read_pip_in(struct settings *settings, const char *prefix)
{
    read_file(settings,
              arena_printf(settings->context->arena, "%s/pip.conf",
                           strcmp(prefix, "/") == 0 ? "" : prefix),
              prefix);
}
