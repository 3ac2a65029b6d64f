/* Fields of `nvidia-smi -q -x`, by the path of their element below the root. */
#ifndef MACHINE_SMI_FIELDS_H
#define MACHINE_SMI_FIELDS_H

#include "machine/nvml.h"

struct smi_fields {
    struct arena *arena;
    struct nvml_report *report;
    int driver_rank, cuda_rank; /* of the spelling that was taken; 0 none yet */
};

/* Puts the value into the report's last GPU, or into the report itself; a path that is no field is
 * passed over. `text` is the element's text without blanks around it. */
void smi_take(struct smi_fields *reader, const char *path, const char *text);

/* The parts that the plain table has in common with it. */

/* "Enabled" and "Disabled"; -1 for anything else. */
int smi_switch(const char *text);
/* "143771 MiB" or "143771MiB"; -1 for anything else. */
int64_t smi_memory(const char *text);
/* A decimal number, alone or before a blank; -1 for anything else. */
int64_t smi_number(const char *text);
/* A copy that is safe to show. */
const char *smi_keep(struct arena *arena, const char *text);
/* A GPU in a bad state has the error where a value should be ("GPU requires reset"): sets its code.
 * "Unknown Error" counts only where name or UUID should be (`identity`): healthy GPUs have it
 * elsewhere. */
void smi_note_failure(struct nvml_gpu *gpu, const char *text, bool identity);

#endif
