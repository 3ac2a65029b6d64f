/* Wrappers: 24 bytes for each container, with its address, that programs hand to the CUDA runtime.
 * They tell the container that a device link made from all others. */
#ifndef ELF_FATBIN_WRAPPER_H
#define ELF_FATBIN_WRAPPER_H

#include "elf/file.h"

enum { FATBIN_WRAPPERS_MAX = 256 * 1024 }; /* 6 MiB; the largest library known has 3 015 */

enum fatbin_wrapper_version {
    FATBIN_WRAPPER_NORMAL = 1,
    FATBIN_WRAPPER_LINKED = 2 /* of what a device link made */
};

struct fatbin_wrapper {
    uint64_t container; /* offset in the piece */
    uint32_t version;
};

/* Zero-initialise; fatbin_wrappers_done() in any case. */
struct fatbin_wrappers {
    struct fatbin_wrapper *items; /* by container, each once */
    size_t count, capacity;
    size_t unresolved; /* normal ones whose container could not be told */
    bool is_cut;       /* there are more, or they could not be read */
};

/* Those of the section .nvFatBinSegment; none where the file has no such section. `budget` is in
 * bytes, is taken from, and may be that of many files: what is read, and as much for each wrapper
 * as it takes to find its container. */
void fatbin_wrappers_read(struct elf_file *file, uint64_t *budget, struct fatbin_wrappers *ret);

/* For a file without section headers: those in its writable segments. */
void fatbin_wrappers_find(struct elf_file *file, uint64_t *budget, struct fatbin_wrappers *ret);

/* NULL where no wrapper is known to point at the container. */
const struct fatbin_wrapper *fatbin_wrapper_of(const struct fatbin_wrappers *wrappers,
                                               uint64_t container);

void fatbin_wrappers_done(struct fatbin_wrappers *wrappers);

#endif
