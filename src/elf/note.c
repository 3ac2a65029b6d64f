/* What the section holds: nvidia-container-toolkit, cmd/nvidia-cdi-hook/cudacompat. One ELF note of
 * NVIDIA Corporation, whose descriptor is JSON. A build for Orin pads it oddly, so that the sizes
 * in the note's header cannot be trusted: the text is looked for behind it. */
#include "elf/note.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/span.h"

enum { NOTE_MAX = 64 * 1024 };

/* The JSON among the section's bytes: from the first brace behind the note's header to the last one
 * before a NUL or the end. Empty where there is none. */
static struct span find_text(const char *data, size_t size)
{
    const char *begin = size > sizeof(Elf64_Nhdr)
                            ? memchr(data + sizeof(Elf64_Nhdr), '{', size - sizeof(Elf64_Nhdr))
                            : NULL;
    if (!begin)
        return (struct span){0};
    size_t length = strnlen(begin, size - (size_t)(begin - data));
    while (length && begin[length - 1] != '}')
        length--;
    return (struct span){begin, length};
}

int elf_note_cuda_compat(struct elf_file *file, struct bytes *ret, struct error *err)
{
    *ret = (struct bytes){0};
    Elf64_Shdr section;
    if (!elf_file_section_named(file, ".note.cuda.fwd_compatibility", &section) ||
        section.sh_type == SHT_NOBITS)
        return 0;
    if (section.sh_size > NOTE_MAX)
        return error_set(err, -EBADMSG, "its compatibility note is larger than %d bytes", NOTE_MAX);
    size_t size = (size_t)section.sh_size;
    CLEANUP_FREE char *data = xmalloc(size + 1);
    if (!elf_file_get(file, data, size, section.sh_offset))
        return error_set(err, -EBADMSG, "its compatibility note lies outside the file");
    struct span text = find_text(data, size);
    if (!text.length)
        return error_set(err, -EBADMSG, "its compatibility note holds no JSON");
    ret->data = xmalloc(text.length + 1);
    memcpy(ret->data, text.data, text.length);
    ret->data[text.length] = '\0';
    ret->length = text.length;
    return 1;
}
