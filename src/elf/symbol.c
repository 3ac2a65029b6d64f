/* Which definition a reference binds to: glibc, elf/dl-lookup.c (check_match, do_lookup_x). Hash
 * tables: System V ABI (gabi) chapter 5 for DT_HASH; DT_GNU_HASH as binutils and glibc have it: a
 * Bloom filter, buckets, and a chain whose last entry has the lowest bit set. */
#include "elf/symbol.h"

#include <errno.h>
#include <string.h>

enum {
    CHAIN_MAX = 64 * 1024, /* symbols of one bucket; linkers aim at less than ten */
    CHAIN_BATCH = 32,
    SAME_HASH_MAX = 1024, /* of them, with the hash that is looked for */
    HIDDEN = 0x8000,      /* bit of a version index: not the default version */
};

struct lookup {
    struct elf_file *file;
    const struct elf_object *object;
    const char *name, *version;
    size_t name_size;        /* with its NUL */
    size_t compared;         /* symbols */
    unsigned other_defaults; /* default versions other than the first of the object */
    Elf64_Sym found;         /* the last one of that name */
};

/* The string of a version index, among definitions and needs (an object that is a program may hold
 * a copy of another's data); NULL for an index that stands for no version. The last of several
 * counts, as in the loader's table. */
static const char *version_of(const struct elf_object *object, unsigned index)
{
    for (size_t i = object->definition_count; i-- > 0;)
        if (object->definitions[i].index == index && !object->definitions[i].is_base)
            return object->definitions[i].version;
    for (size_t i = object->need_count; i-- > 0;)
        if (object->needs[i].index == index)
            return object->needs[i].version;
    return NULL;
}

static bool is_definition(const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info), bind = ELF64_ST_BIND(symbol->st_info);
    unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    if (symbol->st_shndx == SHN_UNDEF || visibility == STV_HIDDEN || visibility == STV_INTERNAL)
        return false;
    if (symbol->st_value == 0 && symbol->st_shndx != SHN_ABS && type != STT_TLS)
        return false;
    if (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE)
        return false;
    return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_COMMON ||
           type == STT_TLS || type == STT_GNU_IFUNC;
}

/* 1 where a reference binds to the symbol, 0 where not. */
static int fits_version(struct lookup *lookup, uint16_t index)
{
    if (lookup->version) {
        lookup->file->lookups +=
            (lookup->object->definition_count + lookup->object->need_count) / 8;
        const char *has = version_of(lookup->object, index & ~HIDDEN & 0xffff);
        return has ? strcmp(has, lookup->version) == 0 : !(index & HIDDEN);
    }
    if ((index & ~HIDDEN) < 3) /* local, global, or of the object's first version */
        return 1;
    lookup->other_defaults += !(index & HIDDEN);
    return 0;
}

/* The symbol of this number has the hash that is looked for. 1, 0 or -EBADMSG. */
static int compare(struct lookup *lookup, uint32_t number)
{
    const struct elf_symbol_tables *tables = &lookup->object->tables;
    Elf64_Sym symbol;
    uint16_t index = VER_NDX_GLOBAL;
    lookup->file->lookups++;
    if (++lookup->compared > SAME_HASH_MAX ||
        !elf_file_get(lookup->file, &symbol, sizeof symbol,
                      tables->symbols + (uint64_t)number * sizeof symbol))
        return -EBADMSG;
    if (symbol.st_name >= tables->strings_size ||
        lookup->name_size > tables->strings_size - symbol.st_name || !is_definition(&symbol) ||
        !elf_file_is(lookup->file, tables->strings + symbol.st_name, lookup->name,
                     lookup->name_size))
        return 0;
    lookup->found = symbol;
    if (!tables->versions)
        return 1;
    if (!elf_file_get(lookup->file, &index, sizeof index,
                      tables->versions + (uint64_t)number * sizeof index))
        return -EBADMSG;
    return fits_version(lookup, index);
}

/* --- DT_GNU_HASH --- */

enum { BUCKET_COUNT, FIRST, FILTER_COUNT, FILTER_SHIFT }; /* words of its header */

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        hash = hash * 33 + *c;
    return hash;
}

static int walk_gnu_chain(struct lookup *lookup, uint64_t chains, uint32_t hash, uint32_t first,
                          uint32_t number)
{
    if (number < first)
        return -EBADMSG;
    uint32_t batch[CHAIN_BATCH];
    for (uint32_t done = 0; done < CHAIN_MAX; done += CHAIN_BATCH) {
        ssize_t n = elf_file_read(lookup->file, batch, sizeof batch,
                                  chains + ((uint64_t)number - first + done) * sizeof *batch);
        size_t count = n > 0 ? (size_t)n / sizeof *batch : 0;
        lookup->file->lookups += CHAIN_BATCH / 8;
        for (uint32_t i = 0; i < count; i++) {
            int r = (batch[i] | 1) == (hash | 1) ? compare(lookup, number + done + i) : 0;
            if (r != 0)
                return r;
            if (batch[i] & 1)
                return 0;
        }
        if (count < CHAIN_BATCH)
            break;
    }
    return -EBADMSG;
}

