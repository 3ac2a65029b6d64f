#include "parse/vs_state.h"

#include <string.h>

#include <jansson.h>

#include "base/json_file.h"
#include "base/text.h"

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Ids as Microsoft's component directory lists them. */
static bool is_cxx(const char *id)
{
    static const char *const ids[] = {
        "Microsoft.VisualStudio.Workload.NativeDesktop",
        "Microsoft.VisualStudio.Workload.VCTools",
        "Microsoft.VisualStudio.Component.VC.Tools.x86.x64",
        "Microsoft.VisualStudio.Component.VC.Tools.ARM64",
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

static struct opt find_cxx(const json_t *root)
{
    static const char *const lists[] = {"selectedPackages", "packages"};
    bool listed = false;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *list = json_object_get(root, lists[i]), *package;
        size_t at;
        listed = listed || json_is_array(list);
        json_array_foreach (list, at, package) {
            const char *id = text_at(package, "id");
            if (id && is_cxx(id))
                return known(1);
        }
    }
    return listed ? known(0) : UNKNOWN;
}

bool parse_vs_state(struct span text, struct arena *arena, struct vs_state *ret)
{
    static const char prefix[] = "Microsoft.VisualStudio.Product.";
    CLEANUP_JSON json_t *root = json_loadb(text.data, text.length, 0, NULL);
    *ret = (struct vs_state){0};
    const char *path = text_at(root, "installationPath");
    if (!path)
        return false;
    const char *product = text_at(json_object_get(root, "product"), "id");
    const char *version = text_at(json_object_get(root, "catalogInfo"), "productDisplayVersion");
    if (!version)
        version = text_at(root, "installationVersion");
    if (product && text_starts(product, prefix))
        product += sizeof prefix - 1;
    *ret = (struct vs_state){
        .path = arena_strdup(arena, path),
        .product = arena_strdup(arena, product),
        .version = arena_strdup(arena, version),
        .cxx = find_cxx(root),
    };
    return true;
}
