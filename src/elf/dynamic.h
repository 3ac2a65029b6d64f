/* The dynamic section as the loader goes through it; for the files of this room. */
#ifndef ELF_DYNAMIC_H
#define ELF_DYNAMIC_H

#include "elf/object.h"

/* What is known while an object is read. */
struct elf_reading {
    struct elf_file *file;
    struct arena *arena;
    struct elf_object *object;
    struct error *err;
    uint64_t strings, strings_size; /* offset and bytes of the string table */
    bool has_strings;
    size_t string_bytes; /* in `arena` so far */
};

/* A string of the string table. 0, or -EBADMSG with a sentence. */
int elf_dynamic_string(struct elf_reading *reading, uint64_t at, const char **ret);

/* DT_VERNEED and DT_VERDEF at these offsets. 0, or -EBADMSG with a sentence. */
int elf_read_version_needs(struct elf_reading *reading, uint64_t offset);
int elf_read_version_definitions(struct elf_reading *reading, uint64_t offset);

#endif
