#include "elf_write.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "elf_versions.h"
#include "fatbin_write.h"

enum section_id {
    NO_SECTION, /* index 0 of every section table */
    TEXT,
    GNU_HASH,
    DYNSYM,
    DYNSTR,
    VERSYM,
    VERDEF,
    VERNEED,
    FATBIN,
    RELFATBIN,
    LRODATA,
    DYNAMIC,
    WRAPPERS,
    COMPAT,
    SHSTRTAB,
    SECTIONS
};

/* Both 4 KiB and 64 KiB pages divide it, so the objects load on x86-64 and on aarch64. */
static const uint64_t page = 0x10000;

struct section {
    struct text data;
    uint32_t name; /* offset in .shstrtab */
    uint32_t info;
    uint64_t offset, address;
    unsigned index; /* in the file's section table; 0: not in the file */
};

struct section_kind {
    const char *name;
    uint32_t type;
    enum section_id link;
    uint64_t flags, align;
};

static const struct section_kind kinds[SECTIONS] = {
    [TEXT] = {".text", SHT_PROGBITS, NO_SECTION, SHF_ALLOC | SHF_EXECINSTR, 16},
    [GNU_HASH] = {".gnu.hash", SHT_GNU_HASH, DYNSYM, SHF_ALLOC, 8},
    [DYNSYM] = {".dynsym", SHT_DYNSYM, DYNSTR, SHF_ALLOC, 8},
    [DYNSTR] = {".dynstr", SHT_STRTAB, NO_SECTION, SHF_ALLOC, 1},
    [VERSYM] = {".gnu.version", SHT_GNU_versym, DYNSYM, SHF_ALLOC, 2},
    [VERDEF] = {".gnu.version_d", SHT_GNU_verdef, DYNSTR, SHF_ALLOC, 4},
    [VERNEED] = {".gnu.version_r", SHT_GNU_verneed, DYNSTR, SHF_ALLOC, 4},
    [FATBIN] = {".nv_fatbin", SHT_PROGBITS, NO_SECTION, SHF_ALLOC, 8},
    [RELFATBIN] = {"__nv_relfatbin", SHT_PROGBITS, NO_SECTION, SHF_ALLOC, 8},
    [LRODATA] = {".lrodata", SHT_PROGBITS, NO_SECTION, SHF_ALLOC, 8},
    [DYNAMIC] = {".dynamic", SHT_DYNAMIC, DYNSTR, SHF_ALLOC | SHF_WRITE, 8},
    [WRAPPERS] = {".nvFatBinSegment", SHT_PROGBITS, NO_SECTION, SHF_ALLOC | SHF_WRITE, 8},
    [COMPAT] = {".note.cuda.fwd_compatibility", SHT_NOTE, NO_SECTION, 0, 4},
    [SHSTRTAB] = {".shstrtab", SHT_STRTAB, NO_SECTION, 0, 1},
};

struct image {
    const struct elf_spec *spec;
    struct elf_versions versions;
    struct section sections[SECTIONS];
    unsigned section_count; /* with the empty first one */
    size_t word;            /* bytes of an address: 4 or 8 */
};

/* Sizes of one table entry, by class. */
static size_t entry_size(const struct image *image, enum section_id id)
{
    bool is_64 = image->word == 8;
    switch (id) {
    case DYNSYM:
        return is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    case DYNAMIC:
        return is_64 ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
    case VERSYM:
        return 2;
    default:
        return 0;
    }
}

void put_little_endian(struct text *out, unsigned long long value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text_add_char(out, (char)(value >> (8 * i) & 0xff));
}

void set_little_endian(struct text *text, size_t at, unsigned long long value, size_t size)
{
    for (size_t i = 0; i < size && at + i < text->length; i++)
        text->data[at + i] = (char)(value >> (8 * i) & 0xff);
}

static void put_word(const struct image *image, struct text *out, uint64_t value)
{
    put_little_endian(out, value, image->word);
}

static void pad_to(struct text *out, uint64_t offset)
{
    while (out->length < offset)
        text_add_char(out, '\0');
}

