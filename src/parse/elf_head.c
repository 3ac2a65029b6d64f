#include "parse/elf_head.h"

#include <string.h>

bool parse_elf_head(const char *data, size_t size, struct elf_head *ret)
{
    const unsigned char *b = (const unsigned char *)data;
    if (size < ELF_HEAD || memcmp(data, "\177ELF", 4) != 0 || (b[4] != 1 && b[4] != 2))
        return false;
    ret->bits = b[4] == 2 ? 64 : 32;
    /* e_machine lies at 18 in both classes; b[5] == 2 is big endian */
    int machine = b[5] == 2 ? b[18] << 8 | b[19] : b[19] << 8 | b[18];
    switch (machine) {
    case 3:
        ret->arch = "i386";
        break;
    case 21:
        ret->arch = b[5] == 2 ? "ppc64" : "ppc64le";
        break;
    case 22:
        ret->arch = "s390x";
        break;
    case 40:
        ret->arch = "arm";
        break;
    case 62:
        ret->arch = "x86_64";
        break;
    case 183:
        ret->arch = "aarch64";
        break;
    case 243:
        ret->arch = "riscv64";
        break;
    default:
        ret->arch = NULL;
    }
    return true;
}

static uint64_t little(const char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i > 0; i--)
        value = value << 8 | (unsigned char)at[i - 1];
    return value;
}

/* Field offsets: System V ABI, chapter 4; e_shoff 40, e_shentsize 58, e_shnum 60. */
bool parse_elf_sections(const char *data, size_t size, struct elf_sections *ret)
{
    struct elf_head head;
    if (size < ELF64_HEADER || !parse_elf_head(data, size, &head) || head.bits != 64 ||
        data[5] != 1 || little(data + 58, 2) != ELF64_SECTION)
        return false;
    ret->offset = little(data + 40, 8);
    ret->count = (size_t)little(data + 60, 2);
    return ret->offset > 0 && ret->offset <= INT64_MAX / 2 && ret->count > 0;
}

/* sh_type 4 (1: PROGBITS), sh_flags 8 (2: ALLOC alone), sh_offset 24, sh_size 32. */
bool parse_elf_constants(const char header[ELF64_SECTION], uint64_t *ret_offset, uint64_t *ret_size)
{
    uint64_t flags = little(header + 8, 8);
    /* 0x10 and 0x20 mark sections of mergeable constants and strings */
    if (little(header + 4, 4) != 1 || (flags & ~(uint64_t)0x30) != 2)
        return false;
    *ret_offset = little(header + 24, 8);
    *ret_size = little(header + 32, 8);
    return *ret_offset <= INT64_MAX / 2 && *ret_size <= INT64_MAX / 2;
}

/* System V ABI, chapter 4: e_shstrndx 62 */
size_t elf_names_section(const char header[ELF64_HEADER])
{
    return (size_t)little(header + 62, 2);
}

/* sh_name 0, sh_offset 24, sh_size 32 */
void elf_section_place(const char section[ELF64_SECTION], uint32_t *ret_name, uint64_t *ret_offset,
                       uint64_t *ret_size)
{
    *ret_name = (uint32_t)little(section, 4);
    *ret_offset = little(section + 24, 8);
    *ret_size = little(section + 32, 8);
}
