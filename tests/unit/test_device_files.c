/* Files that hold device code and are no objects: archives, cubins, PTX; and what is none of them.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "device_made.h"
#include "scratch.h"

static void add_object(struct text *out, const char *target)
{
    struct error err;
    struct text bytes = {0};
    struct fatbin_entry entry;
    cr_assert_eq(fatbin_entry_read(target, &entry), 0);
    fatbin_write(&entry, 1, &bytes);
    struct elf_device device = {ELF_DEVICE_LINKED, bytes.data, bytes.length};
    struct elf_spec spec = {.class_bits = 64, .device = &device, .device_count = 1};
    cr_assert_eq(elf_write(&spec, out, &err), 0);
    text_done(&bytes);
}

static void add_member(struct text *out, const char *name, const char *data, size_t size)
{
    text_printf(out, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0100644, size);
    text_add_bytes(out, data, size);
    if (size % 2)
        text_add_char(out, '\n');
}

static void add_object_member(struct text *out, const char *name, const char *target)
{
    struct text object = {0};
    add_object(&object, target);
    text_add_char(&object, '\0'); /* an odd size */
    add_member(out, name, object.data, object.length);
    text_done(&object);
}

Test(device_files, archive)
{
    static const char names[] = "a_name_that_is_too_long.o/\nanother_name_that_is_too_long.o/\n";
    struct text file = {0};
    text_add(&file, "!<arch>\n");
    add_member(&file, "/", "\0\0\0\0", 4);
    add_member(&file, "//", names, sizeof names - 1);
    add_object_member(&file, "/0", "sm_75");
    add_member(&file, "readme.txt/", "hello", 5);
    add_object_member(&file, "/27", "sm_80");
    add_object_member(&file, "short.o/", "compute_90:8.7");
    add_member(&file, "empty.o/", "", 0);
    device_expect(&file, DEVICE_SCAN_HEADERS,
                  "linked sm_75 1/1, linked sm_80 1/1, linked compute_90 1/1", NULL);
    text_done(&file);
}

Test(device_files, archive_of_bsd_names)
{
    struct text file = {0}, member = {0};
    text_add(&file, "!<arch>\n");
    text_add_bytes(&member, "name.o\0\0\0\0", 10);
    add_object(&member, "sm_90a");
    add_member(&file, "#1/10", member.data, member.length);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90a 1/1", NULL);
    text_done(&file);
    text_done(&member);
}

