/* What an object says to the loader; broken and hostile ones. That real objects are read as
 * elfutils reads them is in test_elf_oracle.c. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "elf/symbol.h"
#include "elf_made.h"
#include "elf_write.h"

static const char *const needed[] = {"libcudart.so.13", "libc.so.6"};
static const struct elf_symbol defined[] = {
    {.name = "foo"}, {.name = "bar", .version = "FOO_1"}, {.name = "", .version = "FOO_2"}};
static const struct elf_symbol undefined[] = {
    {.name = "printf", .version = "GLIBC_2.2.5", .library = "libc.so.6"},
    {.name = "zed"},
    {.name = "q", .version = "BAR_1", .library = "libbar.so.2"}};

static struct text sample(enum elf_write_machine machine, int bits)
{
    struct elf_spec spec = {.machine = machine,
                            .class_bits = bits,
                            .soname = "x.so.1",
                            .rpath = "/a:/b",
                            .runpath = "$ORIGIN/../x",
                            .needed = needed,
                            .needed_count = 2,
                            .defined = defined,
                            .defined_count = 3,
                            .undefined = undefined,
                            .undefined_count = 3};
    struct text out = {0};
    struct error err;
    cr_assert_eq(elf_write(&spec, &out, &err), 0);
    return out;
}

Test(elf_object, all_that_it_says)
{
    static const enum elf_write_machine machines[] = {ELF_WRITE_X86_64, ELF_WRITE_AARCH64};
    for (size_t i = 0; i < 2; i++) {
        CLEANUP_TEXT struct text bytes = sample(machines[i], 64);
        struct elf_opened x;
        cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
        cr_expect_eq(x.file.header.e_machine, i == 0 ? EM_X86_64 : EM_AARCH64);
        cr_expect_str_eq(x.object.soname, "x.so.1");
        cr_expect_str_eq(x.object.rpath, "/a:/b");
        cr_expect_str_eq(x.object.runpath, "$ORIGIN/../x");
        cr_assert_eq(x.object.needed_count, 2);
        cr_expect_str_eq(x.object.needed[0], "libcudart.so.13");
        cr_expect_str_eq(x.object.needed[1], "libc.so.6");
        cr_assert_eq(x.object.need_count, 2);
        cr_expect_str_eq(x.object.needs[0].file, "libc.so.6");
        cr_expect_str_eq(x.object.needs[0].version, "GLIBC_2.2.5");
        cr_expect_str_eq(x.object.needs[1].version, "BAR_1");
        cr_expect(!x.object.needs[1].is_weak);
        cr_assert_eq(x.object.definition_count, 3);
        cr_expect(x.object.definitions[0].is_base);
        cr_expect_str_eq(x.object.definitions[2].version, "FOO_2");
        cr_expect(x.object.is_dynamic && !x.object.binds_now);
        cr_expect_null(x.object.interpreter);
        cr_expect_null(x.object.build_id);
        elf_close(&x);
    }
}

Test(elf_object, programs_and_build_ids)
{
    char *root = scratch_new();
    struct elf_opened x;
    elf_make(root, "program", "int main(void) { return 0; }",
             "-Wl,--build-id=0x0123456789abcdef -Wl,-z,now");
    cr_assert_eq(elf_open_at(&x, root, "program"), 0);
    cr_expect(x.object.interpreter && strstr(x.object.interpreter, "/ld-"));
    cr_expect_str_eq(x.object.build_id, "0123456789abcdef");
    cr_expect(x.object.binds_now);
    cr_expect_null(x.object.soname);
    elf_close(&x);
    /* an object file is ELF, and says nothing to a loader */
    elf_make(root, "part.o", "int f(void) { return 0; }", "-c");
    cr_assert_eq(elf_open_at(&x, root, "part.o"), 0);
    cr_expect(!x.object.is_dynamic);
    cr_expect_eq(x.file.header.e_type, ET_REL);
    elf_close(&x);
    scratch_remove(root);
}

static void expect_refused(const void *bytes, size_t size, int code, const char *sentence)
{
    struct elf_opened x;
    cr_expect_eq(elf_open_bytes(&x, bytes, size), code, "%s", sentence);
    cr_expect_str_eq(x.err.text, sentence);
    elf_close(&x);
}

