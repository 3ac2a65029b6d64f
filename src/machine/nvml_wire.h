/* What the NVML child tells its parent: records of a fixed head and a short value, so that each
 * is written in one piece and everything up to a crash or a hang is kept. */
#ifndef MACHINE_NVML_WIRE_H
#define MACHINE_NVML_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "machine/nvml.h"

enum wire_tag {
    WIRE_STAGE = 1,  /* text: the call that is about to be made */
    WIRE_LIBRARY,    /* text: what was loaded */
    WIRE_NO_LIBRARY, /* text: why nothing was */
    WIRE_FAILED,     /* number: NVML code of the start */
    WIRE_MESSAGE,    /* text: the library's words for it */
    WIRE_DRIVER,     /* text */
    WIRE_CUDA,       /* number: 13000 */
    WIRE_NVML,       /* text */
    WIRE_COUNT,      /* number of GPUs; comes before any of theirs */
    WIRE_GPU_CODE,   /* number: of the handle's look-up; first of a GPU */
    WIRE_GPU_PCI,    /* text */
    WIRE_GPU_UUID,
    WIRE_GPU_NAME,
    WIRE_GPU_CC,     /* number: major * 100 + minor */
    WIRE_GPU_MEMORY, /* number: bytes */
    WIRE_GPU_MINOR,
    WIRE_GPU_MIG_MODE,
    WIRE_GPU_MIG_COUNT,
    WIRE_GPU_COMPUTE_MODE,
    WIRE_GPU_PERSISTENCE,
    WIRE_GPU_FABRIC_STATE,
    WIRE_GPU_FABRIC_STATUS,
    WIRE_GPU_ECC,
    WIRE_GPU_ADDRESSING,
    WIRE_GPU_MIG_PENDING,
    WIRE_GPU_VIRTUALIZATION,
    WIRE_GPU_RECOVERY,
    WIRE_GPU_GSP,          /* text: version, or "none" */
    WIRE_GPU_LINKS,        /* number of NVLinks */
    WIRE_GPU_LINKS_ACTIVE, /* likewise of those that are up */
    WIRE_MIG,              /* number: index; first of a MIG device of that GPU */
    WIRE_MIG_GPU_INSTANCE,
    WIRE_MIG_COMPUTE_INSTANCE,
    WIRE_MIG_UUID,   /* text */
    WIRE_MIG_NAME,   /* text */
    WIRE_MIG_MEMORY, /* number: bytes */
    WIRE_END,        /* number 0: that was all */
};

enum { WIRE_GPUS_MAX = 256, WIRE_TEXT_MAX = 1024 };

/* Writes a record; false when the parent is gone. */
bool wire_put_text(int fd, enum wire_tag tag, int gpu, const char *text, size_t length);
bool wire_put_number(int fd, enum wire_tag tag, int gpu, int64_t number);

/* Reads records out of a growing buffer. Zero-initialise but for `arena` and `report`. */
struct wire_reader {
    struct arena *arena;
    struct nvml_report *report; /* filled; gpu_count is the number of GPUs that were begun */
    size_t cursor;
    size_t expected; /* GPUs that the library counted */
    bool counted, no_library, failed, ended;
    const char *stage; /* NULL: none was begun */
};

/* Takes every whole record of `data`. -EBADMSG at the first that makes no sense. */
int wire_read(struct wire_reader *reader, const char *data, size_t size);

#endif