Test(device_files, broken_members_do_not_hide_others)
{
    struct text file = {0};
    text_add(&file, "!<arch>\n");
    add_member(&file, "broken.o/", ELFMAG "\2\1\1 and no more", 20);
    add_object_member(&file, "good.o/", "sm_80");
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1", "broken.o: ");
    size_t whole = file.length;
    add_object_member(&file, "cut.o/", "sm_90");
    file.length -= 1000; /* its section headers, and its wrapper */
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1", "(and 1 more");
    file.length = whole;
    text_add(&file, "no header of a member, but as long as one would be, and more");
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1", "broken.o: ");
    text_done(&file);
}

Test(device_files, hostile_archives)
{
    struct text file = {0};
    text_add(&file, "!<arch>\n");
    device_expect(&file, DEVICE_SCAN_HEADERS, "", NULL);
    text_printf(&file, "%-16s%-12d%-6d%-6d%-8o%-10s`\n", "x/", 0, 0, 0, 0, "9999999999");
    device_expect(&file, DEVICE_SCAN_HEADERS, "", "cut off within x");
    text_clear(&file);
    text_add(&file, "!<arch>\n");
    text_printf(&file, "%-16s%-12d%-6d%-6d%-8o%-10s`\n", "/99999999999", 0, 0, 0, 0, "-1");
    device_expect(&file, DEVICE_SCAN_HEADERS, "", "broken at byte 8");
    text_clear(&file);
    text_add(&file, "!<thin>\nwhatever");
    device_expect(&file, DEVICE_SCAN_HEADERS, "", "thin archive");
    text_done(&file);
}

/* A cubin of this machine code, with the tools' options in a note or without. */
static void write_cubin(struct text *out, unsigned char abi, uint32_t flags, const char *options)
{
    static const char names[] = "\0.note.nv.tkinfo";
    Elf64_Ehdr header = {.e_machine = 190,
                         .e_flags = flags,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr)};
    Elf64_Shdr sections[3] = {{0}, {.sh_type = SHT_NOTE, .sh_name = 1}, {.sh_type = SHT_STRTAB}};
    struct text note = {0};
    memcpy(header.e_ident, ELFMAG "\2\1\1", 7);
    header.e_ident[EI_OSABI] = abi;
    text_clear(out);
    if (options) {
        size_t size = 24 + 7 + strlen(options) + 1;
        put_little_endian(&note, 12, 4);
        put_little_endian(&note, size, 4);
        put_little_endian(&note, 2000, 4);
        text_add_bytes(&note, "NVIDIA Corp", 12);
        put_little_endian(&note, 2, 4);
        put_little_endian(&note, 0, 4);
        put_little_endian(&note, 1, 4);
        put_little_endian(&note, 0, 8);
        put_little_endian(&note, 7, 4);
        text_add_bytes(&note, "\0ptxas", 7);
        text_add_bytes(&note, options, strlen(options) + 1);
        while (note.length % 4)
            text_add_char(&note, '\0');
        header.e_shnum = 3;
        header.e_shstrndx = 2;
        header.e_shoff = sizeof header;
    }
    sections[1].sh_offset = sizeof header + sizeof sections;
    sections[1].sh_size = note.length;
    sections[2].sh_offset = sections[1].sh_offset + note.length;
    sections[2].sh_size = sizeof names;
    text_add_bytes(out, &header, sizeof header);
    text_add_bytes(out, sections, sizeof sections);
    text_add_bytes(out, text_get(&note), note.length);
    text_add_bytes(out, names, sizeof names);
    text_done(&note);
}

Test(device_files, cubins)
{
    static const struct {
        unsigned char abi;
        uint32_t flags;
        const char *options, *words, *problem;
    } cases[] = {
        /* flags as ptxas 12.9 writes them */
        {0x33, 0x4b054b, NULL, "linked sm_75 1/1", NULL},
        {0x33, 0x5a055a, NULL, "linked sm_90 1/1", NULL},
        {0x33, 0x5a0d5a, NULL, "linked sm_90a 1/1", NULL},
        {0x41, 0x600640a, NULL, "linked sm_100a 1/1", NULL},
        /* and 13.0 */
        {0x41, 0x6004b04, NULL, "linked sm_75 1/1", NULL},
        {0x41, 0x6005a04, "-arch sm_90 -m 64 ", "linked sm_90 1/1", NULL},
        {0x41, 0x6005a04, "-arch sm_90a -m 64 ", "linked sm_90a 1/1", NULL},
        {0x41, 0x6006402, "-arch sm_100f -m 64 ", "linked sm_100f 1/1", NULL},
        {0x41, 0x6006402, "-O3 -arch=sm_100a", "linked sm_100a 1/1", NULL},
        /* options of another target, without one, and none */
        {0x41, 0x6006402, "-arch sm_90a", "linked sm_100 1/1", "does not tell"},
        {0x41, 0x6006402, "-arch", "linked sm_100 1/1", "does not tell"},
        {0x41, 0x6006402, "-arch sm_", "linked sm_100 1/1", "does not tell"},
        {0x41, 0x6006402, NULL, "linked sm_100 1/1", "sm_100 or for sm_100a alone"},
        {0x50, 0x6006402, NULL, "", "unknown generation"},
    };
    struct text file = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_cubin(&file, cases[i].abi, cases[i].flags, cases[i].options);
        device_expect(&file, DEVICE_SCAN_HEADERS, cases[i].words, cases[i].problem);
    }
    text_done(&file);
}

