/* The parsers of /proc- and /etc-like text; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pci_address.h"
#include "parse/elf_head.h"
#include "parse/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void modules(const char *text, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct module_line line;
    while (parse_module_line(text, size, &cursor, arena, &line))
        if (line.name && (!*line.name || strlen(line.name) > 64))
            abort();
}

static void nvrm(const char *text, size_t size, struct arena *arena)
{
    struct nvrm_version version;
    if (parse_nvrm_version(text, size, arena, &version) && !is_driver_version(version.version))
        abort();
}

static void one_line(const char *text, size_t size, struct arena *arena)
{
    char *copy = arena_strndup(arena, text, size);
    char *address = pci_address(copy, arena);
    if (address && !pci_address(address, arena))
        abort();
    is_driver_version(copy);
    wsl_of_release(copy);
}

static void elf_headers(const char *text, size_t size)
{
    struct elf_head elf;
    struct elf_sections sections;
    uint64_t offset, length;
    parse_elf_head(text, size, &elf);
    if (parse_elf_sections(text, size, &sections) && size >= ELF64_HEADER + ELF64_SECTION)
        parse_elf_constants(text + ELF64_HEADER, &offset, &length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size--;
    struct arena arena = {0};
    struct os_release os;
    struct gpu_information gpu;
    switch (data[0] % 8) {
    case 0:
        nvrm(text, size, &arena);
        break;
    case 1:
        modules(text, size, &arena);
        break;
    case 2:
        parse_os_release(text, size, &arena, &os);
        break;
    case 3:
        parse_gpu_information(text, size, &arena, &gpu);
        break;
    case 4:
        parse_proc_version(text, size, &arena);
        break;
    case 5:
        parse_tegra_release(text, size);
        parse_tegra_compatible(text, size);
        break;
    case 6:
        one_line(text, size, &arena);
        break;
    default:
        elf_headers(text, size);
    }
    arena_done(&arena);
    return 0;
}
