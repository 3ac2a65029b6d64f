/* Slurm's slurm.conf, cgroup.conf and gres.conf, as far as GPUs go. Names and values are compared
 * without regard to case. (slurm.conf(5), cgroup.conf(5), gres.conf(5)) */
#ifndef PARSE_SLURM_CONF_H
#define PARSE_SLURM_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/opt.h"
#include "base/span.h"

/* The last value of NAME=VALUE in the file; false where it has none. A span of the file's text. */
bool parse_slurm_value(const char *data, size_t size, const char *name, struct span *ret);

/* Whether gres.conf hands out GPUs: a line of Name=gpu, or AutoDetect=nvml or nvidia. */
bool parse_gres_gpus(const char *data, size_t size);

/* Whether the span is the word, without regard to case; for lists: or holds it. */
bool slurm_is(struct span value, const char *word);
bool slurm_list_has(struct span list, const char *word);

/* How many GPUs a variable of a batch system names: "0,1,3", "0-3", "GPU-uuid,GPU-uuid", "" is 0.
 * Unknown for "all" and other words that are no list. */
struct opt parse_gpu_list_count(const char *list);
/* The number in "4", "a100:4", "gpu:a100:4,gpu:h100:2" (6); unknown where there is none. */
struct opt parse_gpu_count(const char *text);

#endif
