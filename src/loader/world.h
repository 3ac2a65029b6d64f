/* What the dynamic loader of a machine goes by beside the files themselves: its cache, its default
 * folders, the variables of the process, what the processor can do. */
#ifndef LOADER_WORLD_H
#define LOADER_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "machine/machine.h"

struct loader_cached {
    const char *soname, *path;
    int level; /* glibc-hwcaps: index into `levels`, the best is 0; -1: a plain entry */
};

struct loader_world {
    const struct machine *machine; /* borrowed */
    struct arena *arena;           /* borrowed; must outlive the world */
    const char *arch;              /* "x86_64" or "aarch64" */
    uint16_t elf_machine;          /* EM_* of the objects it loads */
    const char *lib, *platform;    /* what $LIB and $PLATFORM stand for */
    const char *library_path;      /* LD_LIBRARY_PATH; NULL where it is not set or empty */
    const char *preload;           /* LD_PRELOAD; NULL likewise */
    const char *file_preload;      /* /etc/ld.so.preload, blanks between; NULL: none */
    const char *cwd;               /* NULL: not known */
    const char *const *levels;     /* glibc-hwcaps subfolders in use, best first */
    size_t level_count;
    const char *const *legacy; /* further subfolders ("tls/haswell"), in order: glibc before 2.37 */
    size_t legacy_count;
    const char *const *defaults; /* default folders, in order */
    size_t default_count;
    /* /etc/ld.so.cache, in the file's order: the entries that this loader may use */
    struct loader_cached *cached;
    size_t cached_count;
    struct loader_map *cache_index; /* soname to number of its best in `cached`; internal */
    int cache_error;                /* 0, or the negative errno of reading it (-ENOENT: none) */
    const char *cache_problem;      /* sentence, or NULL */
    bool is_musl;                   /* not simulated: every search is unknown */
    bool keeps_trail; /* false unless the caller says so: requests that are answered also keep the
                         absent files that were tried, as LD_DEBUG=libs prints them */
    /* Asked where no file answers a need: whether the object loads all the same, as in a recorded
     * tree that holds a part of its machine alone. NULL: never. Set by whoever simulates. */
    bool (*may_lack)(void *data, const char *name);
    void *may_lack_data;
};

/* Reads it from the machine. The variables are those of the machine's environment; whoever
 * simulates a process with others changes the fields. Never fails: what cannot be read is in
 * cache_error and cache_problem. */
void loader_world_read(const struct machine *machine, struct arena *arena,
                       struct loader_world *ret);

#endif