Test(elf_object, what_is_refused_is_told_why)
{
    expect_refused("", 0, -ENOEXEC, "is no ELF file");
    expect_refused("#!/bin/sh\n", 10, -ENOEXEC, "is no ELF file");
    expect_refused("\177EL", 3, -ENOEXEC, "is no ELF file");
    expect_refused("\177ELF", 4, -EBADMSG, "ends within its ELF header");
    expect_refused("\177ELF\2\1\1", 7, -EBADMSG, "ends within its ELF header");
    expect_refused("\177ELF\2\2\1", 7, -EBADMSG, "is a big-endian object");
    expect_refused("\177ELF\7\1\1", 7, -EBADMSG, "is an ELF file of no known class");
    CLEANUP_TEXT struct text old = sample(ELF_WRITE_I386, 32);
    expect_refused(old.data, old.length, -EBADMSG, "is a 32-bit object");
    CLEANUP_TEXT struct text good = sample(ELF_WRITE_X86_64, 64);
    expect_refused(good.data, 65, -EBADMSG, "its program headers lie outside the file");
    expect_refused(good.data, 400, -EBADMSG, "its dynamic section lies outside the file");
    good.data[offsetof(Elf64_Ehdr, e_phnum) + 1] = 5; /* 1284 */
    expect_refused(good.data, good.length, -EBADMSG, "has more than 1024 program headers");
    good.data[offsetof(Elf64_Ehdr, e_phentsize)] = 55;
    expect_refused(good.data, good.length, -EBADMSG,
                   "its program headers have another size than the ELF format gives them");
}

/* The value of the entry stays: only its tag is no more the one that a loader looks for. */
static void hide_entry(struct text *bytes, struct elf_opened *x, int64_t tag)
{
    Elf64_Shdr section;
    Elf64_Dyn *entry;
    cr_assert(elf_file_section_named(&x->file, ".dynamic", &section));
    entry = (Elf64_Dyn *)(void *)(bytes->data + section.sh_offset);
    while (entry->d_tag != tag && entry->d_tag != DT_NULL)
        entry++;
    cr_assert_eq(entry->d_tag, tag);
    entry->d_tag = DT_DEBUG;
}

/* What the loader takes without a word, and dies of. */
Test(elf_object, hollow_ones)
{
    static const int64_t tags[] = {DT_STRTAB, DT_SYMTAB};
    static const char *const sentences[] = {"its dynamic section names no string table",
                                            "its dynamic section names no symbol table"};
    for (size_t i = 0; i < 2; i++) {
        CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64);
        struct elf_opened good, x;
        cr_assert_eq(elf_open_bytes(&good, bytes.data, bytes.length), 0);
        cr_expect(!good.object.is_hollow && !elf_file_sections_are_zeros(&good.file));
        hide_entry(&bytes, &good, tags[i]);
        elf_close(&good);
        cr_expect_eq(elf_open_bytes(&x, bytes.data, bytes.length), -EBADMSG);
        cr_expect_str_eq(x.err.text, sentences[i]);
        cr_expect(x.object.is_hollow);
        elf_close(&x);
    }
}

/* Its size is right, and zeros stand from its dynamic section on. */
Test(elf_object, not_written_whole)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64);
    struct elf_opened x;
    Elf64_Shdr section;
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    cr_assert(elf_file_section_named(&x.file, ".dynamic", &section));
    elf_close(&x);
    memset(bytes.data + section.sh_offset, 0, bytes.length - section.sh_offset);
    cr_expect_eq(elf_open_bytes(&x, bytes.data, bytes.length), -EBADMSG);
    cr_expect_str_eq(x.err.text, "its dynamic section is empty: the file was not written whole");
    cr_expect(x.object.is_hollow && elf_file_sections_are_zeros(&x.file));
    elf_close(&x);
    /* a table of one header is zeros in any file, and one byte is enough */
    bytes.data[offsetof(Elf64_Ehdr, e_shnum)] = 1;
    (void)elf_open_bytes(&x, bytes.data, bytes.length);
    cr_expect(!elf_file_sections_are_zeros(&x.file));
    elf_close(&x);
    bytes.data[offsetof(Elf64_Ehdr, e_shnum)] = 3;
    bytes.data[x.file.header.e_shoff + 3 * sizeof section - 1] = 1;
    (void)elf_open_bytes(&x, bytes.data, bytes.length);
    cr_expect(!elf_file_sections_are_zeros(&x.file));
    elf_close(&x);
}

