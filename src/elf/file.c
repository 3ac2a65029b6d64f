/* Format: System V ABI (gabi), chapters 4 and 5. */
#include "elf/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/read.h"
#include "elf/blocks.h"

struct elf_blocks {
    struct elf_block_table table;
    Elf64_Phdr *segments;
};

/* More than this at once goes past the blocks: it is a table that is read once, in order. */
enum { READ_WHOLE = 4 * ELF_BLOCK };

static const struct elf_block *block_at(struct elf_file *file, uint64_t offset, size_t *ret_within,
                                        int *ret_error)
{
    *ret_error = 0;
    *ret_within = (size_t)(offset % ELF_BLOCK);
    const struct elf_block *block =
        elf_block_get(&file->blocks->table, file->fd, file->start, file->size, offset / ELF_BLOCK,
                      &file->bytes_read, ret_error);
    if (*ret_error)
        file->error = *ret_error;
    return block && *ret_within < block->length ? block : NULL;
}

ssize_t elf_file_read(struct elf_file *file, void *buffer, size_t size, uint64_t offset)
{
    if (offset >= file->size || !file->blocks)
        return 0;
    if (size > file->size - offset)
        size = (size_t)(file->size - offset);
    if (size > READ_WHOLE) {
        if (file->start > UINT64_MAX - offset)
            return 0;
        ssize_t n = read_at(file->fd, buffer, size, file->start + offset);
        file->bytes_read += n > 0 ? (uint64_t)n : 0;
        file->error = n < 0 ? (int)n : file->error;
        return n;
    }
    size_t have = 0;
    while (have < size) {
        size_t within;
        int error;
        const struct elf_block *block = block_at(file, offset + have, &within, &error);
        if (!block && error)
            return error;
        if (!block)
            break;
        size_t n = block->length - within < size - have ? block->length - within : size - have;
        memcpy((char *)buffer + have, block->data + within, n);
        have += n;
    }
    return (ssize_t)have;
}

bool elf_file_get(struct elf_file *file, void *buffer, size_t size, uint64_t offset)
{
    if (size <= ELF_BLOCK - offset % ELF_BLOCK && offset < file->size && file->blocks) {
        size_t within;
        int error;
        const struct elf_block *block = block_at(file, offset, &within, &error);
        if (!block || size > block->length - within)
            return false;
        memcpy(buffer, block->data + within, size);
        return true;
    }
    ssize_t n = elf_file_read(file, buffer, size, offset);
    return n >= 0 && (size_t)n == size;
}

bool elf_file_is(struct elf_file *file, uint64_t offset, const void *bytes, size_t size)
{
    if (offset > file->size || size > file->size - offset)
        return false;
    for (size_t done = 0; done < size;) {
        size_t within;
        int error;
        const struct elf_block *block = block_at(file, offset + done, &within, &error);
        if (!block)
            return false;
        size_t n = block->length - within < size - done ? block->length - within : size - done;
        if (memcmp((const char *)bytes + done, block->data + within, n) != 0)
            return false;
        done += n;
    }
    return true;
}

bool elf_file_string(struct elf_file *file, uint64_t offset, size_t most, struct text *ret)
{
    text_clear(ret);
    while (most > 0 && offset < file->size) {
        size_t within;
        int error;
        const struct elf_block *block = block_at(file, offset, &within, &error);
        if (!block)
            return false;
        size_t n = block->length - within < most ? block->length - within : most;
        const unsigned char *end = memchr(block->data + within, '\0', n);
        text_add_bytes(ret, block->data + within, end ? (size_t)(end - (block->data + within)) : n);
        if (end)
            return true;
        most -= n;
        offset += n;
    }
    return false;
}

const char *elf_file_text(struct elf_file *file, uint64_t offset, size_t most, struct text *room,
                          size_t *ret_length)
{
    size_t within;
    int error;
    const struct elf_block *block =
        most && offset < file->size ? block_at(file, offset, &within, &error) : NULL;
    if (!block)
        return NULL;
    const char *start = (const char *)block->data + within;
    size_t here = block->length - within < most ? block->length - within : most;
    const char *end = memchr(start, '\0', here);
    if (end) {
        *ret_length = (size_t)(end - start);
        return start;
    }
    if (!elf_file_string(file, offset, most, room))
        return NULL;
    *ret_length = room->length;
    return text_get(room);
}

/* --- headers --- */

/* Whether `count` entries of `size` bytes lie inside the piece. */
static bool is_inside(const struct elf_file *file, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset <= file->size && count <= (file->size - offset) / size;
}

/* The loader reads program headers of its own size only. */
static int read_segments(struct elf_file *file, struct error *err)
{
    const Elf64_Ehdr *header = &file->header;
    size_t count = header->e_phnum;
    if (!count)
        return 0;
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return error_set(err, -EBADMSG,
                         "its program headers have another size than the ELF format "
                         "gives them");
    if (count > ELF_SEGMENTS_MAX)
        return error_set(err, -EBADMSG, "has more than %d program headers", ELF_SEGMENTS_MAX);
    if (!is_inside(file, header->e_phoff, count, sizeof(Elf64_Phdr)))
        return error_set(err, -EBADMSG, "its program headers lie outside the file");
    file->blocks->segments = xcalloc(count, sizeof(Elf64_Phdr));
    if (!elf_file_get(file, file->blocks->segments, count * sizeof(Elf64_Phdr), header->e_phoff))
        return error_set(err, -EBADMSG, "its program headers cannot be read");
    file->segment_count = count;
    return 0;
}

