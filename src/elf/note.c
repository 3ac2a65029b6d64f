#include "elf/note.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/span.h"

enum {
    NOTE_MAX = 64 * 1024,
    NOTES_MAX = 64 * 1024, /* bytes of one segment; build ids stand in its first hundred */
    BUILD_ID_MAX = 64
};

/* --- build ids --- */

static size_t pad(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static const char *build_id_of(struct arena *arena, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(arena, size * 2 + 1);
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return text;
}

/* Notes that make no sense are passed over: nothing depends on a build id. */
const char *elf_note_build_id(struct elf_file *file, const Elf64_Phdr *segment, struct arena *arena)
{
    size_t align = segment->p_align == 8 ? 8 : 4;
    uint64_t size = segment->p_filesz < NOTES_MAX ? segment->p_filesz : NOTES_MAX;
    Elf64_Nhdr note;
    for (uint64_t at = 0; at + sizeof note <= size && segment->p_offset <= INT64_MAX;) {
        unsigned char bytes[BUILD_ID_MAX];
        uint64_t offset = segment->p_offset + at;
        if (!elf_file_get(file, &note, sizeof note, offset))
            return NULL;
        size_t name = pad(note.n_namesz, align), size_here = pad(note.n_descsz, align);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
            note.n_descsz > 0 && note.n_descsz <= BUILD_ID_MAX &&
            elf_file_is(file, offset + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) &&
            elf_file_get(file, bytes, note.n_descsz, offset + sizeof note + name)) {
            return build_id_of(arena, bytes, note.n_descsz);
        }
        at += sizeof note + name + size_here;
    }
    return NULL;
}

/* --- cuda-compat --- */

/* What the section holds: nvidia-container-toolkit, cmd/nvidia-cdi-hook/cudacompat. One ELF note of
 * NVIDIA Corporation, whose descriptor is JSON. A build for Orin pads it oddly, so that the sizes
 * in the note's header cannot be trusted: the text is looked for behind it. */

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