/* Zeros in the string table alone. */
Test(elf_object, needs_of_no_name)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64);
    struct elf_opened x;
    Elf64_Shdr section;
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    cr_assert(elf_file_section_named(&x.file, ".dynstr", &section));
    elf_close(&x);
    memset(bytes.data + section.sh_offset, 0, section.sh_size);
    expect_refused(bytes.data, bytes.length, -EBADMSG,
                   "the name of a library that it needs is empty");
}

/* A section table that is cut is none; the object is read as before. */
Test(elf_object, a_cut_section_table)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64);
    struct elf_opened x;
    Elf64_Shdr section;
    char name[32];
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    cr_expect(elf_file_section_named(&x.file, ".dynsym", &section));
    cr_expect(elf_file_section_name(&x.file, &section, name, sizeof name));
    cr_expect_str_eq(name, ".dynsym");
    cr_expect(elf_file_section_name(&x.file, &section, name, 4));
    cr_expect_str_eq(name, ".dy");
    cr_expect(!elf_file_section_named(&x.file, ".nv_fatbin", &section));
    elf_close(&x);
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length - 1), 0);
    cr_expect_eq(x.file.section_count, 0);
    cr_expect(!elf_file_section_named(&x.file, ".dynsym", &section));
    cr_expect_str_eq(x.object.soname, "x.so.1");
    elf_close(&x);
}

/* --- the file itself --- */

Test(elf_file, a_piece_of_a_file)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64), archive = {0};
    for (int i = 0; i < 5000; i++)
        text_add(&archive, "0123456789");
    text_add_bytes(&archive, bytes.data, bytes.length);
    text_add(&archive, "behind it");
    char *root = scratch_new();
    CLEANUP_TEXT struct text path = {0};
    scratch_write_bytes(root, "a.a", archive.data, archive.length);
    text_printf(&path, "%s/a.a", root);
    CLEANUP_CLOSE int fd = open(text_get(&path), O_RDONLY | O_CLOEXEC);
    CLEANUP(arena_done) struct arena arena = {0};
    CLEANUP_ELF struct elf_file file;
    struct elf_object object;
    struct error err;
    cr_assert_eq(elf_file_open(&file, fd, 50000, bytes.length, &err), 0);
    cr_assert_eq(elf_object_read(&file, &arena, &object, &err), 0);
    cr_expect_str_eq(object.soname, "x.so.1");
    cr_expect_eq(file.bytes_read, bytes.length, "each block once, and nothing behind the piece");
    char end[16];
    cr_expect_eq(elf_file_read(&file, end, sizeof end, bytes.length - 3), 3);
    cr_expect_eq(elf_file_read(&file, end, sizeof end, bytes.length), 0);
    cr_expect_eq(elf_file_read(&file, end, sizeof end, UINT64_MAX), 0);
    cr_expect(!elf_file_get(&file, end, sizeof end, bytes.length - 3));
    cr_expect(elf_file_is(&file, 1, "ELF", 3));
    cr_expect(!elf_file_is(&file, bytes.length - 1, "\0b", 2));
    uint64_t offset;
    cr_expect(!elf_file_offset(&file, UINT64_MAX, &offset));
    cr_expect(elf_file_offset(&file, 17, &offset) && offset == 17);
    scratch_remove(root);
}

/* What could not be read looks as if it were not there, and is told. */
Test(elf_file, a_failure_to_read)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64), path = {0};
    text_add_bytes(&bytes, (const char[8192]){0}, 8192);
    char *root = scratch_new();
    scratch_write_bytes(root, "x", bytes.data, bytes.length);
    text_printf(&path, "%s/x", root);
    CLEANUP_CLOSE int fd = open(text_get(&path), O_RDONLY | O_CLOEXEC);
    CLEANUP_ELF struct elf_file file;
    struct error err;
    char byte;
    cr_assert_eq(elf_file_open(&file, fd, 0, bytes.length, &err), 0);
    cr_expect_eq(file.error, 0);
    file.fd = -1;
    cr_expect_not(elf_file_get(&file, &byte, 1, bytes.length - 1));
    cr_expect_eq(file.error, -EBADF);
    scratch_remove(root);
}

