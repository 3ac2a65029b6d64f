/* Shared objects and loader caches for recorded machines, read back with libelf, with the loader
 * and byte by byte. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf_write.h"
#include "ldcache_write.h"

static const char *const needed[] = {"libc.so.6", "libbar.so.2"};
static const struct elf_symbol defined[] = {
    {.name = "foo"}, {.name = "bar", .version = "FOO_1"}, {.name = "", .version = "FOO_2"}};
static const struct elf_symbol undefined[] = {
    {.name = "printf", .version = "GLIBC_2.2.5", .library = "libc.so.6"},
    {.name = "zed"},
    {.name = "", .version = "GLIBC_2.34", .library = "libc.so.6"},
    {.name = "q", .version = "BAR_1", .library = "libbar.so.2"}};
static const struct elf_spec full = {.machine = ELF_WRITE_X86_64,
                                     .class_bits = 64,
                                     .soname = "libfoo.so.1",
                                     .runpath = "$ORIGIN/../x",
                                     .needed = needed,
                                     .needed_count = 2,
                                     .defined = defined,
                                     .defined_count = 3,
                                     .undefined = undefined,
                                     .undefined_count = 4};

struct object {
    struct text bytes;
    Elf *elf;
};

static struct object write_object(const struct elf_spec *spec)
{
    struct object object = {0};
    struct error err = {0};
    cr_assert_eq(elf_write(spec, &object.bytes, &err), 0, "%s", err.text);
    cr_assert_neq(elf_version(EV_CURRENT), EV_NONE);
    object.elf = elf_memory(object.bytes.data, object.bytes.length);
    cr_assert(object.elf, "%s", elf_errmsg(-1));
    return object;
}

static void object_done(struct object *object)
{
    elf_end(object->elf);
    text_done(&object->bytes);
}
#define CLEANUP_OBJECT CLEANUP(object_done)

static Elf_Scn *find_section(Elf *elf, unsigned type, GElf_Shdr *ret)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, ret) && ret->sh_type == type)
            return section;
    return NULL;
}

/* The dynamic section's strings of one tag, joined by blanks. */
static void expect_dynamic(Elf *elf, int64_t tag, const char *expected)
{
    CLEANUP_TEXT struct text text = {0};
    GElf_Shdr header;
    GElf_Dyn dyn;
    Elf_Scn *section = find_section(elf, SHT_DYNAMIC, &header);
    cr_assert(section);
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
        if (dyn.d_tag == tag)
            text_printf(&text, "%s%s", text.length ? " " : "",
                        elf_strptr(elf, header.sh_link, dyn.d_un.d_val));
    cr_expect_str_eq(text_get(&text), expected);
}

static int64_t dynamic_number(Elf *elf, int64_t tag)
{
    GElf_Shdr header;
    GElf_Dyn dyn;
    Elf_Data *data = elf_getdata(find_section(elf, SHT_DYNAMIC, &header), NULL);
    for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
        if (dyn.d_tag == tag)
            return (int64_t)dyn.d_un.d_val;
    return -1;
}

/* The symbols as "NAME/version index/D or U", joined by blanks. */
static void expect_symbols(Elf *elf, const char *expected)
{
    CLEANUP_TEXT struct text text = {0};
    GElf_Shdr header, other;
    Elf_Data *data = elf_getdata(find_section(elf, SHT_DYNSYM, &header), NULL);
    Elf_Scn *versions = find_section(elf, SHT_GNU_versym, &other);
    GElf_Sym symbol;
    for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
        GElf_Versym version = 0;
        if (versions)
            cr_assert(gelf_getversym(elf_getdata(versions, NULL), i, &version));
        text_printf(&text, "%s%s/%u/%c", i > 1 ? " " : "",
                    elf_strptr(elf, header.sh_link, symbol.st_name), (unsigned)version,
                    symbol.st_shndx == SHN_UNDEF ? 'U' : 'D');
    }
    cr_expect_str_eq(text_get(&text), expected);
}

Test(elf_write, dynamic_section_and_symbols)
{
    CLEANUP_OBJECT struct object object = write_object(&full);
    GElf_Ehdr header;
    cr_assert(gelf_getehdr(object.elf, &header));
    cr_expect_eq(header.e_machine, EM_X86_64);
    cr_expect_eq(header.e_type, ET_DYN);
    expect_dynamic(object.elf, DT_SONAME, "libfoo.so.1");
    expect_dynamic(object.elf, DT_NEEDED, "libc.so.6 libbar.so.2");
    expect_dynamic(object.elf, DT_RUNPATH, "$ORIGIN/../x");
    expect_dynamic(object.elf, DT_RPATH, "");
    expect_symbols(object.elf, "printf/4/U zed/1/U q/6/U foo/1/D bar/2/D");
}

