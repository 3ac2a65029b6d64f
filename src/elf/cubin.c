/* Seen in what ptxas of CUDA 12.4, 12.8, 12.9, 13.0 and 13.4 writes; LLVM's ELF.h names the flags
 * EF_CUDA_SM, EF_CUDA_ACCELERATORS_V1 and EF_CUDA_ACCELERATORS. */
#include "elf/cubin.h"

#include <string.h>

#include "base/alloc.h"
#include "base/span.h"
#include "elf/fatbin_field.h"

enum {
    OSABI_OLD = 0x33, /* ABI version 7: up to CUDA 12, below sm_100 */
    OSABI_NEW = 0x41, /* ABI version 8 */
    OLD_ARCH_SPECIFIC = 0x800,
    NEW_ARCH_SPECIFIC = 0x8, /* set by CUDA 12.9, no longer by 13.0 */
    FIRST_WITH_SUFFIX = 90,
    SECTION_MAX = 64 * 1024
};

/* The section .note.nv.tkinfo: a note for each tool, with its name, version and options. */
enum {
    NOTE_HEADER = 12,
    NOTE_TYPE = 2000,
    NOTE_FIELDS = 24, /* version 2, and five offsets into the strings that follow */
    NOTE_OPTIONS_AT = 20
};
static const char note_name[] = "NVIDIA Corp";

/* "sm_90a" behind "-arch": its suffix, if the number is the one that the file is for. */
static bool suffix_of_options(struct span options, uint32_t sm, char *ret)
{
    struct span word;
    struct device_entry entry;
    bool is_next = false;
    while (span_word(&options, &word)) {
        bool is_value = is_next || span_cut_prefix(&word, "-arch=");
        is_next = span_equal(word, "-arch");
        if (is_value && device_entry_target(&entry, word) && entry.sm == sm) {
            *ret = entry.suffix;
            return true;
        }
    }
    return false;
}

static bool suffix_of_note(const unsigned char *description, size_t size, uint32_t sm, char *ret)
{
    if (size < NOTE_FIELDS)
        return false;
    uint32_t at = fatbin_u32(description + NOTE_OPTIONS_AT);
    if (at >= size - NOTE_FIELDS)
        return false;
    const char *options = (const char *)description + NOTE_FIELDS + at;
    return suffix_of_options((struct span){options, strnlen(options, size - NOTE_FIELDS - at)}, sm,
                             ret);
}

static size_t padded(uint32_t size)
{
    return ((size_t)size + 3) / 4 * 4;
}

static bool suffix_of_notes(const unsigned char *data, size_t size, uint32_t sm, char *ret)
{
    while (size >= NOTE_HEADER) {
        size_t name = padded(fatbin_u32(data)), description = padded(fatbin_u32(data + 4));
        bool is_ours = fatbin_u32(data + 8) == NOTE_TYPE;
        data += NOTE_HEADER;
        size -= NOTE_HEADER;
        if (name > size || description > size - name)
            return false;
        if (is_ours && name == sizeof note_name && memcmp(data, note_name, name) == 0 &&
            suffix_of_note(data + name, description, sm, ret))
            return true;
        data += name + description;
        size -= name + description;
    }
    return false;
}

static bool read_suffix(struct elf_file *file, uint32_t sm, char *ret)
{
    Elf64_Shdr section;
    if (!elf_file_section_named(file, ".note.nv.tkinfo", &section) || section.sh_size == 0)
        return false;
    size_t size = section.sh_size < SECTION_MAX ? (size_t)section.sh_size : SECTION_MAX;
    CLEANUP_FREE unsigned char *data = xmalloc(size);
    return elf_file_get(file, data, size, section.sh_offset) &&
           suffix_of_notes(data, size, sm, ret);
}

bool cubin_read(struct elf_file *file, struct device_entry *ret, bool *is_suffix_known)
{
    uint32_t flags = file->header.e_flags;
    *ret = (struct device_entry){.kind = DEVICE_CUBIN};
    *is_suffix_known = true;
    switch (file->header.e_ident[EI_OSABI]) {
    case OSABI_OLD:
        ret->sm = flags & 0xFF;
        ret->suffix = flags & OLD_ARCH_SPECIFIC ? 'a' : 0;
        return true;
    case OSABI_NEW:
        ret->sm = flags >> 8 & 0xFF;
        if (flags & NEW_ARCH_SPECIFIC)
            ret->suffix = 'a';
        else if (!read_suffix(file, ret->sm, &ret->suffix))
            *is_suffix_known = ret->sm < FIRST_WITH_SUFFIX;
        return true;
    default:
        return false;
    }
}
