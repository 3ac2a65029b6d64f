/* Where device code stands in an object, a program or a shared object. */
#ifndef ELF_DEVICE_PLACES_H
#define ELF_DEVICE_PLACES_H

#include "elf/device_tally.h"
#include "elf/file.h"
#include "elf/window.h"

/* Counts the device code of an ELF file that is no cubin. The window is on the same file; the
 * piece's bytes are within it. */
void device_places_scan(struct elf_file *file, enum device_scan how, struct elf_window *window,
                        struct device_tally *tally);

#endif
