/* Where device code stands in objects and shared objects, and which of it counts. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "device_made.h"
#include "scratch.h"

struct made {
    struct text file;
    struct text bytes[4]; /* of containers */
    struct elf_device device[4];
    size_t count;
};

static void add_sized(struct made *made, enum elf_device_place place, const char *target,
                      uint64_t size)
{
    struct fatbin_entry entry;
    cr_assert_eq(fatbin_entry_read(target, &entry), 0);
    entry.size = size;
    struct text *bytes = &made->bytes[made->count];
    fatbin_write(&entry, 1, bytes);
    made->device[made->count++] = (struct elf_device){place, bytes->data, bytes->length};
}

static void add(struct made *made, enum elf_device_place place, const char *target)
{
    add_sized(made, place, target, 0);
}

static void finish(struct made *made)
{
    struct error err;
    struct elf_spec spec = {.class_bits = 64, .device = made->device, .device_count = made->count};
    text_clear(&made->file);
    cr_assert_eq(elf_write(&spec, &made->file, &err), 0, "%s", err.text);
}

static void done(struct made *made)
{
    text_done(&made->file);
    for (size_t i = 0; i < 4; i++)
        text_done(&made->bytes[i]);
}

static Elf64_Shdr *section(const struct made *made, const char *name)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)made->file.data;
    Elf64_Shdr *sections = (Elf64_Shdr *)(made->file.data + header->e_shoff);
    const char *names = made->file.data + sections[header->e_shstrndx].sh_offset;
    for (size_t i = 0; i < header->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, name) == 0)
            return &sections[i];
    cr_assert_fail("no section %s", name);
    return NULL;
}

static void drop_section_headers(struct made *made)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)made->file.data;
    header->e_shoff = 0;
    header->e_shnum = header->e_shstrndx = 0;
}

Test(device_places, none)
{
    struct made made = {0};
    finish(&made);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "", NULL);
    device_expect(&made.file, DEVICE_SCAN_DEEP, "", NULL);
    done(&made);
}

Test(device_places, linked_relocatable_and_data)
{
    struct made made = {0};
    add(&made, ELF_DEVICE_LINKED, "sm_80");
    add(&made, ELF_DEVICE_RELOCATABLE, "compute_90:8.7");
    add(&made, ELF_DEVICE_DATA, "sm_120f");
    add(&made, ELF_DEVICE_LINKED, "sm_90a");
    finish(&made);
    device_expect(&made.file, DEVICE_SCAN_HEADERS,
                  "linked sm_80 1/1, linked sm_90a 1/1, relocatable compute_90 1/1", NULL);
    device_expect(&made.file, DEVICE_SCAN_DEEP,
                  "linked sm_80 1/1, linked sm_90a 1/1, linked sm_120f 1/1, "
                  "relocatable compute_90 1/1",
                  NULL);
    done(&made);
}

/* cuFFT has nothing else in .nv_fatbin. */
Test(device_places, stub_of_a_device_link)
{
    struct made made = {0};
    add_sized(&made, ELF_DEVICE_STUB, "sm_75", 592);
    add(&made, ELF_DEVICE_DATA, "sm_90");
    finish(&made);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "stub sm_75 1/1", NULL);
    device_expect(&made.file, DEVICE_SCAN_DEEP, "linked sm_90 1/1, stub sm_75 1/1", NULL);
    done(&made);
}

/* What a device link made of real code is larger; what a wrapper of the ordinary version points at
 * is real however small; what no wrapper points at is a stub only when it is small. */
Test(device_places, what_is_no_stub)
{
    struct made made = {0};
    add_sized(&made, ELF_DEVICE_STUB, "sm_75", 3080);
    add_sized(&made, ELF_DEVICE_LINKED, "sm_80", 1464);
    finish(&made);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_75 1/1, linked sm_80 1/1", NULL);
    Elf64_Shdr *wrappers = section(&made, ".nvFatBinSegment");
    wrappers->sh_size = 24; /* the second container's wrapper is gone */
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_75 1/1, stub sm_80 1/1", NULL);
    wrappers->sh_type = SHT_NOBITS;
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_75 1/1, stub sm_80 1/1", NULL);
    done(&made);
}