/* Many names are looked up in one table. NULL where it makes no sense. */
static const uint32_t *gnu_header(struct elf_file *file, uint64_t at)
{
    uint32_t *header = file->hash_header;
    if (file->hash_at == at)
        return header;
    file->hash_at = 0;
    if (!elf_file_get(file, header, sizeof file->hash_header, at) || !header[BUCKET_COUNT] ||
        !header[FILTER_COUNT] || (header[FILTER_COUNT] & (header[FILTER_COUNT] - 1)))
        return NULL;
    file->hash_at = at;
    return header;
}

static int look_in_gnu_hash(struct lookup *lookup)
{
    struct elf_file *file = lookup->file;
    uint64_t at = lookup->object->tables.gnu_hash, word;
    uint32_t hash = gnu_hash(lookup->name), number;
    const uint32_t *header = gnu_header(file, at);
    if (!header)
        return -EBADMSG;
    uint64_t filter = at + sizeof file->hash_header;
    uint64_t buckets = filter + (uint64_t)header[FILTER_COUNT] * sizeof word;
    uint64_t chains = buckets + (uint64_t)header[BUCKET_COUNT] * sizeof number;
    if (!elf_file_get(file, &word, sizeof word,
                      filter + (hash / 64 & (header[FILTER_COUNT] - 1)) * sizeof word))
        return -EBADMSG;
    if (!(word >> (hash & 63) & word >> (hash >> (header[FILTER_SHIFT] & 31) & 63) & 1))
        return 0;
    if (!elf_file_get(file, &number, sizeof number,
                      buckets + (uint64_t)(hash % header[BUCKET_COUNT]) * sizeof number))
        return -EBADMSG;
    return number ? walk_gnu_chain(lookup, chains, hash, header[FIRST], number) : 0;
}

/* --- DT_HASH --- */

static uint32_t sysv_hash(const char *name)
{
    uint32_t hash = 0;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        hash = (hash << 4) + *c;
        hash ^= hash >> 24 & 0xf0;
    }
    return hash & 0x0fffffff;
}

static int look_in_hash(struct lookup *lookup)
{
    struct elf_file *file = lookup->file;
    struct {
        uint32_t bucket_count, chain_count;
    } header;
    uint64_t at = lookup->object->tables.hash;
    uint32_t number;
    if (!elf_file_get(file, &header, sizeof header, at) || !header.bucket_count)
        return -EBADMSG;
    uint64_t buckets = at + sizeof header;
    uint64_t chains = buckets + (uint64_t)header.bucket_count * sizeof number;
    uint32_t bucket = sysv_hash(lookup->name) % header.bucket_count;
    if (!elf_file_get(file, &number, sizeof number, buckets + (uint64_t)bucket * sizeof number))
        return -EBADMSG;
    /* this chain does not bear the hashes: every symbol of it is compared */
    for (size_t i = 0; number; i++) {
        if (i == SAME_HASH_MAX || number >= header.chain_count)
            return -EBADMSG;
        int r = compare(lookup, number);
        if (r != 0)
            return r;
        if (!elf_file_get(file, &number, sizeof number, chains + (uint64_t)number * sizeof number))
            return -EBADMSG;
    }
    return 0;
}

/* 1, 0 or -EBADMSG. */
static int look_up(struct lookup *lookup)
{
    const struct elf_symbol_tables *tables = &lookup->object->tables;
    lookup->name_size = strlen(lookup->name) + 1;
    if (!tables->symbols)
        return 0;
    lookup->file->lookups += 1 + lookup->name_size / 64;
    int r = tables->gnu_hash ? look_in_gnu_hash(lookup) : tables->hash ? look_in_hash(lookup) : 0;
    /* one default version that is not the first one leaves no doubt which is meant */
    return r == 0 && lookup->other_defaults == 1 ? 1 : r;
}

int elf_symbol_defined(struct elf_file *file, const struct elf_object *object, const char *name,
                       const char *version)
{
    struct lookup lookup = {.file = file, .object = object, .name = name, .version = version};
    return look_up(&lookup);
}

bool elf_symbol_data(struct elf_file *file, const struct elf_object *object, const char *name,
                     void *buffer, size_t size)
{
    struct lookup lookup = {.file = file, .object = object, .name = name};
    uint64_t offset;
    return look_up(&lookup) == 1 && ELF64_ST_TYPE(lookup.found.st_info) == STT_OBJECT &&
           lookup.found.st_size == size && lookup.found.st_shndx != SHN_ABS &&
           elf_file_offset(file, lookup.found.st_value, &offset) &&
           elf_file_get(file, buffer, size, offset);
}
