/* Format: System V ABI (gabi), chapter 5; which of several entries counts: glibc,
 * elf/get-dynamic-info.h (the last one) and elf/dl-load.c. */
#include "elf/object.h"

#include <errno.h>
#include <string.h>

#include "elf/dynamic.h"
#include "elf/note.h"

enum {
    DYNAMIC_MAX = 16 * 1024, /* entries */
    DYNAMIC_BATCH = 64
};

/* Numbers of the entries that are wanted; 0 where there is none. */
struct entries {
    uint64_t strings, strings_size, symbols, versions, gnu_hash, hash, needs, definitions;
    uint64_t soname, rpath, runpath;
    bool has_strings, has_symbols, has_soname, has_rpath, has_runpath;
    bool any;
    size_t needed;
};

static int broken(struct elf_reading *reading, const char *sentence)
{
    return error_set(reading->err, -EBADMSG, "%s", sentence);
}

int elf_dynamic_string(struct elf_reading *reading, uint64_t at, const char **ret)
{
    CLEANUP_TEXT struct text text = {0};
    if (!reading->has_strings)
        return broken(reading, "its string table lies outside the file");
    uint64_t left = at < reading->strings_size ? reading->strings_size - at : 0;
    size_t most = left < ELF_STRING_MAX ? (size_t)left : ELF_STRING_MAX;
    size_t length;
    const char *found =
        most && at <= UINT64_MAX - reading->strings
            ? elf_file_text(reading->file, reading->strings + at, most, &text, &length)
            : NULL;
    if (!found)
        return broken(reading, left > ELF_STRING_MAX
                                   ? "a string of its dynamic section is too long, or cut"
                                   : "a string of its dynamic section lies outside the file");
    if (length > ELF_STRINGS_MAX - reading->string_bytes)
        return broken(reading, "the strings of its dynamic section are too long");
    reading->string_bytes += length;
    *ret = arena_strndup(reading->arena, found, length);
    return 0;
}

static void take_entry(struct elf_object *object, struct entries *entries, const Elf64_Dyn *entry)
{
    uint64_t value = entry->d_un.d_val;
    entries->any = true;
    switch (entry->d_tag) {
    case DT_NEEDED:
        entries->needed++;
        break;
    case DT_SONAME:
        entries->soname = value;
        entries->has_soname = true;
        break;
    case DT_RPATH:
        entries->rpath = value;
        entries->has_rpath = true;
        break;
    case DT_RUNPATH:
        entries->runpath = value;
        entries->has_runpath = true;
        break;
    case DT_STRTAB:
        entries->strings = value;
        entries->has_strings = true;
        break;
    case DT_STRSZ:
        entries->strings_size = value;
        break;
    case DT_SYMTAB:
        entries->symbols = value;
        entries->has_symbols = true;
        break;
    case DT_VERSYM:
        entries->versions = value;
        break;
    case DT_GNU_HASH:
        entries->gnu_hash = value;
        break;
    case DT_HASH:
        entries->hash = value;
        break;
    case DT_VERNEED:
        entries->needs = value;
        break;
    case DT_VERDEF:
        entries->definitions = value;
        break;
    case DT_FLAGS:
        object->flags = value;
        break;
    case DT_FLAGS_1:
        object->flags_1 = value;
        break;
    case DT_BIND_NOW:
        object->binds_now = true;
        break;
    default:
        break;
    }
}

/* The entries at this offset, up to DT_NULL, until `each` returns false. The loader does not look
 * how long the segment is. */
static int each_entry(struct elf_reading *reading, uint64_t offset,
                      int (*each)(struct elf_reading *reading, void *data, const Elf64_Dyn *entry),
                      void *data)
{
    Elf64_Dyn batch[DYNAMIC_BATCH];
    for (size_t done = 0; done < DYNAMIC_MAX; done += DYNAMIC_BATCH) {
        ssize_t n =
            elf_file_read(reading->file, batch, sizeof batch, offset + done * sizeof *batch);
        size_t count = n > 0 ? (size_t)n / sizeof *batch : 0;
        for (size_t i = 0; i < count; i++) {
            if (batch[i].d_tag == DT_NULL)
                return 0;
            int r = each(reading, data, &batch[i]);
            if (r < 0)
                return r;
        }
        if (count < DYNAMIC_BATCH)
            return broken(reading, "its dynamic section has no end within the file");
    }
    return broken(reading, "its dynamic section has too many entries");
}

static int collect(struct elf_reading *reading, void *data, const Elf64_Dyn *entry)
{
    take_entry(reading->object, data, entry);
    return 0;
}

static int add_needed(struct elf_reading *reading, void *data, const Elf64_Dyn *entry)
{
    (void)data;
    struct elf_object *object = reading->object;
    if (entry->d_tag != DT_NEEDED)
        return 0;
    int r = elf_dynamic_string(reading, entry->d_un.d_val, &object->needed[object->needed_count]);
    if (r == 0 && !*object->needed[object->needed_count])
        return broken(reading, "the name of a library that it needs is empty");
    object->needed_count += r == 0;
    return r;
}

