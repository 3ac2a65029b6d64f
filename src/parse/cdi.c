#include "parse/cdi.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "parse/proc.h"
#include "parse/yaml_tree.h"

struct paths {
    const char **items;
    size_t count, capacity;
    bool cut;
};

static void add_path(struct paths *paths, const struct yaml_node *node)
{
    if (!node || node->kind != YAML_SCALAR || *node->text != '/')
        return;
    if (paths->count == CDI_PATHS_MAX) {
        paths->cut = true;
        return;
    }
    paths->items = xgrow(paths->items, &paths->capacity, paths->count + 1, sizeof *paths->items);
    paths->items[paths->count++] = node->text;
}

static const struct yaml_node *first_of(const struct yaml_node *list)
{
    return list && list->kind == YAML_LIST ? list->child : NULL;
}

static void add_edits(struct paths *paths, const struct yaml_node *edits)
{
    const struct yaml_node *at;
    for (at = first_of(yaml_member(edits, "mounts")); at; at = at->next)
        add_path(paths, yaml_member(at, "hostPath"));
    for (at = first_of(yaml_member(edits, "deviceNodes")); at; at = at->next) {
        const struct yaml_node *host = yaml_member(at, "hostPath");
        add_path(paths, host ? host : yaml_member(at, "path"));
    }
    for (at = first_of(yaml_member(edits, "hooks")); at; at = at->next)
        add_path(paths, yaml_member(at, "path"));
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every device lists the same control nodes again. */
static void keep_unique(struct paths *paths)
{
    size_t kept = 0;
    if (paths->count)
        qsort(paths->items, paths->count, sizeof *paths->items, compare);
    for (size_t i = 0; i < paths->count; i++)
        if (kept == 0 || strcmp(paths->items[kept - 1], paths->items[i]) != 0)
            paths->items[kept++] = paths->items[i];
    paths->count = kept;
}

static const char *text_of(const struct yaml_node *node)
{
    return node && node->kind == YAML_SCALAR && *node->text ? node->text : NULL;
}

bool parse_cdi(const char *data, size_t size, struct arena *arena, struct cdi_spec *ret)
{
    bool is_bad = false;
    CLEANUP_FREE const char **items = NULL;
    struct paths paths = {0};
    *ret = (struct cdi_spec){0};
    const struct yaml_node *root = yaml_tree(data, size, arena, &is_bad);
    if (is_bad || !root || root->kind != YAML_MAP)
        return false;
    ret->kind = text_of(yaml_member(root, "kind"));
    ret->version = text_of(yaml_member(root, "cdiVersion"));
    if (!ret->kind && !ret->version)
        return false;
    add_edits(&paths, yaml_member(root, "containerEdits"));
    for (const struct yaml_node *device = first_of(yaml_member(root, "devices")); device;
         device = device->next) {
        ret->devices++;
        add_edits(&paths, yaml_member(device, "containerEdits"));
    }
    keep_unique(&paths);
    items = paths.items;
    ret->paths = arena_alloc(arena, (paths.count + 1) * sizeof *ret->paths);
    ret->path_count = paths.count;
    ret->cut = paths.cut;
    for (size_t i = 0; i < paths.count; i++) {
        ret->paths[i] = items[i];
        if (!ret->driver)
            ret->driver = driver_version_in(items[i]);
    }
    return true;
}
