/* PTX as a text file, which begins with its version and its target. */
#ifndef ELF_PTX_TEXT_H
#define ELF_PTX_TEXT_H

#include "elf/device_tally.h"

/* Reads the directives .version and .target, which may have comments in front of them. False when
 * the text does not begin with them. Without `bytes`. */
bool ptx_text_read(const char *text, size_t size, struct device_entry *ret);

#endif
