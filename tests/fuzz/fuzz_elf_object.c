/* An ELF file of any bytes: its headers, what it says to the loader, symbols, notes. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/note.h"
#include "elf/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool wants(void *data, const struct elf_version_need *need)
{
    (void)data;
    return !need || strlen(need->file) < 100;
}

struct asked {
    struct elf_file *file;
    const struct elf_object *object;
    size_t count;
};

/* Each name that the object needs is looked up in it. */
static bool look_up(void *data, const struct elf_undefined *symbol)
{
    struct asked *asked = data;
    /* the lookup reads other blocks: the name must outlive that */
    int r = elf_symbol_defined(asked->file, asked->object, symbol->name,
                               symbol->need ? symbol->need->version : NULL);
    if (r != 0 && r != 1 && r != -EBADMSG)
        abort();
    return ++asked->count < 200;
}

static void ask(struct elf_file *file)
{
    struct arena arena = {0};
    struct elf_object object;
    struct error err = {0};
    int r = elf_object_read(file, &arena, &object, &err);
    if (r != 0 && (r != -EBADMSG || !*err.text))
        abort();
    for (size_t i = 0; i < object.needed_count; i++)
        if (!object.needed[i])
            abort();
    for (size_t i = 0; i < object.need_count; i++)
        if (!object.needs[i].file || !object.needs[i].version)
            abort();
    struct asked asked = {file, &object, 0};
    const struct elf_undefined_filter filter = {.wants = wants};
    r = elf_each_undefined(file, &object, &filter, look_up, &asked);
    if (r != 0 && r != -EBADMSG)
        abort();
    (void)elf_symbol_defined(file, &object, "foo", NULL);
    (void)elf_symbol_defined(file, &object, "bar", "FOO_1");
    arena_done(&arena);
}

static void look_at_sections(struct elf_file *file)
{
    Elf64_Shdr section;
    Elf64_Phdr segment;
    char name[32];
    uint64_t offset;
    for (size_t i = 0; elf_file_section(file, i, &section) && i < 200; i++)
        if (elf_file_section_name(file, &section, name, sizeof name) && strlen(name) >= sizeof name)
            abort();
    for (size_t i = 0; elf_file_segment(file, i, &segment); i++)
        if (elf_file_offset(file, segment.p_vaddr, &offset) && offset >= file->size)
            abort();
    CLEANUP_BYTES struct bytes note = {0};
    struct error err = {0};
    int r = elf_note_cuda_compat(file, &note, &err);
    if (r == 1 ? strlen(note.data) != note.length : r != 0 && (r != -EBADMSG || !*err.text))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    if (write(fd, data, size) == (ssize_t)size) {
        CLEANUP_ELF struct elf_file file;
        struct error err = {0};
        int r = elf_file_open(&file, fd, 0, size, &err);
        if (r < 0 && !*err.text)
            abort();
        if (r == 0) {
            look_at_sections(&file);
            ask(&file);
        }
    }
    close(fd);
    return 0;
}
