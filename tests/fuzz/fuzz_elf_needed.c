/* DT_NEEDED of any bytes. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/needed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    struct arena arena = {0};
    struct elf_names names;
    struct error err;
    if (write(fd, data, size) == (ssize_t)size)
        (void)elf_needed(fd, &arena, &names, &err);
    arena_done(&arena);
    close(fd);
    return 0;
}
