/* What Slurm's own files say of GPUs on this machine. */
#ifndef SYSTEM_JOB_SLURM_H
#define SYSTEM_JOB_SLURM_H

#include "probe/probe.h"

struct slurm_files {
    bool gres_gpus;              /* gres.conf is here and hands out GPUs */
    struct opt confines_devices; /* 1 where a job may open its own GPUs only */
};

/* Notes files that could not be read. */
void slurm_read(struct probe_context *context, struct slurm_files *ret);

#endif
