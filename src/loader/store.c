#include "loader/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loader/store_parts.h"

enum { OPEN_MAX = 128 };

struct loader_open {
    struct loader_open *next; /* the one that was asked for last is the first */
    const struct loader_file *file;
    int fd; /* -1: closed to keep within the limit; what was read is still there */
    struct elf_file elf;
};

struct loader_store *loader_store_new(const struct machine *machine, uint16_t elf_machine)
{
    struct loader_store *store = xcalloc(1, sizeof *store);
    store->machine = machine;
    store->elf_machine = elf_machine;
    store->paths.arena = store->inodes.arena = store->folders.arena = &store->arena;
    return store;
}

void loader_store_free(struct loader_store *store)
{
    if (!store)
        return;
    for (struct loader_open *open = store->opened; open;) {
        struct loader_open *next = open->next;
        elf_file_done(&open->elf);
        cleanup_close(&open->fd);
        free(open);
        open = next;
    }
    free(store->files);
    free(store->folder_items);
    arena_done(&store->arena);
    free(store);
}

static struct loader_file *add_file(struct loader_store *store, const char *key)
{
    struct loader_file *file = arena_alloc(&store->arena, sizeof *file);
    store->files =
        xgrow(store->files, &store->file_capacity, store->file_count + 1, sizeof *store->files);
    loader_map_add(&store->paths, key, store->file_count);
    store->files[store->file_count++] = file;
    return file;
}

static struct loader_file *absent(struct loader_store *store, const char *key, int error)
{
    char name[32];
    size_t number;
    /* one for each errno, not for each path; no path looks like that */
    snprintf(name, sizeof name, "errno %d", error);
    if (loader_map_get(&store->inodes, name, &number)) {
        loader_map_add(&store->paths, key, number);
        return store->files[number];
    }
    loader_map_add(&store->inodes, arena_strdup(&store->arena, name), store->file_count);
    struct loader_file *file = add_file(store, key);
    file->class = LOADER_ABSENT;
    file->error = error;
    return file;
}

static struct loader_file *read_path(struct loader_store *store, const char *key)
{
    struct file_stat st;
    char inode[48];
    size_t number;
    CLEANUP_CLOSE int fd = -1;
    int r = machine_stat(store->machine, key, &st);
    if (r < 0)
        return absent(store, key, r);
    snprintf(inode, sizeof inode, "%llx:%llx", (unsigned long long)st.device,
             (unsigned long long)st.inode);
    if (loader_map_get(&store->inodes, inode, &number)) {
        loader_map_add(&store->paths, key, number);
        return store->files[number];
    }
    if (st.type == FILE_REGULAR) {
        r = machine_open(store->machine, key, &fd);
        if (r < 0)
            return absent(store, key, r);
    }
    loader_map_add(&store->inodes, arena_strdup(&store->arena, inode), store->file_count);
    struct loader_file *file = add_file(store, key);
    *file =
        (struct loader_file){.device = st.device, .inode = st.inode, .size = st.size, .path = key};
    loader_file_read(store, st.type == FILE_DIRECTORY ? -EISDIR : fd, file);
    return file;
}

const struct loader_file *loader_store_get(struct loader_store *store, const char *path)
{
    size_t number;
    if (loader_map_get(&store->paths, path, &number))
        return store->files[number];
    return read_path(store, arena_strdup(&store->arena, path));
}

void loader_store_counts(const struct loader_store *store, size_t *ret_files, uint64_t *ret_bytes)
{
    *ret_files = store->read_files;
    *ret_bytes = store->read_bytes;
    for (const struct loader_open *open = store->opened; open; open = open->next)
        *ret_bytes += open->elf.bytes_read;
}

/* Closes those that were not asked for lately. */
static void keep_within_limit(struct loader_store *store)
{
    size_t count = 0;
    for (struct loader_open *open = store->opened; open; open = open->next) {
        if (open->fd < 0 || ++count <= OPEN_MAX)
            continue;
        cleanup_close(&open->fd);
        open->fd = open->elf.fd = -1;
    }
}

static struct loader_open *find_open(struct loader_store *store, const struct loader_file *file)
{
    for (struct loader_open **at = &store->opened; *at; at = &(*at)->next)
        if ((*at)->file == file) {
            struct loader_open *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

/* The same file as before, still: what is cached of it must not be mixed with another's. */
static int open_again(struct loader_store *store, const struct loader_file *file)
{
    struct file_stat st;
    int fd;
    if (!file->path || machine_stat(store->machine, file->path, &st) < 0 ||
        st.device != file->device || st.inode != file->inode ||
        machine_open(store->machine, file->path, &fd) < 0)
        return -1;
    return fd;
}

struct elf_file *loader_store_reopen(struct loader_store *store, const struct loader_file *file)
{
    struct loader_open *open = find_open(store, file);
    if (!open) {
        open = xcalloc(1, sizeof *open);
        open->file = file;
        open->fd = open_again(store, file);
        if (open->fd < 0 || elf_file_open(&open->elf, open->fd, 0, file->size, NULL) < 0) {
            elf_file_done(&open->elf);
            cleanup_close(&open->fd);
            free(open);
            return NULL;
        }
    } else if (open->fd < 0) {
        open->fd = open->elf.fd = open_again(store, file);
    }
    open->next = store->opened;
    store->opened = open;
    keep_within_limit(store);
    return open->fd < 0 ? NULL : &open->elf;
}