static void put_symbol(struct image *image, const struct elf_symbol *symbol, bool is_defined)
{
    struct text *out = &image->sections[DYNSYM].data;
    uint32_t name = symbol ? elf_string(&image->sections[DYNSTR].data, symbol->name) : 0;
    uint64_t value = is_defined ? image->sections[TEXT].address : 0;
    bool is_function = is_defined || image->spec->uses_functions;
    unsigned info = symbol ? ELF64_ST_INFO(STB_GLOBAL, is_function ? STT_FUNC : STT_NOTYPE) : 0;
    unsigned section = is_defined ? image->sections[TEXT].index : SHN_UNDEF;
    put_little_endian(out, name, 4);
    if (image->word == 4) {
        put_little_endian(out, value, 4);
        put_little_endian(out, 0, 4);
    }
    put_little_endian(out, info, 1);
    put_little_endian(out, STV_DEFAULT, 1);
    put_little_endian(out, section, 2);
    if (image->word == 8) {
        put_little_endian(out, value, 8);
        put_little_endian(out, 0, 8);
    }
    uint16_t version = symbol ? elf_versions_index(&image->versions, symbol) : VER_NDX_LOCAL;
    if (image->versions.count)
        put_little_endian(&image->sections[VERSYM].data, version, 2);
}

/* One bucket, so that the defined symbols need no sorting, and a filter that lets all pass. */
static void put_hash(struct image *image, const char *const *names, size_t count, size_t first)
{
    struct text *out = &image->sections[GNU_HASH].data;
    put_little_endian(out, 1, 4);
    put_little_endian(out, first, 4);
    put_little_endian(out, 1, 4);
    put_little_endian(out, 0, 4);
    put_word(image, out, count ? UINT64_MAX : 0);
    put_little_endian(out, count ? first : 0, 4);
    for (size_t i = 0; i < count; i++) {
        uint32_t hash = 5381;
        for (const unsigned char *c = (const unsigned char *)names[i]; *c; c++)
            hash = hash * 33 + *c;
        put_little_endian(out, (hash & ~1U) | (i + 1 == count), 4);
    }
}

/* Undefined symbols come first: the hash table covers a tail of the symbol table. */
static void put_symbols(struct image *image, struct arena *arena)
{
    const struct elf_spec *spec = image->spec;
    put_symbol(image, NULL, false);
    size_t first = 1, count = 0;
    for (size_t i = 0; i < spec->undefined_count; i++)
        if (*spec->undefined[i].name) {
            put_symbol(image, &spec->undefined[i], false);
            first++;
        }
    const char **names = arena_alloc(arena, (spec->defined_count + 1) * sizeof *names);
    for (size_t i = 0; i < spec->defined_count; i++)
        if (*spec->defined[i].name) {
            put_symbol(image, &spec->defined[i], true);
            names[count++] = spec->defined[i].name;
        }
    put_hash(image, names, count, first);
    image->sections[DYNSYM].info = 1; /* the number of local symbols */
}

static void put_versions(struct image *image)
{
    const struct elf_versions *versions = &image->versions;
    struct section *s = image->sections;
    const char *base = image->spec->soname ? image->spec->soname : "";
    if (versions->defined_count) {
        elf_versions_put_definitions(versions, base, &s[DYNSTR].data, &s[VERDEF].data);
        s[VERDEF].info = (uint32_t)versions->defined_count + 1;
    }
    elf_versions_put_needs(versions, &s[DYNSTR].data, &s[VERNEED].data);
    s[VERNEED].info = (uint32_t)elf_versions_libraries(versions);
}

static void put_dynamic(struct image *image, uint64_t tag, uint64_t value)
{
    put_word(image, &image->sections[DYNAMIC].data, tag);
    put_word(image, &image->sections[DYNAMIC].data, value);
}

static void put_dynamic_string(struct image *image, uint64_t tag, const char *text)
{
    if (text)
        put_dynamic(image, tag, elf_string(&image->sections[DYNSTR].data, text));
}

static void put_dynamic_section(struct image *image)
{
    const struct elf_spec *spec = image->spec;
    struct section *s = image->sections;
    for (size_t i = 0; i < spec->needed_count; i++)
        put_dynamic_string(image, DT_NEEDED, spec->needed[i]);
    put_dynamic_string(image, DT_SONAME, spec->soname);
    put_dynamic_string(image, DT_RPATH, spec->rpath);
    put_dynamic_string(image, DT_RUNPATH, spec->runpath);
    put_dynamic(image, DT_GNU_HASH, s[GNU_HASH].address);
    put_dynamic(image, DT_STRTAB, s[DYNSTR].address);
    put_dynamic(image, DT_SYMTAB, s[DYNSYM].address);
    put_dynamic(image, DT_STRSZ, s[DYNSTR].data.length);
    put_dynamic(image, DT_SYMENT, entry_size(image, DYNSYM));
    if (s[VERSYM].data.length)
        put_dynamic(image, DT_VERSYM, s[VERSYM].address);
    if (s[VERDEF].data.length) {
        put_dynamic(image, DT_VERDEF, s[VERDEF].address);
        put_dynamic(image, DT_VERDEFNUM, s[VERDEF].info);
    }
    if (s[VERNEED].data.length) {
        put_dynamic(image, DT_VERNEED, s[VERNEED].address);
        put_dynamic(image, DT_VERNEEDNUM, s[VERNEED].info);
    }
    put_dynamic(image, DT_NULL, 0);
}