Test(elf_write, version_definitions)
{
    CLEANUP_OBJECT struct object object = write_object(&full);
    CLEANUP_TEXT struct text text = {0};
    GElf_Shdr header;
    GElf_Verdef def;
    GElf_Verdaux aux;
    Elf_Data *data = elf_getdata(find_section(object.elf, SHT_GNU_verdef, &header), NULL);
    cr_expect_eq(header.sh_info, 3);
    for (int at = 0; gelf_getverdef(data, at, &def); at += (int)def.vd_next) {
        cr_assert(gelf_getverdaux(data, at + (int)def.vd_aux, &aux));
        text_printf(&text, "%u=%s ", (unsigned)def.vd_ndx,
                    elf_strptr(object.elf, header.sh_link, aux.vda_name));
        if (!def.vd_next)
            break;
    }
    cr_expect_str_eq(text_get(&text), "1=libfoo.so.1 2=FOO_1 3=FOO_2 ");
    cr_expect_eq(dynamic_number(object.elf, DT_VERDEFNUM), 3);
}

Test(elf_write, version_needs)
{
    CLEANUP_OBJECT struct object object = write_object(&full);
    CLEANUP_TEXT struct text text = {0};
    GElf_Shdr header;
    GElf_Verneed need;
    GElf_Vernaux aux;
    Elf_Data *data = elf_getdata(find_section(object.elf, SHT_GNU_verneed, &header), NULL);
    for (int at = 0; gelf_getverneed(data, at, &need); at += (int)need.vn_next) {
        text_printf(&text, "%s:", elf_strptr(object.elf, header.sh_link, need.vn_file));
        for (int i = 0, k = at + (int)need.vn_aux; i < need.vn_cnt; i++, k += (int)aux.vna_next) {
            cr_assert(gelf_getvernaux(data, k, &aux));
            cr_expect_eq(aux.vna_hash,
                         elf_hash(elf_strptr(object.elf, header.sh_link, aux.vna_name)));
            text_printf(&text, "%u=%s ", (unsigned)aux.vna_other,
                        elf_strptr(object.elf, header.sh_link, aux.vna_name));
        }
        if (!need.vn_next)
            break;
    }
    cr_expect_str_eq(text_get(&text), "libc.so.6:4=GLIBC_2.2.5 5=GLIBC_2.34 libbar.so.2:6=BAR_1 ");
    cr_expect_eq(dynamic_number(object.elf, DT_VERNEEDNUM), 2);
}

Test(elf_write, segments_cover_what_the_dynamic_section_points_to)
{
    CLEANUP_OBJECT struct object object = write_object(&full);
    GElf_Phdr load, dynamic;
    GElf_Shdr section;
    cr_assert(gelf_getphdr(object.elf, 0, &load));
    cr_assert(gelf_getphdr(object.elf, 2, &dynamic));
    cr_expect_eq(load.p_type, PT_LOAD);
    cr_expect_eq(dynamic.p_type, PT_DYNAMIC);
    cr_assert(find_section(object.elf, SHT_DYNAMIC, &section));
    cr_expect_eq(dynamic.p_offset, section.sh_offset);
    cr_expect_eq(dynamic.p_vaddr, section.sh_addr);
    static const int64_t tags[] = {DT_STRTAB, DT_SYMTAB, DT_GNU_HASH,
                                   DT_VERSYM, DT_VERDEF, DT_VERNEED};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        int64_t address = dynamic_number(object.elf, tags[i]);
        cr_expect(address > 0 && (uint64_t)address < load.p_filesz, "tag %lx", (long)tags[i]);
    }
}

Test(elf_write, other_machines_and_no_versions)
{
    struct elf_spec arm = {.machine = ELF_WRITE_AARCH64, .class_bits = 64, .rpath = "/a:/b"};
    struct elf_spec old = full;
    old.machine = ELF_WRITE_I386;
    old.class_bits = 32;
    CLEANUP_OBJECT struct object first = write_object(&arm);
    CLEANUP_OBJECT struct object second = write_object(&old);
    GElf_Ehdr header;
    GElf_Shdr section;
    cr_assert(gelf_getehdr(first.elf, &header));
    cr_expect_eq(header.e_machine, EM_AARCH64);
    expect_dynamic(first.elf, DT_RPATH, "/a:/b");
    expect_dynamic(first.elf, DT_SONAME, "");
    expect_symbols(first.elf, "");
    cr_expect(!find_section(first.elf, SHT_GNU_versym, &section));
    cr_expect_eq(gelf_getclass(second.elf), ELFCLASS32);
    cr_assert(gelf_getehdr(second.elf, &header));
    cr_expect_eq(header.e_machine, EM_386);
    expect_dynamic(second.elf, DT_NEEDED, "libc.so.6 libbar.so.2");
    expect_symbols(second.elf, "printf/4/U zed/1/U q/6/U foo/1/D bar/2/D");
}

