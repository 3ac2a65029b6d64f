#include "probe/scan.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/read.h"
#include "parse/elf_head.h"

enum { SECTIONS_MAX = 256 };

static int scan_range(int fd, uint64_t start, uint64_t size, size_t overlap, scan_found found,
                      void *data)
{
    CLEANUP_FREE char *buffer = xmalloc(SCAN_CHUNK);
    for (uint64_t at = 0; at < size; at += SCAN_CHUNK - overlap) {
        size_t want = size - at < SCAN_CHUNK ? (size_t)(size - at) : SCAN_CHUNK;
        ssize_t n = read_at(fd, buffer, want, start + at);
        if (n < 0)
            return (int)n;
        if (found(data, buffer, (size_t)n))
            return 1;
        if ((size_t)n < SCAN_CHUNK)
            break;
    }
    return 0;
}

int scan_file(const struct machine *machine, const char *path, size_t cap, size_t overlap,
              scan_found found, void *data)
{
    CLEANUP_CLOSE int fd = -1;
    int code = machine_open(machine, path, &fd);
    return code < 0 ? code : scan_range(fd, 0, cap, overlap, found, data);
}

/* 1 found, 0 not, or a negative errno; *ret_any says whether there were such sections at all. */
static int scan_constants(int fd, size_t cap, size_t overlap, scan_found found, void *data,
                          bool *ret_any)
{
    char header[ELF64_HEADER], table[SECTIONS_MAX * ELF64_SECTION];
    struct elf_sections sections;
    ssize_t n = read_at(fd, header, sizeof header, 0);
    if (n < 0 || !parse_elf_sections(header, (size_t)n, &sections) || sections.count > SECTIONS_MAX)
        return n < 0 ? (int)n : 0;
    n = read_at(fd, table, sections.count * ELF64_SECTION, sections.offset);
    if (n < 0)
        return (int)n;
    size_t count = (size_t)n / ELF64_SECTION;
    for (size_t i = 0; i < count && cap; i++) {
        uint64_t offset, size;
        if (!parse_elf_constants(table + i * ELF64_SECTION, &offset, &size))
            continue;
        *ret_any = true;
        size = size < cap ? size : cap;
        cap -= (size_t)size;
        int code = scan_range(fd, offset, size, overlap, found, data);
        if (code != 0)
            return code;
    }
    return 0;
}

int scan_program(const struct machine *machine, const char *path, size_t cap, size_t overlap,
                 scan_found found, void *data)
{
    CLEANUP_CLOSE int fd = -1;
    int code = machine_open(machine, path, &fd);
    if (code < 0)
        return code;
    bool any = false;
    code = scan_constants(fd, cap, overlap, found, data, &any);
    return code != 0 || any ? code : scan_range(fd, 0, cap, overlap, found, data);
}
