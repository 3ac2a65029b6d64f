/* Objects that the compiler makes for a test, and objects that are opened and read. */
#ifndef TESTS_UNIT_ELF_MADE_H
#define TESTS_UNIT_ELF_MADE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "elf/object.h"
#include "scratch.h"

/* Compiles the C text with these flags into ROOT/NAME; false where the tool chain cannot. */
static inline bool elf_try_make(const char *root, const char *name, const char *source,
                                const char *flags)
{
    CLEANUP_TEXT struct text command = {0};
    scratch_write(root, "source.c", source);
    text_printf(&command, "cd '%s' && cc -O1 -w source.c -o '%s' %s 2>>cc.log", root, name, flags);
    return system(text_get(&command)) == 0; /* NOLINT(cert-env33-c): the compiler, for a test */
}

static inline void elf_make(const char *root, const char *name, const char *source,
                            const char *flags)
{
    cr_assert(elf_try_make(root, name, source, flags), "%s: cc %s (see %s/cc.log)", name, flags,
              root);
}

struct elf_opened {
    int fd;
    struct elf_file file;
    struct elf_object object;
    struct arena arena;
    struct error err;
};

/* Reads what is open. The code of elf_file_open() or elf_object_read(). */
static inline int elf_read_opened(struct elf_opened *opened)
{
    struct stat st;
    cr_assert_eq(fstat(opened->fd, &st), 0);
    int r = elf_file_open(&opened->file, opened->fd, 0, (uint64_t)st.st_size, &opened->err);
    return r < 0 ? r
                 : elf_object_read(&opened->file, &opened->arena, &opened->object, &opened->err);
}

/* These give that code; elf_close() in any case. */
static inline int elf_open(struct elf_opened *opened, const char *path)
{
    *opened = (struct elf_opened){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    cr_assert_geq(opened->fd, 0, "%s", path);
    return elf_read_opened(opened);
}

static inline int elf_open_at(struct elf_opened *opened, const char *root, const char *name)
{
    CLEANUP_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", root, name);
    return elf_open(opened, text_get(&path));
}

static inline int elf_open_bytes(struct elf_opened *opened, const void *bytes, size_t size)
{
    *opened = (struct elf_opened){.fd = memfd_create("object", MFD_CLOEXEC)};
    cr_assert_geq(opened->fd, 0);
    cr_assert_eq(write(opened->fd, bytes, size), (ssize_t)size);
    return elf_read_opened(opened);
}

static inline void elf_close(struct elf_opened *opened)
{
    elf_file_done(&opened->file);
    arena_done(&opened->arena);
    close(opened->fd);
}

#endif
