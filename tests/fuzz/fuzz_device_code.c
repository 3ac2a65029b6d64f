/* The scanner of device code, in both depths. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/device_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void scan(int fd, enum device_scan how)
{
    struct arena arena = {0};
    struct device_code code;
    struct error err;
    if (device_code_scan(fd, how, &arena, &code, &err) == 0)
        for (size_t i = 0; i < code.target_count; i++)
            (void)device_target_name(&code.targets[i], &arena);
    arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    if (write(fd, data, size) == (ssize_t)size) {
        scan(fd, DEVICE_SCAN_HEADERS);
        scan(fd, DEVICE_SCAN_DEEP);
    }
    close(fd);
    return 0;
}
