/* Device code in a file: what NVIDIA's compilers put into shared objects, programs, objects,
 * archives, fatbins and cubins for GPUs. Only headers are read, never payloads. The format is not
 * published; docs/device-code.md holds what was found and how. */
#ifndef ELF_DEVICE_CODE_H
#define ELF_DEVICE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum device_kind { DEVICE_CUBIN, DEVICE_PTX, DEVICE_LTO, DEVICE_OTHER };
enum device_place {
    DEVICE_LINKED,      /* what runs: .nv_fatbin, other sections, bare files */
    DEVICE_RELOCATABLE, /* __nv_relfatbin: input of a device link, counts only where that is all */
    DEVICE_STUB,        /* the empty container of a device link: says nothing of the file */
};

/* All entries of one kind, target and place. */
struct device_target {
    enum device_kind kind;
    enum device_place place;
    uint32_t sm;                           /* 90 for compute capability 9.0, 120 for 12.0 */
    char suffix;                           /* 'a' this capability alone, 'f' its family, 0 none */
    uint16_t isa_major, isa_minor;         /* PTX: the highest ISA version of these; else 0 */
    uint16_t isa_low_major, isa_low_minor; /* PTX: the lowest */
    uint64_t entries, containers, bytes /* as stored */;
};

struct device_code {
    struct device_target *targets; /* by place, kind, sm, suffix */
    size_t target_count;
    uint64_t containers, entries;
    uint64_t bytes_read; /* of the file, for this */
    bool is_deep;        /* whole data sections were searched */
    const char *problem; /* a sentence about what was skipped as broken or unknown; NULL: none */
};

enum device_scan {
    DEVICE_SCAN_HEADERS, /* sections made for device code alone; what `check` does */
    DEVICE_SCAN_DEEP,    /* constants and data too; what `archs` does */
};

/* Scans the file that is open at `fd`. Arrays and sentences live in `arena`. 0 (also where there is
 * no device code); -ENOEXEC for a file of none of these formats, -EBADMSG for a broken ELF file or
 * one that is not of 64 bits and little-endian; a negative errno of reading. `ret` is set in any
 * case. A cubin or PTX as a file counts as one container. Long searches use up to so many threads
 * (0: the caller's alone); what is found and `bytes_read` do not depend on them. */
int device_code_scan(int fd, enum device_scan how, size_t threads, struct arena *arena,
                     struct device_code *ret, struct error *err);

/* "sm_90a", "compute_120", "lto_75": as compilers write targets; "other_90" for a kind that is not
 * known. From the arena. */
const char *device_target_name(const struct device_target *target, struct arena *arena);

#endif