static void expect_ptx(const char *text, const char *words)
{
    struct device_seen seen;
    device_see(&seen, text, strlen(text), DEVICE_SCAN_HEADERS);
    cr_expect_eq(seen.result, words ? 0 : -ENOEXEC, "%s", text);
    cr_expect_str_eq((char *)seen.words, (char *)(words ? words : ""), "%s", text);
    arena_done(&seen.arena);
}

Test(device_files, ptx_text)
{
    expect_ptx(".version 9.0\n.target sm_100f\n.address_size 64\n", "linked compute_100f 1/1");
    expect_ptx("//\n// Generated by\n/* .version 1.0 */\n\n.version 8.7\r\n.target sm_90a, debug\n",
               "linked compute_90a 1/1");
    expect_ptx(".version 3.2 .target sm_35", "linked compute_35 1/1");
    expect_ptx(".version 9\n.target sm_90\n", NULL);
    expect_ptx(".version 9.0\n.target gfx90\n", NULL);
    expect_ptx(".version 9.0\n", NULL);
    expect_ptx(".versions 9.0\n.target sm_90\n", NULL);
    expect_ptx("/* .version 9.0 .target sm_90 ", NULL);
    expect_ptx("see\n.version 9.0\n.target sm_90\n", NULL);
    struct device_seen seen;
    const char *text = ".version 9.1\n.target sm_75";
    device_see(&seen, text, strlen(text), DEVICE_SCAN_DEEP);
    cr_assert_eq(seen.code.target_count, 1);
    cr_expect_eq(seen.code.targets[0].isa_major, 9);
    cr_expect_eq(seen.code.targets[0].isa_low_minor, 1);
    cr_expect_eq(seen.code.targets[0].bytes, strlen(text));
    arena_done(&seen.arena);
}

Test(device_files, what_is_none_of_these_is_refused)
{
    static const char *const texts[] = {
        "", "\x7f", "hello", "#!/bin/sh\nexit\n", "!<arch>", "PK\3\4 and so on", "\x50\xed\x55"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_ptx(texts[i], NULL);
    static const char ustar[5] = {'u', 's', 't', 'a', 'r'};
    char tar[1024] = "usr/lib/libcuda.so";
    memcpy(tar + 257, ustar, sizeof ustar);
    struct device_seen seen;
    device_see(&seen, tar, sizeof tar, DEVICE_SCAN_DEEP);
    cr_expect_eq(seen.result, -ENOEXEC);
    cr_expect_eq(seen.code.target_count, 0);
    arena_done(&seen.arena);
}

Test(device_files, what_is_no_file_is_refused)
{
    struct arena arena = {0};
    struct device_code code;
    struct error err;
    char *root = scratch_new();
    int fd = open(root, O_RDONLY | O_DIRECTORY);
    cr_expect_eq(device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &arena, &code, &err), -ENOEXEC);
    close(fd);
    fd = open("/dev/zero", O_RDONLY);
    cr_expect_eq(device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &arena, &code, &err), -ENOEXEC);
    close(fd);
    cr_expect_eq(device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &arena, &code, &err), -EBADF);
    arena_done(&arena);
    scratch_remove(root);
}

/* A descriptor that cannot be read: the error is told, not "no device code". */
Test(device_files, a_failure_to_read_is_told)
{
    struct arena arena = {0};
    struct device_code code;
    struct error err;
    char *root = scratch_new();
    struct text path = {0};
    text_printf(&path, "%s/f", root);
    scratch_write(root, "f", "0123456789012345678901234567890123456789");
    int fd = open(text_get(&path), O_WRONLY);
    cr_assert_geq(fd, 0);
    cr_expect_eq(device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &arena, &code, &err), -EBADF);
    cr_expect_neq(strstr(err.text, "cannot be read"), NULL);
    close(fd);
    arena_done(&arena);
    text_done(&path);
    scratch_remove(root);
}
