#include "base/pci_address.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool hex_run(const char **s, size_t least, size_t most, char *out)
{
    size_t n = strspn(*s, "0123456789abcdefABCDEF");
    if (n < least || n > most)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = (*s)[i];
        out[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    }
    out[n] = '\0';
    *s += n;
    return true;
}

char *pci_address(const char *text, struct arena *arena)
{
    char domain[9], bus[3], device[3], function[2];
    const char *s = text;
    if (!hex_run(&s, 4, 8, domain) || *s++ != ':' || !hex_run(&s, 2, 2, bus) || *s++ != ':' ||
        !hex_run(&s, 2, 2, device) || *s++ != '.' || !hex_run(&s, 1, 1, function) || *s)
        return NULL;
    /* NVML writes eight digits; a domain that needs more than four (VMD) keeps them */
    const char *start = domain;
    while (strlen(start) > 4 && *start == '0')
        start++;
    return arena_printf(arena, "%s:%s:%s.%s", start, bus, device, function);
}