/* PTX in it, or a compressed cubin that is large when unpacked, make it real. */
Test(device_places, small_is_told_by_the_unpacked_size)
{
    struct made made = {0};
    struct fatbin_entry packed = {.kind = FATBIN_CUBIN, .sm = 90, .size = 600, .unpacked = 4000};
    fatbin_write(&packed, 1, &made.bytes[0]);
    made.device[0] = (struct elf_device){ELF_DEVICE_STUB, made.bytes[0].data, made.bytes[0].length};
    made.count = 1;
    add_sized(&made, ELF_DEVICE_STUB, "compute_90:8.7", 80);
    finish(&made);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1, linked compute_90 1/1", NULL);
    done(&made);
}

/* A linker that leaves the addresses to relocations, which are not there: any container may be the
 * wrapper's. */
Test(device_places, wrappers_without_addresses)
{
    struct made made = {0};
    add_sized(&made, ELF_DEVICE_LINKED, "sm_80", 1464);
    finish(&made);
    Elf64_Shdr *wrappers = section(&made, ".nvFatBinSegment");
    memset(made.file.data + wrappers->sh_offset + 8, 0, 8);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1", NULL);
    made.file.data[wrappers->sh_offset + 4] = 2;
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "stub sm_80 1/1", NULL);
    done(&made);
}

Test(device_places, without_section_headers)
{
    struct made made = {0};
    add(&made, ELF_DEVICE_LINKED, "sm_80");
    add_sized(&made, ELF_DEVICE_STUB, "sm_75", 592);
    add(&made, ELF_DEVICE_DATA, "sm_90");
    finish(&made);
    size_t wrappers = section(&made, ".nvFatBinSegment")->sh_offset;
    drop_section_headers(&made);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1, stub sm_75 1/1", NULL);
    device_expect(&made.file, DEVICE_SCAN_DEEP,
                  "linked sm_80 1/1, linked sm_90 1/1, stub sm_75 1/1", NULL);
    memset(made.file.data + wrappers + 8, 0, 8); /* the first one's address */
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "stub sm_75 1/1", "no section headers");
    memset(made.file.data + wrappers + 8, 0xFF, 8);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "stub sm_75 1/1", "no section headers");
    done(&made);
}

/* What comes behind the limit may be all that matters: it is told first, and is not broken. */
Test(device_places, limit_is_told_in_front)
{
    struct made made = {0};
    struct arena arena = {0};
    struct device_code code;
    struct error err;
    const off_t hole = 200 << 20;
    add_sized(&made, ELF_DEVICE_STUB, "sm_75", 592);
    add(&made, ELF_DEVICE_LINKED, "sm_80");
    finish(&made);
    made.file.data[section(&made, ".nv_fatbin")->sh_offset + made.bytes[0].length] = 'x';
    Elf64_Shdr *searched = section(&made, ".nvFatBinSegment");
    Elf64_Ehdr *header = (Elf64_Ehdr *)made.file.data;
    Elf64_Shdr *sections = (Elf64_Shdr *)(made.file.data + header->e_shoff);
    strcpy(made.file.data + sections[header->e_shstrndx].sh_offset + searched->sh_name,
           ".cask_resource");
    searched->sh_offset = (made.file.length + 7) & ~7UL;
    searched->sh_size = (Elf64_Xword)hole;
    int fd = device_file(made.file.data, made.file.length);
    cr_assert_eq(ftruncate(fd, (off_t)searched->sh_offset + hole), 0);
    cr_expect_eq(device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &arena, &code, &err), 0);
    cr_expect_str_eq((char *)device_words(&code, &arena), "stub sm_75 1/1");
    cr_expect_str_eq((char *)code.problem, "more than 128 MiB were to be read: the rest was not "
                                           "(and 1 more of the kind)");
    close(fd);
    arena_done(&arena);
    done(&made);
}

/* A wrapper at every eighth byte, of whose containers each is looked for in a thousand segments. */
Test(device_places, wrappers_and_segments_by_the_thousand, .timeout = 60)
{
    enum { SEGMENTS = 1000, WRAPPERS = 8192 };
    CLEANUP_TEXT struct text file = {0};
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = SEGMENTS};
    Elf64_Phdr segment = {.p_type = PT_LOAD,
                          .p_flags = PF_W,
                          .p_offset = sizeof header + SEGMENTS * sizeof segment,
                          .p_filesz = WRAPPERS * 8};
    text_add_bytes(&file, &header, sizeof header);
    for (size_t i = 0; i < SEGMENTS; i++)
        text_add_bytes(&file, &segment, sizeof segment);
    for (size_t i = 0; i < WRAPPERS; i++)
        put_little_endian(&file, 0x1466243B1, 8);
    device_expect(&file, DEVICE_SCAN_HEADERS, "", "more data than is searched");
}

