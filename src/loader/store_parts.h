/* Inside of the store; nobody outside of this room includes it. */
#ifndef LOADER_STORE_PARTS_H
#define LOADER_STORE_PARTS_H

#include "base/alloc.h"
#include "loader/folder.h"
#include "loader/map.h"

struct loader_open;

struct loader_store {
    const struct machine *machine;
    uint16_t elf_machine;
    struct arena arena;
    struct loader_map paths; /* to numbers of `files` */
    struct loader_map inodes;
    struct loader_file **files;
    size_t file_count, file_capacity;
    struct loader_map folders;
    struct loader_folder **folder_items;
    size_t folder_count, folder_capacity;
    struct loader_open *opened; /* files that are open to look up symbols */
    size_t read_files;
    uint64_t read_bytes;
};

/* What is open at `fd`: class, reason, type, object and problem of `file`, whose size is known. */
void loader_file_read(struct loader_store *store, int fd, struct loader_file *file);

#endif
