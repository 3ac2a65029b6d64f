/* Dynamic symbols of an object: looked up by hash, never by reading the whole table. */
#ifndef ELF_SYMBOL_H
#define ELF_SYMBOL_H

#include "elf/object.h"

/* Whether the object defines the symbol for others. `version` NULL: any that an unversioned
 * reference binds to; else a definition of that version, or one in an object without versions.
 * 1, 0, or -EBADMSG where its tables are broken. */
int elf_symbol_defined(struct elf_file *file, const struct elf_object *object, const char *name,
                       const char *version);

struct elf_undefined {
    const char *name;                    /* valid during the call */
    const struct elf_version_need *need; /* NULL: a reference without a version */
    bool is_weak, is_function;
};
/* Calls back for each symbol that the object needs from others, weak ones too, until it returns
 * false. Only the undefined ones are read: they stand in front of the hashed ones. `wants` (may be
 * NULL) is asked first, by the version that is needed (NULL: none), so that names of no interest
 * are not read. 0, or -EBADMSG. */
int elf_each_undefined(struct elf_file *file, const struct elf_object *object,
                       bool (*wants)(void *data, const struct elf_version_need *need),
                       bool (*each)(void *data, const struct elf_undefined *symbol), void *data);

#endif
