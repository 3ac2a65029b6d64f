/* Files about kernel modules and about the hardware; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/cpu.h"
#include "parse/dkms_log.h"
#include "parse/modinfo.h"
#include "parse/modprobe_conf.h"
#include "parse/pci_resource.h"
#include "system/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void modinfo(const char *text, size_t size, bool whole, struct arena *arena)
{
    struct modinfo info = {0};
    parse_modinfo(text, size, whole, arena, &info);
    if (modinfo_complete(&info) && (!*info.version || !*info.vermagic))
        abort();
    module_is_signed(text, size);
    if (size >= ELF64_HEADER) {
        uint32_t name;
        uint64_t offset, length;
        elf_names_section(text);
        elf_section_place(text, &name, &offset, &length);
    }
}

static void modprobe(const char *text, size_t size)
{
    size_t cursor = 0;
    struct modprobe_line line;
    struct span name, value;
    while (modprobe_next(text, size, &cursor, &line)) {
        if (!line.command.length || !line.module.length)
            abort();
        gpu_module_name(line.module.data, line.module.length);
        struct span rest = line.rest;
        while (modprobe_word(&rest, &name, &value))
            if (name.data < text || name.data + name.length > text + size ||
                (value.data && value.data + value.length > text + size))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size--;
    struct arena arena = {0};
    struct dkms_log log;
    switch (data[0] % 5) {
    case 0:
        modinfo(text, size, size % 2, &arena);
        break;
    case 1:
        modprobe(text, size);
        break;
    case 2:
        parse_dkms_log(text, size, &arena, &log);
        if (log.failure && strlen(log.failure) > 300)
            abort();
        break;
    case 3:
        cpu_alias_hypervisor(text, size);
        cpu_info_hypervisor(text, size);
        break;
    default:
        if (pci_largest_window(text, size).value < 0)
            abort();
    }
    arena_done(&arena);
    return 0;
}
