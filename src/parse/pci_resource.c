#include "parse/pci_resource.h"

#include "base/span.h"

enum { WINDOWS = 6, FLAG_MEMORY = 0x200 }; /* IORESOURCE_MEM of the kernel's ioport.h */

static bool hex_number(struct span text, uint64_t *ret)
{
    if (!span_cut_prefix(&text, "0x") || !text.length || text.length > 16)
        return false;
    *ret = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *ret = *ret << 4 | (uint64_t)digit;
    }
    return true;
}

struct opt pci_largest_window(const char *data, size_t size)
{
    size_t cursor = 0;
    uint64_t largest = 0;
    struct span line, word;
    for (size_t i = 0; i < WINDOWS; i++) {
        uint64_t field[3];
        if (!span_line(data, size, &cursor, &line))
            return i ? known((int64_t)(largest >> 20)) : UNKNOWN;
        for (size_t k = 0; k < 3; k++)
            if (!span_word(&line, &word) || !hex_number(word, &field[k]))
                return UNKNOWN;
        uint64_t start = field[0], end = field[1];
        if (!(field[2] & FLAG_MEMORY) || end <= start)
            continue;
        uint64_t bytes = end - start + 1;
        if (bytes > largest)
            largest = bytes;
    }
    return known((int64_t)(largest >> 20));
}
