/* Whether a processor says that it is a virtual machine's. */
#ifndef PARSE_CPU_H
#define PARSE_CPU_H

#include <stddef.h>

#include "base/opt.h"

/* /sys/devices/system/cpu/modalias: "cpu:type:x86,ven0000fam0006mod0055:feature:,0000,...,009F,..."
 * Unknown where it is no such text, or of another architecture: those do not say. */
struct opt cpu_alias_hypervisor(const char *data, size_t size);

/* The first line of flags in /proc/cpuinfo. */
struct opt cpu_info_hypervisor(const char *data, size_t size);

#endif
