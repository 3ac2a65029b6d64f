#include "loader/folder.h"

#include <limits.h>
#include <string.h>

#include "loader/store_parts.h"

/* A larger folder is asked name by name. Listing a small one costs as much as five looks, and the
 * subfolders of each alone are as many. */
enum { NAMES_MAX = 1024 };

struct loader_folder *loader_store_folder(struct loader_store *store, const char *path)
{
    size_t number;
    if (loader_map_get(&store->folders, path, &number))
        return store->folder_items[number];
    size_t length = strlen(path);
    const char *key = arena_strndup(&store->arena, path, length);
    struct loader_folder *folder = arena_alloc(&store->arena, sizeof *folder);
    struct file_stat st;
    folder->path =
        length && path[length - 1] == '/' ? key : arena_printf(&store->arena, "%s/", path);
    folder->is_there =
        machine_stat(store->machine, folder->path, &st) == 0 && st.type == FILE_DIRECTORY;
    folder->names.arena = &store->arena;
    store->folder_items = xgrow(store->folder_items, &store->folder_capacity,
                                store->folder_count + 1, sizeof(struct loader_folder *));
    loader_map_add(&store->folders, key, store->folder_count);
    store->folder_items[store->folder_count++] = folder;
    return folder;
}

static void list_folder(struct loader_store *store, struct loader_folder *folder)
{
    struct dir_list list;
    if (machine_list(store->machine, folder->path, NAMES_MAX, &store->arena, &list) < 0 ||
        list.cut) {
        folder->is_large = true;
        return;
    }
    for (size_t i = 0; i < list.count; i++)
        loader_map_add(&folder->names, list.names[i], i);
    folder->is_listed = true;
}

bool loader_folder_lacks(struct loader_store *store, struct loader_folder *folder, const char *name)
{
    size_t number;
    if (!folder->is_there)
        return true;
    if (!folder->is_listed && !folder->is_large)
        list_folder(store, folder);
    return folder->is_listed && !loader_map_get(&folder->names, name, &number);
}

static struct loader_folder *sub_folder(struct loader_store *store,
                                        const struct loader_folder *folder, const char *sub,
                                        size_t length)
{
    const char *path = arena_printf(&store->arena, "%s%.*s/", folder->path, (int)length, sub);
    struct loader_folder *found = loader_store_folder(store, path);
    return found->is_there ? found : NULL;
}

struct loader_folder *const *loader_folder_subs(struct loader_store *store,
                                                struct loader_folder *folder,
                                                const char *const *subs, size_t count)
{
    if (folder->subs)
        return folder->subs;
    folder->subs = arena_alloc(&store->arena, (count + 1) * sizeof(struct loader_folder *));
    for (size_t i = 0; i < count; i++) {
        char first[NAME_MAX + 1];
        size_t length = strcspn(subs[i], "/");
        if (length > NAME_MAX)
            continue;
        memcpy(first, subs[i], length);
        first[length] = '\0';
        /* where "glibc-hwcaps" is not there, nothing below it is */
        if (!loader_folder_lacks(store, folder, first) && sub_folder(store, folder, first, length))
            folder->subs[i] = sub_folder(store, folder, subs[i], strlen(subs[i]) - 1);
    }
    return folder->subs;
}
