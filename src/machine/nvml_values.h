/* Values as NVML and nvidia-smi give them, brought into the form of struct nvml_gpu. */
#ifndef MACHINE_NVML_VALUES_H
#define MACHINE_NVML_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "machine/nvml.h"

/* Every field unknown but the index. */
void nvml_gpu_unknown(struct nvml_gpu *gpu, int index);

/* Another MIG device of the GPU, all of it unknown but the index; NULL when there are
 * NVML_MIGS_MAX already. */
struct nvml_mig *nvml_mig_add(struct nvml_gpu *gpu, int index, struct arena *arena);

/* The text itself, or NULL for the words that stand for "not known": "N/A", "[Not Supported]",
 * "ERR!" and the like. */
const char *nvml_known(const char *text);
/* Likewise, and NULL for what is no dotted number. */
const char *nvml_known_version(const char *text);
/* 0 or 1; -1 for any other number. */
int nvml_switch(int64_t number);
/* As an int; -1 where it does not fit or is negative. */
int nvml_clamp(int64_t number);
const char *nvml_compute_mode(int64_t number);    /* NULL unknown */
const char *nvml_fabric_state(int64_t number);    /* NULL not supported */
const char *nvml_addressing_mode(int64_t number); /* NULL unknown */
const char *nvml_fabric_status(int64_t code, struct arena *arena);
const char *nvml_virtualization(int64_t number);             /* NULL unknown */
const char *nvml_virtualization_of_words(const char *words); /* nvidia-smi's; NULL unknown */
/* nvidia-smi's words; "code 7" for one that is newer than this program. */
const char *nvml_recovery_action(int64_t number, struct arena *arena);
/* Code whose text (nvml_code_text) is somewhere in the words, upper or lower case; -1 none. */
int nvml_code_in_text(const char *words);

#endif
