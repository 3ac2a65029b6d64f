/* What an object needs from others. Undefined symbols stand in front of those that DT_GNU_HASH
 * covers, so the table of an object that defines a hundred thousand is not read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/symbol.h"

enum {
    SYMBOLS_MAX = 4 * 1024 * 1024,
    BATCH = 1024, /* symbols in one read */
    BUCKETS = 1024,
    /* of one name: C++ templates reach tens of thousands */
    NAME_MAX_SIZE = 1024 * 1024,
    READ_MAX = 512 * 1024 * 1024, /* bytes, for all names of an object */
    /* of all of them, which may be one name again and again; PyTorch's have below ten */
    NAMES_MAX = 256 * 1024 * 1024,
};

/* The table of an object with DT_GNU_HASH that defines nothing: GNU ld writes 1 for the first
 * symbol that is hashed then, however many there are. How many tells the section header, or what
 * follows the table in the file. */
static size_t count_without_hash(struct elf_file *file, const struct elf_object *object)
{
    const struct elf_symbol_tables *tables = &object->tables;
    Elf64_Shdr section;
    for (size_t i = 1; i < file->section_count && elf_file_section(file, i, &section); i++)
        if (section.sh_type == SHT_DYNSYM && section.sh_offset == tables->symbols)
            return (size_t)(section.sh_size / sizeof(Elf64_Sym));
    uint64_t end = file->size;
    const uint64_t after[] = {tables->strings, tables->versions, tables->gnu_hash, tables->hash};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (after[i] > tables->symbols && after[i] < end)
            end = after[i];
    return (size_t)((end - tables->symbols) / sizeof(Elf64_Sym));
}

/* A program may have undefined symbols among the hashed ones (functions of which it takes the
 * address, and __cxa_finalize): all symbols up to the end of the last bucket's chain. */
static int count_hashed(struct elf_file *file, uint64_t table, size_t *ret)
{
    uint32_t header[4], buckets[BUCKETS], last = 0;
    if (!elf_file_get(file, header, sizeof header, table) || header[0] > SYMBOLS_MAX ||
        header[2] > SYMBOLS_MAX)
        return -EBADMSG;
    uint64_t at = table + sizeof header + (uint64_t)header[2] * sizeof(uint64_t);
    for (size_t done = 0, n; done < header[0]; done += n, at += n * sizeof *buckets) {
        n = header[0] - done < BUCKETS ? header[0] - done : BUCKETS;
        if (!elf_file_get(file, buckets, n * sizeof *buckets, at))
            return -EBADMSG;
        for (size_t i = 0; i < n; i++)
            last = buckets[i] > last ? buckets[i] : last;
    }
    if (!last)
        return 0;
    if (last < header[1])
        return -EBADMSG;
    for (uint32_t hash = 0; !(hash & 1); last++)
        if (last >= SYMBOLS_MAX ||
            !elf_file_get(file, &hash, sizeof hash, at + (last - header[1]) * sizeof hash))
            return -EBADMSG;
    *ret = last;
    return 0;
}

/* Of the symbols that may be undefined. */
static int count_symbols(struct elf_file *file, const struct elf_object *object, size_t *ret)
{
    const struct elf_symbol_tables *tables = &object->tables;
    uint32_t words[4];
    if (!tables->symbols) {
        *ret = 0;
        return 0;
    }
    if (tables->gnu_hash) {
        if (!elf_file_get(file, words, sizeof words, tables->gnu_hash))
            return -EBADMSG;
        *ret = words[1];
    }
    if (tables->hash && (!tables->gnu_hash || *ret <= 1)) {
        if (!elf_file_get(file, words, 2 * sizeof *words, tables->hash))
            return -EBADMSG;
        *ret = words[1];
    } else if (!tables->gnu_hash || *ret <= 1) {
        *ret = count_without_hash(file, object);
    } else if (object->interpreter) {
        int r = count_hashed(file, tables->gnu_hash, ret);
        if (r < 0)
            return r;
    }
    return *ret <= SYMBOLS_MAX ? 0 : -EBADMSG;
}

/* Needs by their index, the last of several, as in the loader's table. NULL without any. */
static const struct elf_version_need **index_needs(const struct elf_object *object,
                                                   size_t *ret_size)
{
    *ret_size = 0;
    for (size_t i = 0; i < object->need_count; i++)
        if (object->needs[i].index >= *ret_size)
            *ret_size = (size_t)object->needs[i].index + 1;
    if (!*ret_size)
        return NULL;
    const struct elf_version_need **table = xcalloc(*ret_size, sizeof *table);
    for (size_t i = 0; i < object->need_count; i++)
        table[object->needs[i].index] = &object->needs[i];
    return table;
}

