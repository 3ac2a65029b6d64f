#include "loader/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loader/store_parts.h"

enum { OPEN_MAX = 64 };

struct loader_store *loader_store_new(const struct machine *machine, uint16_t elf_machine)
{
    struct loader_store *store = xcalloc(1, sizeof *store);
    store->machine = machine;
    store->elf_machine = elf_machine;
    store->open_max = OPEN_MAX;
    store->paths.arena = store->inodes.arena = store->folders.arena = store->real_folders.arena =
        &store->arena;
    return store;
}

void loader_store_guard(struct loader_store *store, bool (*leaves)(void *data, const char *path),
                        void *data)
{
    store->leaves = leaves;
    store->leaves_data = data;
}

static void free_open(struct loader_open *open)
{
    if (!open)
        return;
    elf_file_done(&open->elf);
    cleanup_close(&open->fd);
    free(open);
}

void loader_store_free(struct loader_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->file_count; i++)
        free_open(store->opened[i]);
    free(store->opened);
    free(store->files);
    free(store->folder_items);
    arena_done(&store->arena);
    free(store);
}

static struct loader_file *add_file(struct loader_store *store)
{
    struct loader_file *file = arena_alloc(&store->arena, sizeof *file);
    store->files =
        xgrow(store->files, &store->file_capacity, store->file_count + 1, sizeof *store->files);
    store->opened = xgrow(store->opened, &store->opened_capacity, store->file_count + 1,
                          sizeof(struct loader_open *));
    store->opened[store->file_count] = NULL;
    file->number = store->file_count;
    store->files[store->file_count++] = file;
    return file;
}

/* One for each errno, not for each path. */
static size_t absent(struct loader_store *store, int error)
{
    char name[32];
    size_t number;
    /* no path looks like that */
    snprintf(name, sizeof name, "errno %d", error);
    if (loader_map_get(&store->inodes, name, &number))
        return number;
    loader_map_add(&store->inodes, arena_strdup(&store->arena, name), store->file_count);
    struct loader_file *file = add_file(store);
    file->class = LOADER_ABSENT;
    file->is_read = true;
    file->error = error;
    return file->number;
}

const struct loader_file *loader_store_absent(struct loader_store *store)
{
    if (!store->nothing) {
        size_t number = absent(store, -ENOENT); /* may move the table */
        store->nothing = store->files[number];
    }
    return store->nothing;
}

/* --- open files --- */

/* Closes the one that was used longest ago. */
static void close_oldest(struct loader_store *store)
{
    struct loader_open *oldest = NULL;
    for (size_t i = 0; i < store->file_count; i++) {
        struct loader_open *open = store->opened[i];
        if (open && open->fd >= 0 && (!oldest || open->last < oldest->last))
            oldest = open;
    }
    if (!oldest)
        return;
    cleanup_close(&oldest->fd);
    oldest->fd = oldest->elf.fd = -1;
    store->open_count--;
}

static void use(struct loader_store *store, struct loader_open *open, int fd)
{
    if (store->open_count >= store->open_max)
        close_oldest(store);
    open->fd = open->elf.fd = fd;
    open->last = ++store->uses;
    store->open_count++;
}

static void keep_open(struct loader_store *store, const struct loader_file *file, int fd,
                      const struct elf_file *elf)
{
    struct loader_open *open = xcalloc(1, sizeof *open);
    open->elf = *elf;
    use(store, open, fd);
    store->opened[file->number] = open;
}

/* Where the process may not open so many, those that are kept make room. */
static int open_file(struct loader_store *store, const char *path, int *ret_fd)
{
    int r = machine_open_seen(store->machine, path, ret_fd);
    if ((r != -EMFILE && r != -ENFILE) || !store->open_count)
        return r;
    store->open_max = 1 + store->open_count / 4; /* others open files, too */
    while (store->open_count)
        close_oldest(store);
    return machine_open_seen(store->machine, path, ret_fd);
}

