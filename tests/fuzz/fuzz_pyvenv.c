/* pyvenv.cfg of any bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/pyvenv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct pyvenv found;
    pyvenv_parse((const char *)data, size, &arena, &found);
    if (found.version && strspn(found.version, "0123456789.") != strlen(found.version))
        abort();
    if (found.home && strpbrk(found.home, "\n\x1b"))
        abort();
    arena_done(&arena);
    return 0;
}