/* More than the blocks that are kept, in both orders and across their borders. */
Test(elf_file, a_large_file)
{
    enum { BIG = 70 * 1024 * 1024, STEP = 16 * 1024 };
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64), path = {0};
    char *root = scratch_new();
    scratch_write_bytes(root, "big", bytes.data, bytes.length);
    text_printf(&path, "%s/big", root);
    CLEANUP_CLOSE int fd = open(text_get(&path), O_RDWR | O_CLOEXEC);
    for (uint32_t at = STEP; at < BIG; at += STEP)
        cr_assert_eq(pwrite(fd, &at, sizeof at, at - 2), 4);
    CLEANUP_ELF struct elf_file file;
    struct error err;
    cr_assert_eq(elf_file_open(&file, fd, 0, BIG, &err), 0);
    for (uint32_t at = STEP, value; at < BIG; at += STEP) {
        cr_assert(elf_file_get(&file, &value, sizeof value, at - 2));
        cr_assert_eq(value, at);
    }
    for (uint32_t at = BIG - STEP, value; at > 0; at -= STEP) {
        cr_assert(elf_file_get(&file, &value, sizeof value, at - 2));
        cr_assert_eq(value, at);
    }
    CLEANUP_FREE char *whole = malloc(BIG);
    cr_assert_gt(elf_file_read(&file, whole, BIG, 0), BIG - STEP);
    cr_expect_eq(memcmp(whole, bytes.data, bytes.length), 0);
    struct text text = {0};
    cr_expect(!elf_file_string(&file, 2 * STEP + 2, 100, &text) || text.length < 100);
    text_done(&text);
    scratch_remove(root);
}

/* --- broken ones --- */

static bool count_one(void *data, const struct elf_undefined *symbol)
{
    *(size_t *)data += strlen(symbol->name) > 0;
    return true;
}

/* All that can be asked of an object, whatever it is. */
static void ask_all(struct elf_opened *x, int opened)
{
    size_t count = 0;
    if (opened == -ENOEXEC || !x->file.blocks)
        return;
    int r = elf_each_undefined(&x->file, &x->object, NULL, count_one, &count);
    cr_assert(r == 0 || r == -EBADMSG);
    cr_assert_lt(count, 1000);
    r = elf_symbol_defined(&x->file, &x->object, "bar", "FOO_1");
    cr_assert(r == 0 || r == 1 || r == -EBADMSG);
    r = elf_symbol_defined(&x->file, &x->object, "zed", NULL);
    cr_assert(r == 0 || r == 1 || r == -EBADMSG);
}

/* Every cut of a good file, and every byte of it set to other values, is refused or read. */
Test(elf_object, cut_and_broken_files)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64);
    static const unsigned char values[] = {0xff, 0, 1, 0x80};
    struct elf_opened x;
    size_t refused = 0;
    for (size_t cut = 0; cut < bytes.length; cut += 7) {
        int code = elf_open_bytes(&x, bytes.data, cut);
        cr_assert(code == 0 || code == -ENOEXEC || code == -EBADMSG);
        refused += code != 0;
        ask_all(&x, code);
        elf_close(&x);
    }
    cr_expect_gt(refused, 100);
    for (size_t at = 0; at < bytes.length; at++)
        for (size_t i = 0; i < sizeof values; i++) {
            char old = bytes.data[at];
            bytes.data[at] = (char)values[i];
            int code = elf_open_bytes(&x, bytes.data, bytes.length);
            cr_assert(code == 0 || code == -ENOEXEC || code == -EBADMSG);
            cr_assert_leq(x.object.needed_count, 3);
            ask_all(&x, code);
            bytes.data[at] = old;
            elf_close(&x);
        }
}

