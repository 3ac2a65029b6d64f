/* The tree that a manifest is being laid out in: what the kinds of entries write with. */
#ifndef TESTS_SUPPORT_MANIFEST_TREE_H
#define TESTS_SUPPORT_MANIFEST_TREE_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "elf_write.h"
#include "manifest_read.h"

struct tree_mode {
    const char *path;
    mode_t mode;
    unsigned line;
};

struct tree {
    const char *manifest; /* its name, for messages */
    const char *prefix;   /* the folder of the last `in`, where relative paths stand */
    int root;             /* the folder that stands for "/" */
    struct arena *arena;
    struct error *err;
    struct tree_mode *modes; /* of folders, set when everything stands */
    size_t mode_count, mode_capacity;
};

/* All functions give 0 or a negative errno, with a message that names the entry's line. */

int tree_error(const struct tree *tree, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The path from the root, without a leading slash; arena memory. */
int tree_path(struct tree *tree, unsigned line, const char *path, const char **ret);

int tree_put_dir(struct tree *tree, unsigned line, const char *path, mode_t mode);
/* A file of `size` bytes: the data, then a hole. A size of 0 is that of the data. */
int tree_put_file(struct tree *tree, unsigned line, const char *path, const struct text *data,
                  mode_t mode, off_t size);
int tree_put_link(struct tree *tree, unsigned line, const char *path, const char *target);
int tree_put_fifo(struct tree *tree, unsigned line, const char *path, mode_t mode);
int tree_set_modes(struct tree *tree);

/* The entry's last KEY=VALUE; `otherwise` without one. */
const char *entry_value(const struct manifest_entry *entry, const char *key, const char *otherwise);
/* The parts of all values of a key, split at any character of `separators`, blanks around them
 * dropped; empty ones are left out. The array ends with NULL; arena memory. */
char **entry_list(struct tree *tree, const struct manifest_entry *entry, const char *key,
                  const char *separators, size_t *ret_count);
int entry_mode(struct tree *tree, const struct manifest_entry *entry, mode_t otherwise,
               mode_t *ret);
/* Bytes of size=N, N in bytes or with K, M or G (1024-based); 0 without the key. */
int entry_size(struct tree *tree, const struct manifest_entry *entry, off_t *ret);

/* Adds what an elf entry's device= says. */
int read_device(struct tree *tree, const struct manifest_entry *entry, struct elf_spec *spec);

/* The kinds that have files of their own. */
int lay_elf(struct tree *tree, const struct manifest_entry *entry);
int lay_ldcache(struct tree *tree, const struct manifest_entry *entry);
int lay_distinfo(struct tree *tree, const struct manifest_entry *entry);
int lay_condapkg(struct tree *tree, const struct manifest_entry *entry);

#endif
