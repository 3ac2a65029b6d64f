/* Where a word of a file points that the linker left zero, for the loader to fill. */
#ifndef ELF_FATBIN_RELOCATION_H
#define ELF_FATBIN_RELOCATION_H

#include "elf/file.h"

/* The dynamic relocations of a linked file. */
struct fatbin_relocations {
    uint64_t offset, count; /* of its Elf64_Rela table */
};

/* False where it has none. */
bool fatbin_relocations_of(struct elf_file *file, struct fatbin_relocations *ret);

/* The address that the loader will store at `address`. The relative ones stand first, by address,
 * as lld and GNU ld sort them; false where there is none, or the table is not sorted. */
bool fatbin_relocation_at(struct elf_file *file, const struct fatbin_relocations *relocations,
                          uint64_t address, uint64_t *ret);

/* For an object file: calls back with each place in section `number` that is to be filled, and the
 * offset in the piece of what it will point at. */
void fatbin_each_object_relocation(struct elf_file *file, size_t number,
                                   void (*each)(void *data, uint64_t place, uint64_t target),
                                   void *data);

#endif
