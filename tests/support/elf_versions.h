/* The symbol version tables of a shared object that elf_write makes. */
#ifndef TESTS_SUPPORT_ELF_VERSIONS_H
#define TESTS_SUPPORT_ELF_VERSIONS_H

#include <stdint.h>

#include "elf_write.h"

struct elf_version {
    const char *name;
    const char *library; /* NULL: a version that the object itself defines */
    uint16_t index;
};

struct elf_versions {
    struct elf_version *items;
    size_t count, capacity;
    size_t defined_count; /* the first ones; they follow the base definition, which has index 1 */
};

/* Collects the versions that the symbols name, each once, definitions first. */
int elf_versions_collect(struct elf_versions *versions, const struct elf_spec *spec,
                         struct error *err);
void elf_versions_done(struct elf_versions *versions);

/* The index of a symbol's version; 1 (global) for a symbol without one. */
uint16_t elf_versions_index(const struct elf_versions *versions, const struct elf_symbol *symbol);

/* The contents of .gnu.version_d and .gnu.version_r; names are added to `strings`. */
void elf_versions_put_definitions(const struct elf_versions *versions, const char *base,
                                  struct text *strings, struct text *out);
void elf_versions_put_needs(const struct elf_versions *versions, struct text *strings,
                            struct text *out);
/* How many libraries bear a needed version (the value of DT_VERNEEDNUM). */
size_t elf_versions_libraries(const struct elf_versions *versions);

/* Adds a name to a string table, gives its offset. */
uint32_t elf_string(struct text *strings, const char *name);

#endif
