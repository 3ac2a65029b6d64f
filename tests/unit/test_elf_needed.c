#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/needed.h"
#include "elf_write.h"
#include "scratch.h"

/* Reads the bytes as a file; returns the code of elf_needed(). */
static int read_bytes(const void *bytes, size_t size, struct arena *arena, struct elf_names *ret,
                      struct error *err)
{
    char *root = scratch_new(), path[512];
    scratch_write_bytes(root, "x.so", bytes, size);
    snprintf(path, sizeof path, "%s/x.so", root);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    int code = elf_needed(fd, arena, ret, err);
    close(fd);
    scratch_remove(root);
    return code;
}

static struct text sample(int bits, enum elf_write_machine machine)
{
    static const char *const needed[] = {"libcudart.so.13", "libc.so.6"};
    struct elf_spec spec = {.machine = machine,
                            .class_bits = bits,
                            .soname = "x.so",
                            .needed = needed,
                            .needed_count = 2};
    struct text out = {0};
    struct error err;
    cr_assert_eq(elf_write(&spec, &out, &err), 0);
    return out;
}

Test(elf_needed, names_in_order_for_every_class)
{
    static const struct {
        int bits;
        enum elf_write_machine machine;
    } kinds[] = {{64, ELF_WRITE_X86_64}, {64, ELF_WRITE_AARCH64}, {32, ELF_WRITE_I386}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct text bytes = sample(kinds[i].bits, kinds[i].machine);
        struct arena arena = {0};
        struct elf_names names;
        struct error err;
        cr_assert_eq(read_bytes(bytes.data, bytes.length, &arena, &names, &err), 0);
        cr_assert_eq(names.count, 2);
        cr_assert_str_eq(names.items[0], "libcudart.so.13");
        cr_assert_str_eq(names.items[1], "libc.so.6");
        arena_done(&arena);
        text_done(&bytes);
    }
}

Test(elf_needed, what_is_no_elf_file_is_said_so)
{
    struct arena arena = {0};
    struct elf_names names;
    struct error err;
    cr_assert_eq(read_bytes("", 0, &arena, &names, &err), -ENOEXEC);
    cr_assert_eq(read_bytes("#!/bin/sh\n", 10, &arena, &names, &err), -ENOEXEC);
    cr_assert_eq(read_bytes("\177ELF", 4, &arena, &names, &err), -ENOEXEC);
    cr_assert_eq(names.count, 0);
    arena_done(&arena);
}

/* Every cut of a good file, and every byte of it set to 0xff, is refused or read, never more. */
Test(elf_needed, cut_and_broken_files)
{
    struct text bytes = sample(64, ELF_WRITE_X86_64);
    size_t refused = 0;
    for (size_t cut = 0; cut < bytes.length; cut += 7) {
        struct arena arena = {0};
        struct elf_names names;
        struct error err;
        int code = read_bytes(bytes.data, cut, &arena, &names, &err);
        cr_assert(code == 0 || code == -ENOEXEC || code == -EBADMSG);
        refused += code != 0;
        arena_done(&arena);
    }
    cr_assert_gt(refused, 10);
    for (size_t at = 0; at < bytes.length && at < 1024; at++) {
        struct arena arena = {0};
        struct elf_names names;
        struct error err;
        char old = bytes.data[at];
        bytes.data[at] = (char)0xff;
        int code = read_bytes(bytes.data, bytes.length, &arena, &names, &err);
        cr_assert(code == 0 || code == -ENOEXEC || code == -EBADMSG);
        cr_assert_leq(names.count, 2);
        bytes.data[at] = old;
        arena_done(&arena);
    }
    text_done(&bytes);
}