/* A loader does without, so a table that is cut or broken counts as none. Where there are too many
 * for the header's field, the first section's size tells how many. */
static void count_sections(struct elf_file *file)
{
    const Elf64_Ehdr *header = &file->header;
    Elf64_Shdr first = {0};
    uint64_t count = header->e_shnum;
    if (!header->e_shoff || header->e_shentsize != sizeof first)
        return;
    if (!count && elf_file_get(file, &first, sizeof first, header->e_shoff))
        count = first.sh_size;
    if (!is_inside(file, header->e_shoff, count, sizeof first))
        return;
    file->sections_cut = count > ELF_SECTIONS_MAX;
    file->section_count = file->sections_cut ? ELF_SECTIONS_MAX : (size_t)count;
}

int elf_file_open(struct elf_file *file, int fd, uint64_t start, uint64_t size, struct error *err)
{
    *file = (struct elf_file){.fd = fd, .start = start, .size = size};
    file->blocks = xcalloc(1, sizeof *file->blocks);
    ssize_t n = elf_file_read(file, &file->header, sizeof file->header, 0);
    if (n < 0)
        return error_set(err, (int)n, "cannot be read: %s", strerror((int)-n));
    const unsigned char *ident = file->header.e_ident;
    if (n < SELFMAG || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return error_set(err, -ENOEXEC, "is no ELF file");
    if (n > EI_DATA && (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB))
        return error_set(err, -EBADMSG, "%s",
                         ident[EI_CLASS] == ELFCLASS32   ? "is a 32-bit object"
                         : ident[EI_DATA] == ELFDATA2MSB ? "is a big-endian object"
                                                         : "is an ELF file of no known class");
    if ((size_t)n < sizeof file->header)
        return error_set(err, -EBADMSG, "ends within its ELF header");
    int r = read_segments(file, err);
    if (r == 0)
        count_sections(file);
    return r;
}

void elf_file_forget(struct elf_file *file)
{
    if (file->blocks)
        elf_block_table_done(&file->blocks->table);
}

void elf_file_done(struct elf_file *file)
{
    if (!file->blocks)
        return;
    elf_block_table_done(&file->blocks->table);
    free(file->blocks->segments);
    free(file->blocks);
    file->blocks = NULL;
    file->segment_count = file->section_count = 0;
}

bool elf_file_segment(const struct elf_file *file, size_t number, Elf64_Phdr *ret)
{
    if (number >= file->segment_count)
        return false;
    *ret = file->blocks->segments[number];
    return true;
}

bool elf_file_section(struct elf_file *file, size_t number, Elf64_Shdr *ret)
{
    return number < file->section_count &&
           elf_file_get(file, ret, sizeof *ret, file->header.e_shoff + number * sizeof *ret);
}

bool elf_file_sections_are_zeros(struct elf_file *file)
{
    static const Elf64_Shdr zeros = {0};
    for (size_t i = 0; i < file->section_count; i++)
        if (!elf_file_is(file, file->header.e_shoff + i * sizeof zeros, &zeros, sizeof zeros))
            return false;
    return file->section_count > 1;
}

static bool names_section(struct elf_file *file, Elf64_Shdr *ret)
{
    size_t number = file->header.e_shstrndx;
    Elf64_Shdr first = {0};
    if (number == SHN_XINDEX) {
        if (!elf_file_section(file, 0, &first))
            return false;
        number = first.sh_link;
    }
    return elf_file_section(file, number, ret) && ret->sh_offset <= file->size;
}

bool elf_file_section_name(struct elf_file *file, const Elf64_Shdr *section, char *buffer,
                           size_t size)
{
    Elf64_Shdr names = {0};
    if (!size || !names_section(file, &names) || section->sh_name >= names.sh_size)
        return false;
    uint64_t left = names.sh_size - section->sh_name;
    ssize_t n = elf_file_read(file, buffer, left < size ? (size_t)left : size,
                              names.sh_offset + section->sh_name);
    if (n <= 0)
        return false;
    buffer[(size_t)n < size ? (size_t)n : size - 1] = '\0';
    return true;
}

bool elf_file_section_named(struct elf_file *file, const char *name, Elf64_Shdr *ret)
{
    Elf64_Shdr names = {0};
    size_t size = strlen(name) + 1;
    if (!names_section(file, &names))
        return false;
    for (size_t i = 1; i < file->section_count; i++)
        if (elf_file_section(file, i, ret) && ret->sh_name < names.sh_size &&
            size <= names.sh_size - ret->sh_name &&
            elf_file_is(file, names.sh_offset + ret->sh_name, name, size))
            return true;
    return false;
}

bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const Elf64_Phdr *segment = &file->blocks->segments[i];
        if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
            address - segment->p_vaddr >= segment->p_filesz)
            continue;
        uint64_t within = address - segment->p_vaddr;
        if (segment->p_offset > file->size || within >= file->size - segment->p_offset)
            return false;
        *ret = segment->p_offset + within;
        return true;
    }
    return false;
}
