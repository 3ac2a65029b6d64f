/* `nvidia-smi -q -x` as a fallback where NVML could not be asked directly. */
#ifndef MACHINE_SMI_H
#define MACHINE_SMI_H

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"

/* Path of the program: `wanted`, or nvidia-smi where drivers put it, or on PATH. NULL when there is
 * none, or `wanted` is "". */
char *smi_find(const struct machine *machine, const char *wanted, struct arena *arena);

/* Runs it until `deadline` (of monotonic_ms()) and collects what it prints. 0, or -errno: -ETIME
 * when it was late, -EFBIG when it printed too much. */
int smi_run(char *program, double deadline, struct text *out);

#endif