static int read_needed(struct elf_reading *reading, uint64_t offset, size_t count)
{
    if (!count)
        return 0;
    if (count > ELF_NEEDED_MAX)
        return error_set(reading->err, -EBADMSG, "needs more than %d libraries", ELF_NEEDED_MAX);
    reading->object->needed = arena_alloc(reading->arena, count * sizeof(char *));
    return each_entry(reading, offset, add_needed, NULL);
}

/* An empty table has the address 0. */
static int locate(struct elf_reading *reading, uint64_t address, uint64_t *ret,
                  const char *sentence)
{
    *ret = 0;
    return !address || elf_file_offset(reading->file, address, ret) ? 0 : broken(reading, sentence);
}

static int locate_tables(struct elf_reading *reading, const struct entries *entries)
{
    struct elf_symbol_tables *tables = &reading->object->tables;
    *tables = (struct elf_symbol_tables){.strings = reading->strings,
                                         .strings_size = reading->strings_size};
    static const char symbols[] = "its symbol table lies outside the file";
    static const char versions[] = "its table of symbol versions lies outside the file";
    static const char hash[] = "its hash table lies outside the file";
    int r = locate(reading, entries->symbols, &tables->symbols, symbols);
    if (r == 0)
        r = locate(reading, entries->versions, &tables->versions, versions);
    if (r == 0)
        r = locate(reading, entries->gnu_hash, &tables->gnu_hash, hash);
    if (r == 0)
        r = locate(reading, entries->hash, &tables->hash, hash);
    return r;
}

static int read_names(struct elf_reading *reading, const struct entries *entries)
{
    struct elf_object *object = reading->object;
    int r = 0;
    if (entries->has_soname)
        r = elf_dynamic_string(reading, entries->soname, &object->soname);
    if (r == 0 && entries->has_rpath)
        r = elf_dynamic_string(reading, entries->rpath, &object->rpath);
    if (r == 0 && entries->has_runpath)
        r = elf_dynamic_string(reading, entries->runpath, &object->runpath);
    return r;
}

static int read_versions(struct elf_reading *reading, const struct entries *entries)
{
    static const char sentence[] = "its version records lie outside the file";
    uint64_t needs, definitions;
    int r = locate(reading, entries->needs, &needs, sentence);
    if (r == 0)
        r = locate(reading, entries->definitions, &definitions, sentence);
    if (r == 0 && needs)
        r = elf_read_version_needs(reading, needs);
    if (r == 0 && definitions)
        r = elf_read_version_definitions(reading, definitions);
    return r;
}

/* A file that was not written to its end, and has its size all the same, has zeros there. */
static int check_entries(struct elf_reading *reading, const struct entries *entries)
{
    reading->object->is_hollow = !entries->has_strings || !entries->has_symbols;
    if (!entries->any)
        return broken(reading, "its dynamic section is empty: the file was not written whole");
    if (reading->object->is_hollow)
        return broken(reading, entries->has_strings ? "its dynamic section names no symbol table"
                                                    : "its dynamic section names no string table");
    return 0;
}

static int read_dynamic(struct elf_reading *reading, uint64_t address)
{
    struct elf_object *object = reading->object;
    struct entries entries = {0};
    uint64_t offset;
    if (!elf_file_offset(reading->file, address, &offset))
        return broken(reading, "its dynamic section lies outside the file");
    object->is_dynamic = true;
    int r = each_entry(reading, offset, collect, &entries);
    if (r == 0)
        r = check_entries(reading, &entries);
    if (r < 0)
        return r;
    object->binds_now |= (object->flags & DF_BIND_NOW) || (object->flags_1 & DF_1_NOW);
    reading->has_strings =
        entries.strings && elf_file_offset(reading->file, entries.strings, &reading->strings);
    reading->strings_size = reading->has_strings ? entries.strings_size : 0;
    r = read_names(reading, &entries);
    if (r == 0)
        r = read_needed(reading, offset, entries.needed);
    if (r == 0)
        r = locate_tables(reading, &entries);
    if (r == 0)
        r = read_versions(reading, &entries);
    return r;
}

/* --- segments --- */

static void read_interpreter(struct elf_reading *reading, const Elf64_Phdr *segment)
{
    CLEANUP_TEXT struct text text = {0};
    size_t most = segment->p_filesz < 4096 ? (size_t)segment->p_filesz : 4096;
    if (elf_file_string(reading->file, segment->p_offset, most, &text))
        reading->object->interpreter = arena_strndup(reading->arena, text_get(&text), text.length);
}

int elf_object_read(struct elf_file *file, struct arena *arena, struct elf_object *ret,
                    struct error *err)
{
    *ret = (struct elf_object){0};
    struct elf_reading reading = {.file = file, .arena = arena, .object = ret, .err = err};
    uint64_t dynamic = 0;
    bool has_dynamic = false;
    Elf64_Phdr segment;
    for (size_t i = 0; elf_file_segment(file, i, &segment); i++) {
        if (segment.p_type == PT_INTERP) {
            read_interpreter(&reading, &segment);
        } else if (segment.p_type == PT_NOTE && !ret->build_id) {
            ret->build_id = elf_note_build_id(file, &segment, arena);
        } else if (segment.p_type == PT_DYNAMIC && segment.p_filesz) {
            dynamic = segment.p_vaddr;
            has_dynamic = true;
        }
    }
    return has_dynamic ? read_dynamic(&reading, dynamic) : 0;
}