Test(device_places, sections_that_lie_outside)
{
    struct made made = {0};
    add(&made, ELF_DEVICE_LINKED, "sm_80");
    finish(&made);
    Elf64_Shdr *fatbin = section(&made, ".nv_fatbin");
    Elf64_Xword size = fatbin->sh_size;
    Elf64_Off offset = fatbin->sh_offset;
    fatbin->sh_offset = UINT64_MAX - 8;
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "", ".nv_fatbin ends behind the end");
    fatbin->sh_offset = offset;
    fatbin->sh_size = size - 100;
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "", "cut off");
    fatbin->sh_type = SHT_NOBITS;
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "", NULL);
    done(&made);
}

/* Their number stands in the first one's size. */
Test(device_places, more_sections_than_are_counted)
{
    enum { SECTIONS = 65 * 1024 + 1 };
    struct made made = {0};
    add(&made, ELF_DEVICE_LINKED, "sm_80");
    finish(&made);
    Elf64_Ehdr header;
    memcpy(&header, made.file.data, sizeof header);
    while (made.file.length % 8)
        text_add_char(&made.file, '\0');
    uint64_t table = made.file.length;
    static const Elf64_Shdr none;
    const Elf64_Shdr first = {.sh_size = SECTIONS};
    text_add_bytes(&made.file, &first, sizeof first);
    for (size_t i = 1; i < SECTIONS; i++) {
        Elf64_Shdr copy = none;
        if (i < header.e_shnum)
            memcpy(&copy, made.file.data + header.e_shoff + i * sizeof copy, sizeof copy);
        text_add_bytes(&made.file, &copy, sizeof copy);
    }
    header.e_shoff = table;
    header.e_shnum = 0;
    memcpy(made.file.data, &header, sizeof header);
    device_expect(&made.file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1", "more than 65536 sections");
    done(&made);
}

Test(device_places, the_magic_by_chance_is_no_code)
{
    struct made made = {0};
    static const uint64_t beginning = 0x00100001BA55ED50;
    struct text *chance = &made.bytes[0];
    while (chance->length < 256)
        put_little_endian(chance, 0, 8);
    set_little_endian(chance, 8, beginning, 8); /* a size of 0 */
    set_little_endian(chance, 64, beginning, 8);
    set_little_endian(chance, 64 + 8, 0x80, 8); /* entries of zeros */
    set_little_endian(chance, 160, beginning, 8);
    set_little_endian(chance, 160 + 8, 0xFFFF, 8); /* too large */
    set_little_endian(chance, 244, beginning, 8);  /* unaligned, at the end */
    made.device[made.count++] = (struct elf_device){ELF_DEVICE_DATA, chance->data, chance->length};
    add(&made, ELF_DEVICE_DATA, "sm_90");
    finish(&made);
    device_expect(&made.file, DEVICE_SCAN_DEEP, "linked sm_90 1/1", NULL);
    done(&made);
}

/* Containers far from each other and near; the search goes in blocks of 256 KiB. */
Test(device_places, search_over_blocks)
{
    struct made made = {0};
    struct fatbin_entry entry = {.kind = FATBIN_CUBIN, .sm = 90, .size = 8};
    struct text *data = &made.bytes[0];
    size_t expected = 0;
    for (size_t gap = 8; gap < 600 * 1024; gap += gap / 64 * 8 + 8) {
        fatbin_write(&entry, 1, data);
        expected++;
        for (size_t i = 0; i < gap && data->length < 8 << 20; i += 8)
            put_little_endian(data, 0xBA55ED50, 8);
    }
    made.device[made.count++] = (struct elf_device){ELF_DEVICE_DATA, data->data, data->length};
    finish(&made);
    struct device_seen seen;
    device_see(&seen, made.file.data, made.file.length, DEVICE_SCAN_DEEP);
    cr_expect_eq(seen.code.containers, expected);
    cr_expect_eq(seen.code.entries, expected);
    cr_expect(seen.code.is_deep);
    arena_done(&seen.arena);
    done(&made);
}

Test(device_places, broken_files_are_told)
{
    struct made made = {0};
    struct device_seen seen;
    add(&made, ELF_DEVICE_LINKED, "sm_80");
    finish(&made);
    device_see(&seen, made.file.data, 40, DEVICE_SCAN_HEADERS);
    cr_expect_eq(seen.result, -EBADMSG);
    cr_expect_neq(seen.err.text[0], 0);
    arena_done(&seen.arena);
    ((Elf64_Ehdr *)made.file.data)->e_phoff = UINT64_MAX;
    device_see(&seen, made.file.data, made.file.length, DEVICE_SCAN_HEADERS);
    cr_expect_eq(seen.result, -EBADMSG);
    arena_done(&seen.arena);
    done(&made);
}

/* --- what the machine's own compiler and linker make --- */

static const char assembly[] = ".section .nv_fatbin,\"a\",@progbits\n.balign 8\n"
                               "first: .incbin \"large.fatbin\"\n"
                               ".section .nvFatBinSegment,\"aw\",@progbits\n.balign 8\n"
                               "wrapper: .long 0x466243B1, 1\n.quad first, 0\n"
                               ".globl wrapper\n.section .note.GNU-stack\n";
static const char linked_assembly[] =
    ".section .nv_fatbin,\"a\",@progbits\n.balign 8\n"
    ".globl second\n.hidden second\nsecond: .incbin \"small.fatbin\"\n"
    ".section .nvFatBinSegment,\"aw\",@progbits\n.balign 8\n"
    ".long 0x466243B1, 2\n.quad second, 0\n"
    ".section .note.GNU-stack\n";

static bool run(const char *root, const char *command)
{
    CLEANUP_TEXT struct text text = {0};
    text_printf(&text, "cd '%s' && { %s; } >log 2>&1", root, command);
    return system(text_get(&text)) == 0; /* NOLINT(cert-env33-c): a test's compiler */
}

static void write_sources(const char *root)
{
    struct text bytes = {0};
    struct fatbin_entry small = {.kind = FATBIN_CUBIN, .sm = 75, .size = 592};
    struct fatbin_entry large = {.kind = FATBIN_CUBIN, .sm = 90, .size = 600};
    fatbin_write(&large, 1, &bytes); /* as small, but with a wrapper of its own */
    scratch_write_bytes(root, "large.fatbin", bytes.data, bytes.length);
    text_clear(&bytes);
    fatbin_write(&small, 1, &bytes);
    scratch_write_bytes(root, "small.fatbin", bytes.data, bytes.length);
    text_done(&bytes);
    scratch_write(root, "a.s", assembly);
    scratch_write(root, "b.s", linked_assembly);
}

static void read_made(const char *root, const char *name, struct text *ret)
{
    CLEANUP_TEXT struct text path = {0};
    char buffer[4096];
    ssize_t n;
    text_printf(&path, "%s/%s", root, name);
    CLEANUP_CLOSE int fd = open(text_get(&path), O_RDONLY);
    cr_assert_geq(fd, 0, "%s", name);
    text_clear(ret);
    while ((n = read(fd, buffer, sizeof buffer)) > 0)
        text_add_bytes(ret, buffer, (size_t)n);
}

/* In an object the wrappers' addresses are relocations against symbols. */
Test(device_places, objects_of_the_assembler)
{
    struct text file = {0};
    char *root = scratch_new();
    write_sources(root);
    cr_assert(run(root, "cc -c a.s -o a.o && cc -c b.s -o b.o && ld -r a.o b.o -o ab.o && "
                        "ar rc lib.a a.o b.o"));
    read_made(root, "a.o", &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1", NULL);
    read_made(root, "b.o", &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "stub sm_75 1/1", NULL);
    read_made(root, "ab.o", &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1, stub sm_75 1/1", NULL);
    read_made(root, "lib.a", &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1, stub sm_75 1/1", NULL);
    scratch_remove(root);
    text_done(&file);
}

/* GNU ld writes the addresses into the file, lld leaves them to the relocations: the same file with
 * zeros there must be read alike. */
Test(device_places, shared_objects_of_the_linker)
{
    struct text file = {0};
    char *root = scratch_new();
    write_sources(root);
    cr_assert(run(root, "cc -c a.s -o a.o && cc -c b.s -o b.o && "
                        "cc -shared -nostdlib a.o b.o -o ab.so"));
    read_made(root, "ab.so", &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1, stub sm_75 1/1", NULL);
    struct made made = {.file = file};
    size_t offset = section(&made, ".nvFatBinSegment")->sh_offset;
    memset(file.data + offset + 8, 0, 8);
    memset(file.data + offset + 24 + 8, 0, 8);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1, stub sm_75 1/1", NULL);
    drop_section_headers(&made);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1, stub sm_75 1/1", NULL);
    scratch_remove(root);
    text_done(&file);
}