static enum section_id device_section(const struct elf_device *device)
{
    switch (device->place) {
    case ELF_DEVICE_RELOCATABLE:
        return RELFATBIN;
    case ELF_DEVICE_DATA:
        return LRODATA;
    default:
        return FATBIN;
    }
}

static void put_device(struct image *image)
{
    for (size_t i = 0; i < image->spec->device_count; i++) {
        const struct elf_device *device = &image->spec->device[i];
        text_add_bytes(&image->sections[device_section(device)].data, device->bytes, device->size);
    }
}

/* Needs the sections' addresses, except for its size. */
static void put_wrappers(struct image *image)
{
    uint64_t offsets[SECTIONS] = {0};
    struct text *out = &image->sections[WRAPPERS].data;
    text_clear(out);
    for (size_t i = 0; i < image->spec->device_count; i++) {
        const struct elf_device *device = &image->spec->device[i];
        enum section_id id = device_section(device);
        if (id != LRODATA)
            fatbin_write_wrapper(device->place == ELF_DEVICE_STUB ? 2 : 1,
                                 image->sections[id].address + offsets[id], out);
        offsets[id] += device->size;
    }
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

enum { SEGMENTS = 4 };

static uint64_t headers_size(const struct image *image)
{
    return image->word == 8 ? sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr)
                            : sizeof(Elf32_Ehdr) + SEGMENTS * sizeof(Elf32_Phdr);
}

/* Addresses equal file offsets; only what the loader writes to lies a page further. */
static uint64_t place_sections(struct image *image)
{
    uint64_t offset = headers_size(image);
    unsigned index = 1;
    for (unsigned id = TEXT; id < SECTIONS; id++) {
        struct section *s = &image->sections[id];
        bool is_optional = (id >= VERSYM && id < DYNAMIC) || id == WRAPPERS || id == COMPAT;
        if (is_optional && !s->data.length)
            continue;
        s->index = index++;
        s->name = elf_string(&image->sections[SHSTRTAB].data, kinds[id].name);
        s->offset = align_up(offset, kinds[id].align);
        if (kinds[id].flags & SHF_ALLOC)
            s->address = s->offset + (kinds[id].flags & SHF_WRITE ? page : 0);
        offset = s->offset + s->data.length;
    }
    image->section_count = index;
    return align_up(offset, image->word);
}

