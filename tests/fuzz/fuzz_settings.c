/* Settings of package managers: condarc (YAML), pip.conf (INI), TOML; the same bytes as each. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/condarc.h"
#include "parse/pip_conf.h"
#include "parse/toml_lines.h"
#include "parse/yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_good)
{
    if (!is_good)
        abort();
}

static void take_conda(void *context, const struct condarc_value *value)
{
    must(value->name && value->value && value->position < 256);
    (*(size_t *)context)++;
}

static void take_pip(void *context, const struct pip_setting *setting)
{
    must(*setting->section && *setting->name && setting->value.length);
    (*(size_t *)context)++;
}

static void take_toml(void *context, const struct toml_value *value)
{
    must(value->name && value->text);
    (*(size_t *)context)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *data = (const char *)bytes;
    struct arena arena = {0};
    size_t count = 0;
    bool is_bad;
    const struct yaml_node *root = yaml_tree(data, size, &arena, &is_bad);
    must(!is_bad || !root);
    condarc_parse(data, size, &arena, take_conda, &count);
    must(count <= size + 1);
    pip_conf_each(data, size, take_pip, &count);
    count = 0;
    toml_each(data, size, take_toml, &count);
    must(count <= size);
    arena_done(&arena);
    return 0;
}
