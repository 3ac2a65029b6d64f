/* `resource` of a PCI device in sysfs: a line for each window, "start end flags", hexadecimal. */
#ifndef PARSE_PCI_RESOURCE_H
#define PARSE_PCI_RESOURCE_H

#include <stddef.h>

#include "base/opt.h"

/* MiB of the largest memory window among the device's own six; 0 where none has an address. Unknown
 * when it is no such text. */
struct opt pci_largest_window(const char *data, size_t size);

#endif
