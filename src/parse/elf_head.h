/* The first bytes of an ELF file: what machine it is for. */
#ifndef PARSE_ELF_HEAD_H
#define PARSE_ELF_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_HEAD = 20 }; /* bytes up to and with e_machine */

struct elf_head {
    int bits;         /* 64 or 32 */
    const char *arch; /* "x86_64", "aarch64", "i386", ...; NULL for one not known here */
};
bool parse_elf_head(const char *data, size_t size, struct elf_head *ret);

/* Where a 64-bit little-endian file has its section headers. */
enum { ELF64_HEADER = 64, ELF64_SECTION = 64 };
struct elf_sections {
    uint64_t offset;
    size_t count; /* of headers, ELF64_SECTION bytes each */
};
bool parse_elf_sections(const char *data, size_t size, struct elf_sections *ret);

/* One section header; true when it holds constants (.rodata and the like: loaded, neither written
 * nor executed), and then where they lie in the file. */
bool parse_elf_constants(const char header[ELF64_SECTION], uint64_t *ret_offset,
                         uint64_t *ret_size);

/* Number of the section that holds the sections' names; `header` is the file's first bytes, which
 * parse_elf_sections() has accepted. */
size_t elf_names_section(const char header[ELF64_HEADER]);
/* Where the section's name is among the names, and where in the file the section lies. */
void elf_section_place(const char section[ELF64_SECTION], uint32_t *ret_name, uint64_t *ret_offset,
                       uint64_t *ret_size);

#endif
