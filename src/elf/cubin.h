/* Cubins: machine code for GPUs, as an ELF file of its own. */
#ifndef ELF_CUBIN_H
#define ELF_CUBIN_H

#include "elf/device_tally.h"
#include "elf/file.h"

enum { CUBIN_MACHINE = 190 }; /* e_machine, EM_CUDA */

/* What the cubin is for, without `bytes`. False for one of an unknown generation. `is_suffix_known`
 * is false where nothing in the file tells sm_90 from sm_90a. */
bool cubin_read(struct elf_file *file, struct device_entry *ret, bool *is_suffix_known);

#endif