struct reading {
    struct elf_file *file;
    const struct elf_object *object;
    bool (*wants)(void *data, const struct elf_version_need *need);
    bool (*each)(void *data, const struct elf_undefined *symbol);
    void *data;
    const struct elf_version_need **needs;
    size_t need_count;
    /* what wants() said, by need and last for none: there may be a hundred thousand references */
    enum answer { ANSWER_NONE, ANSWER_NO, ANSWER_YES } * answers;
    uint64_t bytes_before, name_bytes;
    struct text name;
};

static bool is_reference(const Elf64_Sym *symbol)
{
    return symbol->st_shndx == SHN_UNDEF && symbol->st_name &&
           ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

static bool is_wanted(struct reading *reading, const struct elf_version_need *need, size_t at)
{
    enum answer *answer = &reading->answers[at];
    if (*answer == ANSWER_NONE)
        *answer = !reading->wants || reading->wants(reading->data, need) ? ANSWER_YES : ANSWER_NO;
    return *answer == ANSWER_YES;
}

/* 1: go on; 0: that is enough; -EBADMSG. */
static int read_one(struct reading *reading, const Elf64_Sym *symbol, uint16_t version)
{
    const struct elf_symbol_tables *tables = &reading->object->tables;
    size_t index = version & 0x7fff;
    const struct elf_version_need *need =
        index < reading->need_count ? reading->needs[index] : NULL;
    if (!is_wanted(reading, need, need ? index : reading->need_count))
        return 1;
    if (symbol->st_name >= tables->strings_size)
        return -EBADMSG;
    uint64_t left = tables->strings_size - symbol->st_name;
    if (!elf_file_string(reading->file, tables->strings + symbol->st_name,
                         left < NAME_MAX_SIZE ? (size_t)left : NAME_MAX_SIZE, &reading->name) ||
        reading->file->bytes_read - reading->bytes_before > READ_MAX)
        return -EBADMSG;
    reading->name_bytes += reading->name.length + 1;
    if (reading->name_bytes > NAMES_MAX)
        return -EBADMSG;
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    struct elf_undefined undefined = {.name = text_get(&reading->name),
                                      .need = need,
                                      .is_weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK,
                                      .is_function = type == STT_FUNC || type == STT_GNU_IFUNC};
    return reading->each(reading->data, &undefined);
}

static int read_batch(struct reading *reading, size_t first, size_t count)
{
    Elf64_Sym symbols[BATCH];
    uint16_t versions[BATCH] = {0};
    const struct elf_symbol_tables *tables = &reading->object->tables;
    if (!elf_file_get(reading->file, symbols, count * sizeof *symbols,
                      tables->symbols + first * sizeof *symbols))
        return -EBADMSG;
    if (tables->versions && !elf_file_get(reading->file, versions, count * sizeof *versions,
                                          tables->versions + first * sizeof *versions))
        return -EBADMSG;
    for (size_t i = 0; i < count; i++) {
        int r = is_reference(&symbols[i])
                    ? read_one(reading, &symbols[i], tables->versions ? versions[i] : 0)
                    : 1;
        if (r <= 0)
            return r;
    }
    return 1;
}

int elf_each_undefined(struct elf_file *file, const struct elf_object *object,
                       bool (*wants)(void *data, const struct elf_version_need *need),
                       bool (*each)(void *data, const struct elf_undefined *symbol), void *data)
{
    size_t count;
    int r = count_symbols(file, object, &count);
    if (r < 0 || count <= 1)
        return r;
    struct reading reading = {.file = file,
                              .object = object,
                              .wants = wants,
                              .each = each,
                              .data = data,
                              .bytes_before = file->bytes_read};
    CLEANUP_FREE const struct elf_version_need **needs = index_needs(object, &reading.need_count);
    reading.needs = needs;
    CLEANUP_FREE enum answer *answers = xcalloc(reading.need_count + 1, sizeof *answers);
    reading.answers = answers;
    r = 1;
    for (size_t at = 1; at < count && r > 0; at += BATCH)
        r = read_batch(&reading, at, count - at < BATCH ? count - at : BATCH);
    text_done(&reading.name);
    return r < 0 ? r : 0;
}