/* The same file as before, still: what is cached of it must not be mixed with another's. */
static int open_again(struct loader_store *store, const struct loader_file *file)
{
    struct file_stat st;
    int fd;
    if (!file->path || machine_stat(store->machine, file->path, &st) < 0 ||
        st.device != file->device || st.inode != file->inode || st.type != FILE_REGULAR ||
        open_file(store, file->path, &fd) < 0)
        return -1;
    return fd;
}

struct elf_file *loader_store_reopen(struct loader_store *store, const struct loader_file *file)
{
    struct loader_open *open = store->opened[file->number];
    if (!open)
        return NULL;
    if (open->fd >= 0) {
        open->last = ++store->uses;
        return &open->elf;
    }
    int fd = open_again(store, file);
    if (fd < 0)
        return NULL;
    use(store, open, fd);
    return &open->elf;
}

/* --- files by path --- */

static void read_file(struct loader_store *store, int fd, struct loader_file *file)
{
    struct elf_file elf = {0};
    loader_file_read(store, fd, file, &elf);
    if (file->class == LOADER_FITS && elf.segment_count) {
        keep_open(store, file, fd, &elf);
        return;
    }
    file->is_read = true;
    store->read_bytes += elf.bytes_read;
    elf_file_done(&elf);
    cleanup_close(&fd);
}

/* The number of what lies at the path. */
static size_t read_path(struct loader_store *store, const char *key)
{
    struct file_stat st;
    char inode[LOADER_INODE_KEY];
    size_t number;
    int fd = -1;
    int r = loader_store_leaves(store, key) ? -EREMOTE : machine_stat(store->machine, key, &st);
    if (r < 0)
        return absent(store, r);
    loader_inode_key(&st, inode, sizeof inode);
    if (loader_map_get(&store->inodes, inode, &number))
        return number;
    if (st.type == FILE_REGULAR) {
        r = open_file(store, key, &fd);
        if (r < 0)
            return absent(store, r);
    }
    loader_map_add(&store->inodes, arena_strdup(&store->arena, inode), store->file_count);
    struct loader_file *file = add_file(store);
    file->device = st.device;
    file->inode = st.inode;
    file->size = st.size;
    file->path = key;
    read_file(store, st.type == FILE_DIRECTORY ? -EISDIR : fd, file);
    return file->number;
}

static struct loader_file *find(struct loader_store *store, const char *path)
{
    size_t number;
    if (!loader_map_get(&store->paths, path, &number)) {
        const char *key = arena_strdup(&store->arena, path);
        number = read_path(store, key);
        loader_map_add(&store->paths, key, number);
    }
    return store->files[number];
}

/* What was read of it is not likely to be needed again; that it is open may well be. */
static void forget(struct loader_store *store, const struct loader_file *file)
{
    if (store->opened[file->number])
        elf_file_forget(&store->opened[file->number]->elf);
}

static void read_rest(struct loader_store *store, struct loader_file *file)
{
    if (file->is_read)
        return;
    struct elf_file *elf = loader_store_reopen(store, file);
    file->is_read = true;
    if (elf)
        loader_file_read_object(store, file, elf);
    else
        file->problem = "it cannot be opened any more";
    forget(store, file);
}

const struct loader_file *loader_store_get(struct loader_store *store, const char *path)
{
    struct loader_file *file = find(store, path);
    read_rest(store, file);
    return file;
}

const struct loader_file *loader_store_look(struct loader_store *store, const char *path)
{
    const struct loader_file *file = find(store, path);
    if (!file->is_read)
        forget(store, file);
    return file;
}

const struct loader_file *loader_store_read(struct loader_store *store,
                                            const struct loader_file *file)
{
    read_rest(store, store->files[file->number]);
    return file;
}

void loader_store_counts(const struct loader_store *store, size_t *ret_files, uint64_t *ret_bytes)
{
    *ret_files = store->read_files;
    *ret_bytes = store->read_bytes;
    for (size_t i = 0; i < store->file_count; i++)
        *ret_bytes += store->opened[i] ? store->opened[i]->elf.bytes_read : 0;
}
