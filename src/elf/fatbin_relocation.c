/* GNU ld writes the address into the word as well; lld does not (its --apply-dynamic-relocs is
 * off), and an object file holds nothing but zeros there. */
#include "elf/fatbin_relocation.h"

enum { DYNAMIC_MAX = 4096, OBJECT_RELOCATIONS_MAX = 256 * 1024 };

static bool dynamic_segment(struct elf_file *file, Elf64_Phdr *ret)
{
    for (size_t i = 0; elf_file_segment(file, i, ret); i++)
        if (ret->p_type == PT_DYNAMIC)
            return true;
    return false;
}

bool fatbin_relocations_of(struct elf_file *file, struct fatbin_relocations *ret)
{
    Elf64_Phdr segment;
    if (!dynamic_segment(file, &segment))
        return false;
    uint64_t address = 0, size = 0;
    Elf64_Dyn entry;
    for (size_t i = 0; i < DYNAMIC_MAX && (i + 1) * sizeof entry <= segment.p_filesz; i++) {
        if (!elf_file_get(file, &entry, sizeof entry, segment.p_offset + i * sizeof entry) ||
            entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_RELA)
            address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_RELASZ)
            size = entry.d_un.d_val;
    }
    ret->count = size / sizeof(Elf64_Rela);
    return ret->count && elf_file_offset(file, address, &ret->offset) &&
           ret->count <= (file->size - ret->offset) / sizeof(Elf64_Rela);
}

static bool is_relative(const struct elf_file *file, const Elf64_Rela *relocation)
{
    uint32_t relative =
        file->header.e_machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    return ELF64_R_TYPE(relocation->r_info) == relative;
}

bool fatbin_relocation_at(struct elf_file *file, const struct fatbin_relocations *relocations,
                          uint64_t address, uint64_t *ret)
{
    uint64_t low = 0, high = relocations->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        Elf64_Rela relocation;
        if (!elf_file_get(file, &relocation, sizeof relocation,
                          relocations->offset + middle * sizeof relocation))
            return false;
        if (!is_relative(file, &relocation) || relocation.r_offset > address) {
            high = middle;
        } else if (relocation.r_offset < address) {
            low = middle + 1;
        } else {
            *ret = (uint64_t)relocation.r_addend;
            return true;
        }
    }
    return false;
}

/* The symbol stands in a section of an object file; its value counts from there. */
static bool symbol_offset(struct elf_file *file, const Elf64_Shdr *symbols, uint64_t number,
                          uint64_t *ret)
{
    Elf64_Sym symbol;
    Elf64_Shdr section;
    if (number >= symbols->sh_size / sizeof symbol ||
        !elf_file_get(file, &symbol, sizeof symbol, symbols->sh_offset + number * sizeof symbol) ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
        !elf_file_section(file, symbol.st_shndx, &section))
        return false;
    *ret = section.sh_offset + symbol.st_value;
    return true;
}

static void each_of_table(struct elf_file *file, const Elf64_Shdr *table,
                          void (*each)(void *data, uint64_t place, uint64_t target), void *data)
{
    Elf64_Shdr symbols;
    Elf64_Rela relocation;
    uint64_t count = table->sh_size / sizeof relocation;
    if (!elf_file_section(file, table->sh_link, &symbols))
        return;
    if (count > OBJECT_RELOCATIONS_MAX)
        count = OBJECT_RELOCATIONS_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t symbol;
        if (!elf_file_get(file, &relocation, sizeof relocation,
                          table->sh_offset + i * sizeof relocation))
            return;
        if (symbol_offset(file, &symbols, ELF64_R_SYM(relocation.r_info), &symbol))
            each(data, relocation.r_offset, symbol + (uint64_t)relocation.r_addend);
    }
}

void fatbin_each_object_relocation(struct elf_file *file, size_t number,
                                   void (*each)(void *data, uint64_t place, uint64_t target),
                                   void *data)
{
    Elf64_Shdr table;
    for (size_t i = 1; i < file->section_count; i++)
        if (elf_file_section(file, i, &table) && table.sh_type == SHT_RELA &&
            table.sh_info == number) {
            each_of_table(file, &table, each, data);
            return;
        }
}
