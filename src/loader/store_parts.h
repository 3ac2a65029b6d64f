/* Inside of the store; nobody outside of this room includes it. */
#ifndef LOADER_STORE_PARTS_H
#define LOADER_STORE_PARTS_H

#include <stdio.h>

#include "base/alloc.h"
#include "loader/folder.h"
#include "loader/map.h"

/* A file that is open, or was. */
struct loader_open {
    int fd; /* -1: closed to keep within the limit; what was read is still there */
    struct elf_file elf;
    uint64_t last; /* time of its last use, in uses */
};

struct loader_store {
    const struct machine *machine;
    uint16_t elf_machine;
    bool (*leaves)(void *data, const char *path); /* NULL: nothing is left alone */
    void *leaves_data;
    struct arena arena;
    struct loader_map paths; /* to numbers of `files` */
    struct loader_map inodes;
    struct loader_file **files;
    size_t file_count, file_capacity;
    const struct loader_file *nothing; /* what is not there; NULL: not asked for yet */
    struct loader_map folders;
    struct loader_map real_folders; /* by device and inode: the first of that name */
    struct loader_folder **folder_items;
    size_t folder_count, folder_capacity;
    struct loader_open **opened; /* by number of the file; NULL: never was */
    size_t opened_capacity, open_count, open_max;
    uint64_t uses;
    size_t read_files;
    uint64_t read_bytes;
};

/* Whether the path must not be looked at. */
static inline bool loader_store_leaves(const struct loader_store *store, const char *path)
{
    return store->leaves && store->leaves(store->leaves_data, path);
}

enum { LOADER_INODE_KEY = 48 };
/* What names a file in a map, however many paths lead to it. */
static inline void loader_inode_key(const struct file_stat *st, char *key, size_t size)
{
    snprintf(key, size, "%llx:%llx", (unsigned long long)st->device, (unsigned long long)st->inode);
}

/* What is open at `fd`: class, reason and type of `file`, whose size is known. elf_file_done() in
 * any case. */
void loader_file_read(struct loader_store *store, int fd, struct loader_file *file,
                      struct elf_file *elf);
/* Then its object and problem, of a class that fits. */
void loader_file_read_object(struct loader_store *store, struct loader_file *file,
                             struct elf_file *elf);

#endif
