/* What glibc's open_verify() and the first steps of mapping say about a file (elf/dl-load.c). */
#include <errno.h>
#include <string.h>

#include "loader/store_parts.h"

enum { PAGE = 4096, GNU_ABI_VERSIONS = 8 };

static void fatal(struct loader_file *file, const char *reason)
{
    file->class = LOADER_FATAL;
    file->reason = reason;
}

static bool has_padding(const unsigned char *ident)
{
    for (size_t i = EI_PAD; i < EI_NIDENT; i++)
        if (ident[i])
            return false;
    return true;
}

/* Why the first bytes cannot be those of an object; NULL where they can. */
static const char *ident_fault(const unsigned char *ident)
{
    unsigned char abi = ident[EI_OSABI], version = ident[EI_ABIVERSION];
    if (ident[EI_DATA] != ELFDATA2LSB)
        return "ELF file data encoding not little-endian";
    if (ident[EI_VERSION] != EV_CURRENT)
        return "ELF file version ident does not match current one";
    if (abi != ELFOSABI_SYSV && abi != ELFOSABI_GNU)
        return "ELF file OS ABI invalid";
    if (version && (abi != ELFOSABI_GNU || version >= GNU_ABI_VERSIONS))
        return "ELF file ABI version invalid";
    return has_padding(ident) ? NULL : "nonzero padding in e_ident";
}

/* True where the header is that of an object for this machine. */
static bool check_header(struct loader_store *store, const Elf64_Ehdr *header,
                         struct loader_file *file)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        fatal(file, "invalid ELF header");
        return false;
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS64) {
        file->class = LOADER_FOREIGN;
        file->reason = "wrong ELF class: ELFCLASS32";
        return false;
    }
    const char *fault = ident_fault(header->e_ident);
    if (!fault && header->e_version != EV_CURRENT)
        fault = "ELF file version does not match current one";
    if (!fault && header->e_machine != store->elf_machine) {
        file->class = LOADER_FOREIGN;
        return false;
    }
    if (!fault && header->e_type != ET_DYN && header->e_type != ET_EXEC)
        fault = "only ET_DYN and ET_EXEC can be loaded";
    if (!fault && header->e_phentsize != sizeof(Elf64_Phdr))
        fault = "ELF file's phentsize not the expected size";
    uint64_t headers = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
    if (!fault && (headers > file->size || header->e_phoff > file->size - headers))
        fault = "cannot read file data";
    if (fault)
        fatal(file, fault);
    return !fault;
}

/* What mapping would stumble over. */
static void check_segments(struct loader_store *store, struct elf_file *elf,
                           struct loader_file *file)
{
    Elf64_Phdr segment;
    size_t loaded = 0;
    bool is_dynamic = file->type == ET_EXEC;
    for (size_t i = 0; elf_file_segment(elf, i, &segment); i++) {
        is_dynamic |= segment.p_type == PT_DYNAMIC && segment.p_filesz;
        if (segment.p_type != PT_LOAD)
            continue;
        loaded++;
        /* pages of other machines may be larger, which is not known here */
        if (store->elf_machine == EM_X86_64 && (segment.p_vaddr - segment.p_offset) % PAGE)
            fatal(file, "ELF load command address/offset not page-aligned");
        if (segment.p_filesz > file->size || segment.p_offset > file->size - segment.p_filesz)
            file->is_cut = true;
    }
    if (file->is_cut)
        file->problem = "the file is cut: it ends before its segments do";
    if (!loaded)
        fatal(file, "object file has no loadable segments");
    else if (!is_dynamic && file->class == LOADER_FITS)
        fatal(file, "object file has no dynamic section");
}

void loader_file_read_object(struct loader_store *store, struct loader_file *file,
                             struct elf_file *elf)
{
    struct error err = {0};
    int r = elf_object_read(elf, &store->arena, &file->object, &err);
    if (elf->error)
        r = error_set(&err, elf->error, "cannot be read: %s", strerror(-elf->error));
    if (r < 0) {
        file->is_cut |= file->object.is_hollow;
        file->object = (struct elf_object){0};
        file->problem = file->problem ? file->problem : arena_strdup(&store->arena, err.text);
    }
}

void loader_file_read(struct loader_store *store, int fd, struct loader_file *file,
                      struct elf_file *elf)
{
    struct error err = {0};
    file->class = LOADER_FITS;
    if (fd < 0) {
        /* reading a folder fails; a FIFO or a device would be read or waited for, which we do not
         */
        fatal(file, fd == -EISDIR ? "cannot read file data" : "is no regular file");
        file->error = fd == -EISDIR ? -EISDIR : 0;
        return;
    }
    store->read_files++;
    int r = elf_file_open(elf, fd, 0, file->size, &err);
    if (r < 0 && r != -ENOEXEC && !elf->bytes_read) {
        fatal(file, "cannot read file data");
        file->error = r;
    } else if (elf->bytes_read < sizeof elf->header) {
        fatal(file, "file too short");
    } else if (check_header(store, &elf->header, file)) {
        file->type = elf->header.e_type;
        if (r < 0)
            file->problem = arena_strdup(&store->arena, err.text);
        else
            check_segments(store, elf, file);
    }
}
