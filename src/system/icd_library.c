#include "system/icd_library.h"

#include <errno.h>
#include <string.h>

#include "parse/elf_head.h"
#include "probe/look.h"
#include "system/driver_places.h"
#include "system/loader_cache.h"

static const char none[] = "none";

const char *icd_vendor(const char *library)
{
    /* the first that fits; Mesa's Vulkan drivers have the names of the chips' makers */
    static const struct {
        const char *word, *vendor;
    } words[] = {
        {"nvidia", "nvidia"}, {"libvulkan_", "mesa"}, {"mesa", "mesa"},      {"rusticl", "mesa"},
        {"dri_gbm", "mesa"},  {"pocl", "pocl"},       {"igdrcl", "intel"},   {"intel", "intel"},
        {"amdocl", "amd"},    {"amdvlk", "amd"},      {"amdgpu-pro", "amd"},
    };
    const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(name, words[i].word))
            return words[i].vendor;
    return "other";
}

static const char *at_path(struct probe_context *context, const char *path)
{
    struct file_stat st;
    int code = machine_stat(context->machine, path, &st);
    if (code == 0)
        return path;
    return code == -ENOENT || code == -ENOTDIR ? none : NULL;
}

/* In a folder of the loader; libraries of the other word size lie in some of them too. */
static const char *in_folder(struct probe_context *context, const char *folder, size_t length,
                             const char *name)
{
    CLEANUP_BYTES struct bytes head = {0};
    struct elf_head elf;
    const char *path = arena_printf(context->arena, "%.*s/%s", (int)length, folder, name);
    if (machine_read_head(context->machine, path, ELF_HEAD, &head) < 0)
        return NULL;
    bool other = parse_elf_head(head.data, head.length, &elf) && elf.bits == 32;
    return other ? NULL : path;
}

static const char *in_library_path(struct probe_context *context, const char *name)
{
    const char *found = NULL;
    struct driver_places places;
    driver_places_of_loader(context, NULL, &places);
    for (size_t i = 0; i < places.count && !found; i++)
        found = in_folder(context, places.items[i].folder, strlen(places.items[i].folder), name);
    return found;
}

static const char *in_cache(struct probe_context *context, const char *name)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT path FROM loader_cache WHERE soname = ?1 AND present = 1"
                        " ORDER BY arch IN ('i386', 'x32'), position LIMIT 1");
    if (!query)
        return NULL;
    sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
    return sqlite3_step(query) == SQLITE_ROW ? ask_column(context, query, 0) : NULL;
}

/* Where the loader looks besides its cache, and where NixOS has the driver. */
static const char *in_places(struct probe_context *context, const char *name)
{
    static const char *const folders[] = {
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
        "/run/opengl-driver/lib",
    };
    const char *found = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !found; i++)
        found = in_folder(context, folders[i], strlen(folders[i]), name);
    return found;
}

/* Not found is an answer only where the cache was read and keeps such names. */
static const char *by_name(struct probe_context *context, const char *name, const char *prefix)
{
    const char *found = NULL;
    if (prefix) {
        const char *folder = arena_printf(context->arena, "%s/lib", prefix);
        found = in_folder(context, folder, strlen(folder), name);
    }
    found = found ? found : in_library_path(context, name);
    found = found ? found : in_cache(context, name);
    found = found ? found : in_places(context, name);
    if (found)
        return found;
    bool complete =
        loader_cache_keeps(name) &&
        ask(context, "SELECT 1 FROM probe WHERE name = 'loader_cache' AND status = 'ok'");
    return complete ? none : NULL;
}

const char *icd_library_path(struct probe_context *context, const char *library, const char *folder,
                             const char *prefix)
{
    if (library[0] == '/')
        return at_path(context, library);
    if (strchr(library, '/'))
        return folder ? at_path(context, arena_printf(context->arena, "%s/%s", folder, library))
                      : NULL;
    return by_name(context, library, prefix);
}