static void put_elf_header(struct image *image, struct text *out, uint64_t section_table)
{
    static const uint16_t machines[] = {EM_X86_64, EM_AARCH64, EM_386};
    bool is_64 = image->word == 8;
    text_add_bytes(out, ELFMAG, SELFMAG);
    put_little_endian(out, is_64 ? ELFCLASS64 : ELFCLASS32, 1);
    put_little_endian(out, ELFDATA2LSB, 1);
    put_little_endian(out, EV_CURRENT, 1);
    pad_to(out, EI_NIDENT);
    put_little_endian(out, ET_DYN, 2);
    put_little_endian(out, machines[image->spec->machine], 2);
    put_little_endian(out, EV_CURRENT, 4);
    put_word(image, out, 0); /* no entry point */
    put_word(image, out, is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
    put_word(image, out, section_table);
    put_little_endian(out, 0, 4);
    put_little_endian(out, is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
    put_little_endian(out, is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
    put_little_endian(out, SEGMENTS, 2);
    put_little_endian(out, is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
    put_little_endian(out, image->section_count, 2);
    put_little_endian(out, image->sections[SHSTRTAB].index, 2);
}

static void put_segment(struct image *image, struct text *out, uint32_t type, uint32_t flags,
                        uint64_t offset, uint64_t address, uint64_t size, uint64_t align)
{
    put_little_endian(out, type, 4);
    if (image->word == 8)
        put_little_endian(out, flags, 4);
    put_word(image, out, offset);
    put_word(image, out, address);
    put_word(image, out, address);
    put_word(image, out, size);
    put_word(image, out, size);
    if (image->word == 4)
        put_little_endian(out, flags, 4);
    put_word(image, out, align);
}

static void put_segments(struct image *image, struct text *out)
{
    const struct section *dynamic = &image->sections[DYNAMIC];
    uint64_t offset = dynamic->offset, address = dynamic->address, size = dynamic->data.length;
    put_segment(image, out, PT_LOAD, PF_R | PF_X, 0, 0, offset, page);
    const struct section *last =
        image->sections[WRAPPERS].index ? &image->sections[WRAPPERS] : dynamic;
    put_segment(image, out, PT_LOAD, PF_R | PF_W, offset, address,
                last->offset + last->data.length - offset, page);
    put_segment(image, out, PT_DYNAMIC, PF_R | PF_W, offset, address, size, image->word);
    put_segment(image, out, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 16);
}

static void put_section_table(struct image *image, struct text *out)
{
    pad_to(out, out->length + (image->word == 8 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)));
    for (unsigned id = TEXT; id < SECTIONS; id++) {
        const struct section *s = &image->sections[id];
        if (!s->index)
            continue;
        put_little_endian(out, s->name, 4);
        put_little_endian(out, kinds[id].type, 4);
        put_word(image, out, kinds[id].flags);
        put_word(image, out, s->address);
        put_word(image, out, s->offset);
        put_word(image, out, s->data.length);
        put_little_endian(out, image->sections[kinds[id].link].index, 4);
        put_little_endian(out, s->info, 4);
        put_word(image, out, kinds[id].align);
        put_word(image, out, entry_size(image, id));
    }
}

/* The body of every defined function: it returns. */
static void put_code(struct image *image)
{
    struct section *text = &image->sections[TEXT];
    if (image->spec->machine == ELF_WRITE_AARCH64)
        put_little_endian(&text->data, 0xd65f03c0, 4);
    else
        put_little_endian(&text->data, 0xc3, 1);
    text->index = 1;
    text->address = align_up(headers_size(image), kinds[TEXT].align);
}

/* A note of NVIDIA Corporation: sizes of name and text, a type, both padded to words. */
static void put_compat_note(struct image *image)
{
    static const char owner[] = "NVIDIA Corporation";
    const char *note = image->spec->compat_note;
    struct text *out = &image->sections[COMPAT].data;
    if (!note)
        return;
    put_little_endian(out, sizeof owner, 4);
    put_little_endian(out, strlen(note) + 1, 4);
    put_little_endian(out, 1, 4);
    text_add_bytes(out, owner, sizeof owner);
    pad_to(out, align_up(out->length, 4));
    text_add_bytes(out, note, strlen(note) + 1);
    pad_to(out, align_up(out->length, 4));
}

static void put_file(struct image *image, struct text *out, uint64_t section_table)
{
    put_elf_header(image, out, section_table);
    put_segments(image, out);
    for (unsigned id = TEXT; id < SECTIONS; id++) {
        const struct section *s = &image->sections[id];
        if (!s->index)
            continue;
        pad_to(out, s->offset);
        text_add_bytes(out, text_get(&s->data), s->data.length);
    }
    pad_to(out, section_table);
    put_section_table(image, out);
}

int elf_write(const struct elf_spec *spec, struct text *out, struct error *err)
{
    struct image image = {.spec = spec, .word = spec->class_bits == 32 ? 4 : 8};
    CLEANUP(arena_done) struct arena arena = {0};
    struct text file = {0};
    if (spec->device_count && spec->class_bits == 32)
        return error_set(err, -EINVAL, "a 32-bit object cannot hold device code");
    int r = elf_versions_collect(&image.versions, spec, err);
    if (r == 0) {
        struct text *strings = &image.sections[DYNSTR].data;
        text_add_char(strings, '\0');
        text_add_char(&image.sections[SHSTRTAB].data, '\0');
        put_code(&image);
        put_symbols(&image, &arena);
        put_versions(&image);
        put_compat_note(&image);
        put_device(&image);
        put_wrappers(&image);
        /* .dynamic twice: the first round finds its size and adds its strings, the second, which
         * adds the same strings again, knows the addresses. */
        size_t before = strings->length;
        put_dynamic_section(&image);
        uint64_t section_table = place_sections(&image);
        strings->length = before;
        image.sections[DYNAMIC].data.length = 0;
        put_dynamic_section(&image);
        put_wrappers(&image);
        put_file(&image, &file, section_table);
        text_add_bytes(out, text_get(&file), file.length);
    }
    for (unsigned id = 0; id < SECTIONS; id++)
        text_done(&image.sections[id].data);
    elf_versions_done(&image.versions);
    text_done(&file);
    return r;
}
