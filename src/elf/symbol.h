/* Dynamic symbols of an object: looked up by hash, never by reading the whole table. */
#ifndef ELF_SYMBOL_H
#define ELF_SYMBOL_H

#include "elf/object.h"

/* Whether the object defines the symbol for others. `version` NULL: any that an unversioned
 * reference binds to; else a definition of that version, or one in an object without versions.
 * 1, 0, or -EBADMSG where its tables are broken. */
int elf_symbol_defined(struct elf_file *file, const struct elf_object *object, const char *name,
                       const char *version);

/* The bytes of a variable that the object defines for others, as they stand in the file: false
 * where it has none of that name and size, or its tables are broken. */
bool elf_symbol_data(struct elf_file *file, const struct elf_object *object, const char *name,
                     void *buffer, size_t size);

struct elf_undefined {
    const char *name;                    /* valid during the call */
    const struct elf_version_need *need; /* NULL: a reference without a version */
    bool is_weak, is_function;
};
/* What is of interest, so that other names are not read or not copied. */
struct elf_undefined_filter {
    /* by the version that is needed (NULL: none); NULL: all */
    bool (*wants)(void *data, const struct elf_version_need *need);
    /* by the name of one without a version; NULL: all */
    bool (*wants_name)(void *data, const char *name);
    bool skips_weak;
};
/* Calls back for each symbol that the object needs from others until it returns false. Only the
 * undefined ones are read: they stand in front of the hashed ones. Those that the filter (NULL:
 * none) does not want are passed over. 0, or -EBADMSG. */
int elf_each_undefined(struct elf_file *file, const struct elf_object *object,
                       const struct elf_undefined_filter *filter,
                       bool (*each)(void *data, const struct elf_undefined *symbol), void *data);

#endif
