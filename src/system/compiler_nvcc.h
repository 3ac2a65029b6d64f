/* Which host compilers the toolkits accept. */
#ifndef SYSTEM_COMPILER_NVCC_H
#define SYSTEM_COMPILER_NVCC_H

#include "probe/probe.h"

/* Fills nvcc_host from the header of each toolkit in the facts. */
void add_nvcc_hosts(struct probe_context *context);

#endif
