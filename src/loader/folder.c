#include "loader/folder.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "loader/store_parts.h"

/* A larger folder is asked name by name. Listing a small one costs as much as five looks, and the
 * subfolders of each alone are as many. What a folder's size says depends on the file system, but
 * none that has it so large holds few names. */
enum { NAMES_MAX = 1024, SIZE_MAX_LISTED = 24 * 1024 };

/* The one of these that is the same, else itself, which will have the next number. */
static struct loader_folder *first_same(struct loader_store *store, struct loader_folder *folder,
                                        const struct file_stat *st)
{
    char key[LOADER_INODE_KEY];
    size_t number;
    loader_inode_key(st, key, sizeof key);
    if (loader_map_get(&store->real_folders, key, &number))
        return store->folder_items[number];
    loader_map_add(&store->real_folders, arena_strdup(&store->arena, key), store->folder_count);
    return folder;
}

static void look_at(struct loader_store *store, struct loader_folder *folder)
{
    struct file_stat st;
    folder->is_left = loader_store_leaves(store, folder->path);
    folder->is_there = !folder->is_left && machine_stat(store->machine, folder->path, &st) == 0 &&
                       st.type == FILE_DIRECTORY;
    folder->same = folder;
    if (!folder->is_there)
        return;
    folder->is_large = st.size > SIZE_MAX_LISTED;
    folder->same = first_same(store, folder, &st);
}

struct loader_folder *loader_store_folder(struct loader_store *store, const char *path)
{
    size_t number;
    if (loader_map_get(&store->folders, path, &number))
        return store->folder_items[number];
    size_t length = strlen(path);
    const char *key = arena_strndup(&store->arena, path, length);
    struct loader_folder *folder = arena_alloc(&store->arena, sizeof *folder);
    folder->path =
        length && path[length - 1] == '/' ? key : arena_printf(&store->arena, "%s/", path);
    folder->names.arena = folder->lacking.arena = &store->arena;
    look_at(store, folder);
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
    folder = folder->same;
    if (!folder->is_listed && !folder->is_large)
        list_folder(store, folder);
    return folder->is_listed ? !loader_map_get(&folder->names, name, &number)
                             : loader_map_get(&folder->lacking, name, &number);
}

void loader_folder_note_lack(struct loader_store *store, struct loader_folder *folder,
                             const char *name)
{
    if (folder->is_there && folder->same->is_large)
        loader_map_add(&folder->same->lacking, arena_strdup(&store->arena, name), 0);
}

/* --- what paths lead to --- */

/* The folder of an absolute path, and the name in it; NULL where it ends in no name. */
static struct loader_folder *split(struct loader_store *store, const char *path, const char **ret)
{
    const char *slash = strrchr(path, '/');
    if (!slash || !slash[1] || !strcmp(slash + 1, ".") || !strcmp(slash + 1, ".."))
        return NULL;
    *ret = slash + 1;
    const char *key = arena_strndup(&store->arena, path, (size_t)(slash - path) + 1);
    struct loader_folder *folder = loader_store_folder(store, key);
    return folder->is_there ? folder : NULL;
}

bool loader_store_same_entry(struct loader_store *store, const char *a, const char *b)
{
    const char *left, *right;
    const struct loader_folder *folder = split(store, a, &left), *other = split(store, b, &right);
    return folder && other && folder->same == other->same && !strcmp(left, right);
}

bool loader_store_same(struct loader_store *store, const char *a, const char *b)
{
    return loader_store_same_entry(store, a, b) ||
           loader_store_look(store, a) == loader_store_look(store, b);
}

static const char *real_path_of(struct loader_store *store, const char *path)
{
    char *real;
    return machine_realpath(store->machine, path, &store->arena, &real) == 0 ? real : NULL;
}

/* What is no link leads to itself; NULL for any other. */
static const char *real_path_in(struct loader_store *store, const char *folder, const char *name)
{
    char *text;
    const char *path =
        arena_printf(&store->arena, "%s/%s", strcmp(folder, "/") != 0 ? folder : "", name);
    return machine_readlink(store->machine, path, &store->arena, &text) == -EINVAL ? path : NULL;
}

/* Folders lie below each other, and each is asked about once. Ends with a slash, is there. */
static const char *real_folder(struct loader_store *store, struct loader_folder *folder)
{
    const char *name, *above = NULL;
    if (folder->real_path)
        return folder->real_path;
    const char *path = arena_strndup(&store->arena, folder->path, strlen(folder->path) - 1);
    struct loader_folder *parent = split(store, path, &name);
    if (parent)
        above = real_folder(store, parent);
    if (above)
        folder->real_path = real_path_in(store, above, name);
    if (!folder->real_path)
        folder->real_path = real_path_of(store, folder->path);
    return folder->real_path;
}

/* Libraries lie many in one folder, whose links are resolved once. */
const char *loader_store_realpath(struct loader_store *store, const char *path)
{
    const char *name;
    struct loader_folder *folder = split(store, path, &name);
    const char *in = folder ? real_folder(store, folder) : NULL;
    const char *real = in ? real_path_in(store, in, name) : NULL;
    return real || loader_store_leaves(store, path) ? real : real_path_of(store, path);
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
