#include "parse/condarc.h"

#include <string.h>

#include "base/text.h"
#include "parse/address.h"
#include "parse/yaml_tree.h"

enum { VALUES_MAX = 256 };

/* Names of settings and the older names of the same (conda's configuration takes both). */
static const struct setting {
    const char *name, *alias;
    bool is_address;
} settings[] = {
    {"channels", "channel", true},
    {"default_channels", NULL, true},
    {"channel_alias", NULL, true},
    {"channel_priority", NULL, false},
    {"solver", "experimental_solver", false},
    {"pinned_packages", NULL, false},
    {"override_virtual_packages", "virtual_packages", false},
    {"envs_dirs", "envs_path", false},
    {"pkgs_dirs", NULL, false},
    {"offline", NULL, false},
};

struct reading {
    struct arena *arena;
    void (*each)(void *context, const struct condarc_value *value);
    void *context;
};

static void give(const struct reading *reading, const struct setting *setting, const char *name,
                 const struct yaml_node *node, size_t position)
{
    const char *value = setting->is_address
                            ? address_clean(node->text, strlen(node->text), reading->arena)
                            : node->text;
    if (value)
        reading->each(reading->context, &(struct condarc_value){name, value, position});
}

static void read_setting(const struct reading *reading, const struct setting *setting,
                         const struct yaml_node *node)
{
    size_t count = 0;
    if (node->kind == YAML_SCALAR) {
        if (*node->text)
            give(reading, setting, setting->name, node, 0);
        return;
    }
    for (const struct yaml_node *at = node->child; at && count < VALUES_MAX; at = at->next) {
        if (at->kind != YAML_SCALAR)
            continue;
        /* a member that is empty says something: the virtual package is taken away */
        if (node->kind == YAML_MAP && at->key)
            give(reading, setting, arena_printf(reading->arena, "%s.%s", setting->name, at->key),
                 at, 0);
        else if (node->kind == YAML_LIST && *at->text)
            give(reading, setting, setting->name, at, count);
        count++;
    }
}

static const struct setting *find_setting(const char *key)
{
    for (size_t i = 0; key && i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(key, settings[i].name) || text_equal(key, settings[i].alias))
            return &settings[i];
    return NULL;
}

bool condarc_parse(const char *data, size_t length, struct arena *arena,
                   void (*each)(void *context, const struct condarc_value *value), void *context)
{
    struct reading reading = {arena, each, context};
    bool is_bad;
    const struct yaml_node *root = yaml_tree(data, length, arena, &is_bad);
    if (is_bad || (root && root->kind != YAML_MAP && (root->kind == YAML_LIST || *root->text)))
        return false;
    for (const struct yaml_node *at = root ? root->child : NULL; at; at = at->next) {
        const struct setting *setting = find_setting(at->key);
        if (setting)
            read_setting(&reading, setting, at);
    }
    return true;
}