Test(elf_write, a_version_without_a_library_is_refused)
{
    static const struct elf_symbol symbol = {.name = "f", .version = "V"};
    struct elf_spec spec = {.class_bits = 64, .undefined = &symbol, .undefined_count = 1};
    CLEANUP_TEXT struct text out = {0};
    struct error err = {0};
    cr_expect_lt(elf_write(&spec, &out, &err), 0);
    cr_expect_str_eq(err.text, "version V of f names no library");
    cr_expect_eq(out.length, 0);
}

#if defined(__x86_64__) || defined(__aarch64__)
Test(elf_write, the_loader_takes_it)
{
    static const struct elf_symbol symbols[] = {{.name = "answer", .version = "V1"},
                                                {.name = "other"}};
    static const struct elf_symbol needs[] = {
        {.name = "", .version = "GLIBC_2.17", .library = "libc.so.6"}};
    struct elf_spec spec = {.class_bits = 64,
                            .soname = "libanswer.so.1",
                            .needed = needed,
                            .needed_count = 1,
                            .defined = symbols,
                            .defined_count = 2,
                            .undefined = needs,
                            .undefined_count = 1};
#ifdef __x86_64__
    spec.machine = ELF_WRITE_X86_64;
#else
    spec.machine = ELF_WRITE_AARCH64;
#endif
    CLEANUP_OBJECT struct object object = write_object(&spec);
    char path[] = "/tmp/test-elf-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, object.bytes.data, object.bytes.length), (ssize_t)object.bytes.length);
    close(fd);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    cr_assert(handle, "%s", dlerror());
    void (*function)(void);
    *(void **)&function = dlvsym(handle, "answer", "V1");
    cr_assert(function);
    function();
    cr_expect(dlsym(handle, "other"));
    cr_expect_null(dlsym(handle, "absent_from_it"));
    cr_expect_null(dlvsym(handle, "answer", "V2"));
    dlclose(handle);
}
#endif

static uint32_t number_at(const struct text *text, size_t offset)
{
    uint32_t value;
    cr_assert_leq(offset + 4, text->length);
    memcpy(&value, text->data + offset, 4);
    return value;
}

Test(ldcache_write, bytes)
{
    static const struct ldcache_entry entries[] = {
        {"libcuda.so.1", "/usr/lib/libcuda.so.1", LDCACHE_X86_64},
        {"libc.so.6", "/a b/libc.so.6", LDCACHE_AARCH64}};
    static const char *const soname[] = {"libcuda.so.1", "libc.so.6"};
    static const uint32_t flags[] = {0x0303, 0x0a03};
    CLEANUP_TEXT struct text cache = {0};
    ldcache_write(entries, 2, "ldconfig 2.39", &cache);
    cr_assert_eq(memcmp(cache.data, "glibc-ld.so.cache1.1", 20), 0);
    cr_expect_eq(number_at(&cache, 20), 2);
    cr_expect_eq(number_at(&cache, 24), 13 + 22 + 10 + 15);
    cr_expect_eq(cache.data[28], 2, "little endian");
    for (size_t i = 0; i < 2; i++) {
        size_t entry = 48 + 24 * i;
        cr_expect_eq(number_at(&cache, entry), flags[i]);
        cr_expect_str_eq(cache.data + number_at(&cache, entry + 4), soname[i]);
        cr_expect_str_eq(cache.data + number_at(&cache, entry + 8), entries[i].path);
        cr_expect_eq(number_at(&cache, entry + 12), 0);
        cr_expect_eq(number_at(&cache, entry + 16), 0);
        cr_expect_eq(number_at(&cache, entry + 20), 0);
    }
    size_t extension = number_at(&cache, 32);
    cr_expect_eq(extension % 4, 0);
    cr_expect_eq(number_at(&cache, extension), 0xeaa42174);
    cr_expect_eq(number_at(&cache, extension + 4), 1);
    cr_expect_eq(number_at(&cache, extension + 8), 0, "the generator's tag");
    cr_expect_eq(number_at(&cache, extension + 20), strlen("ldconfig 2.39"));
    cr_expect_eq(memcmp(cache.data + number_at(&cache, extension + 16), "ldconfig 2.39", 13), 0);
}

Test(ldcache_write, an_empty_cache_is_a_header)
{
    CLEANUP_TEXT struct text cache = {0};
    ldcache_write(NULL, 0, NULL, &cache);
    cr_expect_eq(cache.length, 48);
    cr_expect_eq(number_at(&cache, 20), 0);
    cr_expect_eq(number_at(&cache, 32), 0);
}
