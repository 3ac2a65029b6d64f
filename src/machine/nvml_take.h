/* What a record of the NVML child says of a GPU, put into the report. */
#ifndef MACHINE_NVML_TAKE_H
#define MACHINE_NVML_TAKE_H

#include "machine/nvml_wire.h"

/* A value on its way in: a text, already safe to show, or a number. */
struct wire_value {
    const char *text;
    int64_t number;
};

/* False for a record that makes no sense: a MIG device too many, a part of one that was not begun,
 * a tag that is none of a GPU's. */
bool wire_take_gpu(struct arena *arena, struct nvml_gpu *gpu, enum wire_tag tag,
                   const struct wire_value *value);

#endif