/* Tables that would keep a reader busy for ever, or lead it out of the file. */
Test(elf_object, hostile_hash_tables)
{
    CLEANUP_TEXT struct text good = sample(ELF_WRITE_X86_64, 64);
    struct elf_opened x;
    cr_assert_eq(elf_open_bytes(&x, good.data, good.length), 0);
    uint64_t table = x.object.tables.gnu_hash;
    cr_expect_eq(elf_symbol_defined(&x.file, &x.object, "foo", NULL), 1);
    elf_close(&x);
    static const struct {
        unsigned word;
        uint32_t value;
        const char *what;
    } faults[] = {{0, 0, "no buckets"},
                  {2, 0, "no filter"},
                  {2, 3, "a filter of three words"},
                  {1, 100, "a bucket in front of the first symbol"},
                  {6, 0x7fffffff, "a bucket behind the file"},
                  {2, 0x80000000, "a filter that is larger than the file"},
                  {0, 0xffffffff, "buckets that are larger than the file"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        CLEANUP_TEXT struct text bytes = {0};
        text_add_bytes(&bytes, good.data, good.length);
        set_little_endian(&bytes, table + 4 * faults[i].word, faults[i].value, 4);
        cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
        cr_expect_eq(elf_symbol_defined(&x.file, &x.object, "foo", NULL), -EBADMSG, "%s",
                     faults[i].what);
        elf_close(&x);
    }
    set_little_endian(&good, table + 4, 0xffffffff, 4); /* four thousand million symbols to read */
    size_t count = 0;
    cr_assert_eq(elf_open_bytes(&x, good.data, good.length), 0);
    cr_expect_eq(elf_each_undefined(&x.file, &x.object, NULL, count_one, &count), -EBADMSG);
    elf_close(&x);
}

/* A chain of DT_HASH that leads back to itself. */
Test(elf_object, hostile_chain)
{
    char *root = scratch_new();
    struct elf_opened x;
    elf_make(root, "a.so", "int f(void) { return 1; }", "-shared -fPIC -Wl,--hash-style=sysv");
    cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
    uint32_t head[2], number = 1;
    uint64_t table = x.object.tables.hash;
    cr_assert(elf_file_get(&x.file, head, sizeof head, table));
    cr_expect_eq(elf_symbol_defined(&x.file, &x.object, "f", NULL), 1);
    cr_expect_eq(elf_symbol_defined(&x.file, &x.object, "g", NULL), 0);
    elf_close(&x);
    CLEANUP_TEXT struct text path = {0};
    text_printf(&path, "%s/a.so", root);
    int fd = open(text_get(&path), O_WRONLY | O_CLOEXEC);
    for (uint32_t i = 0; i < head[0] + head[1]; i++)
        cr_assert_eq(pwrite(fd, &number, 4, (off_t)(table + 8 + 4 * i)), 4);
    close(fd);
    cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
    cr_expect_eq(elf_symbol_defined(&x.file, &x.object, "g", NULL), -EBADMSG);
    elf_close(&x);
    scratch_remove(root);
}

/* Each record names the next one byte further: as many as the file has bytes. */
Test(elf_object, hostile_version_records)
{
    CLEANUP_TEXT struct text bytes = sample(ELF_WRITE_X86_64, 64);
    struct elf_opened x;
    Elf64_Shdr section;
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    cr_assert(elf_file_section_named(&x.file, ".gnu.version_r", &section));
    elf_close(&x);
    set_little_endian(&bytes, section.sh_offset + offsetof(Elf64_Verneed, vn_next), 1, 4);
    cr_expect_eq(elf_open_bytes(&x, bytes.data, bytes.length), -EBADMSG);
    cr_expect(strstr(x.err.text, "its version records are of format"), "%s", x.err.text);
    cr_expect_eq(x.object.needed_count, 2, "what was read before stays");
    elf_close(&x);
    set_little_endian(&bytes, section.sh_offset + offsetof(Elf64_Verneed, vn_next), 0x7fffffff, 4);
    cr_expect_eq(elf_open_bytes(&x, bytes.data, bytes.length), -EBADMSG);
    cr_expect_str_eq(x.err.text, "its version records lie outside the file");
    elf_close(&x);
}

Test(elf_object, a_long_path_and_one_that_is_too_long)
{
    struct elf_opened x;
    for (int i = 0; i < 2; i++) {
        CLEANUP_TEXT struct text path = {0}, bytes = {0};
        while (path.length < (i == 0 ? 60000 : 70000))
            text_add(&path, "/nix/store/abcdefghij/lib:");
        struct elf_spec spec = {.class_bits = 64, .soname = "a", .rpath = text_get(&path)};
        cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
        int code = elf_open_bytes(&x, bytes.data, bytes.length);
        cr_expect_eq(code, i == 0 ? 0 : -EBADMSG);
        if (i == 0)
            cr_expect_str_eq(x.object.rpath, text_get(&path));
        else
            cr_expect_str_eq(x.err.text, "a string of its dynamic section is too long, or cut");
        cr_expect_str_eq(x.object.soname, "a");
        elf_close(&x);
    }
}
