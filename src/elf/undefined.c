/* What an object needs from others. Undefined symbols stand in front of those that DT_GNU_HASH
 * covers, so the table of an object that defines a hundred thousand is not read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "elf/names.h"
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
    struct elf_undefined_filter filter;
    bool (*each)(void *data, const struct elf_undefined *symbol);
    void *data;
    const struct elf_version_need **needs;
    size_t need_count;
    /* what wants() said, by need and last for none: there may be a hundred thousand references */
    enum answer { ANSWER_NONE, ANSWER_NO, ANSWER_YES } * answers;
    struct elf_name *items; /* references whose names are to be read */
    size_t count;
    struct elf_names names;
    struct text name; /* of one that is read by itself */
};

static bool is_reference(const Elf64_Sym *symbol)
{
    return symbol->st_shndx == SHN_UNDEF && symbol->st_name &&
           ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

static const struct elf_version_need *need_of(const struct reading *reading, size_t index)
{
    return index < reading->need_count ? reading->needs[index] : NULL;
}

static bool is_wanted(struct reading *reading, size_t index)
{
    const struct elf_version_need *need = need_of(reading, index);
    enum answer *answer = &reading->answers[need ? index : reading->need_count];
    if (*answer == ANSWER_NONE)
        *answer = !reading->filter.wants || reading->filter.wants(reading->data, need) ? ANSWER_YES
                                                                                       : ANSWER_NO;
    return *answer == ANSWER_YES;
}

static bool wants_name(void *data, const struct elf_name *item, const char *name)
{
    const struct reading *reading = data;
    return !reading->filter.wants_name || need_of(reading, item->need) ||
           reading->filter.wants_name(reading->data, name);
}

/* A name that was not read with the others. */
static const char *read_name(struct reading *reading, const struct elf_name *item)
{
    const struct elf_symbol_tables *tables = &reading->object->tables;
    struct elf_names *names = &reading->names;
    uint64_t left = item->at < tables->strings_size ? tables->strings_size - item->at : 0;
    if (!elf_file_string(reading->file, tables->strings + item->at,
                         left < NAME_MAX_SIZE ? (size_t)left : NAME_MAX_SIZE, &reading->name) ||
        reading->file->bytes_read - names->read_from > READ_MAX)
        return NULL;
    names->bytes += reading->name.length + 1;
    return names->bytes > NAMES_MAX ? NULL : text_get(&reading->name);
}

/* 1: go on; 0: that is enough; -EBADMSG. */
static int tell(struct reading *reading, const struct elf_name *item)
{
    const char *name;
    if (item->kept == ELF_NAME_DROPPED)
        return 1;
    if (item->kept != ELF_NAME_UNREAD)
        name = reading->names.texts.data + item->kept;
    else if (!(name = read_name(reading, item)))
        return -EBADMSG;
    else if (!wants_name(reading, item, name))
        return 1;
    struct elf_undefined undefined = {.name = name,
                                      .need = need_of(reading, item->need),
                                      .is_weak = item->is_weak,
                                      .is_function = item->is_function};
    return reading->each(reading->data, &undefined);
}

static int tell_all(struct reading *reading)
{
    int r = 1;
    elf_names_read(&reading->names, reading->items, reading->count);
    for (size_t i = 0; i < reading->count && r > 0; i++)
        r = tell(reading, &reading->items[i]);
    reading->count = 0;
    return r;
}

static void take(struct reading *reading, const Elf64_Sym *symbol, uint16_t version)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    bool is_weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
    size_t index = version & 0x7fff;
    if (!is_reference(symbol) || (is_weak && reading->filter.skips_weak) ||
        !is_wanted(reading, index))
        return;
    reading->items[reading->count++] =
        (struct elf_name){.at = symbol->st_name,
                          .need = (uint16_t)index,
                          .is_weak = is_weak,
                          .is_function = type == STT_FUNC || type == STT_GNU_IFUNC};
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
    for (size_t i = 0; i < count; i++)
        take(reading, &symbols[i], versions[i]);
    return reading->count + BATCH > ELF_NAMES_AT_ONCE ? tell_all(reading) : 1;
}

/* Those before a batch that cannot be read are told all the same. */
static int read_symbols(struct reading *reading, size_t count)
{
    int r = 1;
    for (size_t at = 1; at < count && r > 0; at += BATCH)
        r = read_batch(reading, at, count - at < BATCH ? count - at : BATCH);
    int last = r ? tell_all(reading) : 0;
    return r < 0 ? r : last;
}

int elf_each_undefined(struct elf_file *file, const struct elf_object *object,
                       const struct elf_undefined_filter *filter,
                       bool (*each)(void *data, const struct elf_undefined *symbol), void *data)
{
    size_t count;
    int r = count_symbols(file, object, &count);
    if (r < 0 || count <= 1)
        return r;
    struct reading reading = {
        .file = file,
        .object = object,
        .filter = filter ? *filter : (struct elf_undefined_filter){0},
        .each = each,
        .data = data,
        .names = {.file = file,
                  .tables = &object->tables,
                  .wants = wants_name,
                  .bytes_max = NAMES_MAX,
                  .read_from = file->bytes_read,
                  .read_max = READ_MAX},
    };
    reading.names.data = &reading;
    CLEANUP_FREE const struct elf_version_need **needs = index_needs(object, &reading.need_count);
    reading.needs = needs;
    CLEANUP_FREE enum answer *answers = xcalloc(reading.need_count + 1, sizeof *answers);
    reading.answers = answers;
    size_t room = count < ELF_NAMES_AT_ONCE ? count : ELF_NAMES_AT_ONCE;
    CLEANUP_FREE struct elf_name *items = xcalloc(room, sizeof *items);
    reading.items = items;
    r = read_symbols(&reading, count);
    text_done(&reading.name);
    text_done(&reading.names.texts);
    return r < 0 ? r : 0;
}
