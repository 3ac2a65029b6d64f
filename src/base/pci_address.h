/* Names of PCI devices: the kernel, NVML and nvidia-smi write them in different ways. */
#ifndef BASE_PCI_ADDRESS_H
#define BASE_PCI_ADDRESS_H

#include "base/arena.h"

/* "0000:01:00.0" of "00000000:01:00.0" and the like: lower case, a domain of four digits unless it
 * needs more. NULL when the text is no such address. From `arena`. */
char *pci_address(const char *text, struct arena *arena);

#endif
