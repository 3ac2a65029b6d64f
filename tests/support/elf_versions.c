#include "elf_versions.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_VERSIONS = 0x7f00 }; /* bit 15 of an index means "hidden" */

uint32_t elf_string(struct text *strings, const char *name)
{
    uint32_t offset = (uint32_t)strings->length;
    text_add_bytes(strings, name, strlen(name) + 1);
    return offset;
}

/* The hash of the gabi's symbol table, which version entries repeat beside each name. */
static uint32_t name_hash(const char *name)
{
    uint32_t hash = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        hash = (hash << 4) + *c;
        uint32_t high = hash & 0xf0000000U;
        hash = (hash ^ (high >> 24)) & ~high;
    }
    return hash;
}

static struct elf_version *find(const struct elf_versions *versions, const char *name,
                                const char *library)
{
    for (size_t i = 0; i < versions->count; i++) {
        struct elf_version *v = &versions->items[i];
        if (text_equal(v->name, name) && text_equal(v->library, library))
            return v;
    }
    return NULL;
}

static void add(struct elf_versions *versions, const char *name, const char *library)
{
    if (!name || find(versions, name, library))
        return;
    versions->items =
        xgrow(versions->items, &versions->capacity, versions->count + 1, sizeof *versions->items);
    versions->items[versions->count++] = (struct elf_version){.name = name, .library = library};
}

int elf_versions_collect(struct elf_versions *versions, const struct elf_spec *spec,
                         struct error *err)
{
    for (size_t i = 0; i < spec->defined_count; i++)
        add(versions, spec->defined[i].version, NULL);
    versions->defined_count = versions->count;
    for (size_t i = 0; i < spec->undefined_count; i++) {
        const struct elf_symbol *symbol = &spec->undefined[i];
        if (symbol->version && !symbol->library)
            return error_set(err, -EINVAL, "version %s of %s names no library", symbol->version,
                             symbol->name);
        add(versions, symbol->version, symbol->library);
    }
    if (versions->count > MAX_VERSIONS)
        return error_set(err, -EINVAL, "%zu symbol versions are too many", versions->count);
    for (size_t i = 0; i < versions->count; i++)
        versions->items[i].index = (uint16_t)(i + 2);
    return 0;
}

void elf_versions_done(struct elf_versions *versions)
{
    free(versions->items);
    *versions = (struct elf_versions){0};
}

uint16_t elf_versions_index(const struct elf_versions *versions, const struct elf_symbol *symbol)
{
    const struct elf_version *v =
        symbol->version ? find(versions, symbol->version, symbol->library) : NULL;
    return v ? v->index : VER_NDX_GLOBAL;
}

static void put_definition(struct text *out, struct text *strings, const char *name, uint16_t index,
                           bool is_last)
{
    put_little_endian(out, VER_DEF_CURRENT, 2);
    put_little_endian(out, index == VER_NDX_GLOBAL ? VER_FLG_BASE : 0, 2);
    put_little_endian(out, index, 2);
    put_little_endian(out, 1, 2); /* names */
    put_little_endian(out, name_hash(name), 4);
    put_little_endian(out, sizeof(Elf64_Verdef), 4);
    put_little_endian(out, is_last ? 0 : sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux), 4);
    put_little_endian(out, elf_string(strings, name), 4);
    put_little_endian(out, 0, 4);
}

void elf_versions_put_definitions(const struct elf_versions *versions, const char *base,
                                  struct text *strings, struct text *out)
{
    size_t n = versions->defined_count;
    put_definition(out, strings, base, VER_NDX_GLOBAL, n == 0);
    for (size_t i = 0; i < n; i++)
        put_definition(out, strings, versions->items[i].name, versions->items[i].index, i + 1 == n);
}

/* Whether no earlier needed version is of the same library. */
static bool is_first_of_library(const struct elf_versions *versions, size_t i)
{
    for (size_t k = versions->defined_count; k < i; k++)
        if (strcmp(versions->items[k].library, versions->items[i].library) == 0)
            return false;
    return true;
}

size_t elf_versions_libraries(const struct elf_versions *versions)
{
    size_t n = 0;
    for (size_t i = versions->defined_count; i < versions->count; i++)
        n += is_first_of_library(versions, i);
    return n;
}

static void put_library(const struct elf_versions *versions, const char *library, bool is_last,
                        struct text *strings, struct text *out)
{
    size_t left = 0;
    for (size_t i = versions->defined_count; i < versions->count; i++)
        left += strcmp(versions->items[i].library, library) == 0;
    put_little_endian(out, VER_NEED_CURRENT, 2);
    put_little_endian(out, left, 2);
    put_little_endian(out, elf_string(strings, library), 4);
    put_little_endian(out, sizeof(Elf64_Verneed), 4);
    put_little_endian(out, is_last ? 0 : sizeof(Elf64_Verneed) + left * sizeof(Elf64_Vernaux), 4);
    for (size_t i = versions->defined_count; i < versions->count; i++) {
        const struct elf_version *v = &versions->items[i];
        if (strcmp(v->library, library) != 0)
            continue;
        put_little_endian(out, name_hash(v->name), 4);
        put_little_endian(out, 0, 2);
        put_little_endian(out, v->index, 2);
        put_little_endian(out, elf_string(strings, v->name), 4);
        put_little_endian(out, --left ? sizeof(Elf64_Vernaux) : 0, 4);
    }
}

void elf_versions_put_needs(const struct elf_versions *versions, struct text *strings,
                            struct text *out)
{
    size_t libraries = elf_versions_libraries(versions);
    for (size_t i = versions->defined_count; i < versions->count; i++)
        if (is_first_of_library(versions, i))
            put_library(versions, versions->items[i].library, --libraries == 0, strings, out);
}
