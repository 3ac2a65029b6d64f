#include "parse/direct_url.h"

#include <string.h>

#include "base/json_file.h"
#include "parse/address.h"

bool direct_url_parse(const char *data, size_t length, struct arena *arena, struct direct_url *ret)
{
    *ret = (struct direct_url){0};
    CLEANUP_JSON json_t *root = json_loadb(data, length, 0, NULL);
    const char *url = json_string_value(json_object_get(root, "url"));
    const json_t *folder = json_object_get(root, "dir_info");
    if (!url)
        return false;
    if (json_object_get(root, "vcs_info"))
        ret->origin = "vcs";
    else if (json_object_get(root, "archive_info"))
        ret->origin = "archive";
    else if (folder)
        ret->origin = json_is_true(json_object_get(folder, "editable")) ? "editable" : "folder";
    else
        return false;
    const char *path = address_path(url, arena);
    ret->url = path ? path : address_clean(url, strlen(url), arena);
    return true;
}
