/* The scanner of device code, in both depths. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/device_tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each entry is counted once, and in a container. */
static void check(const struct device_code *code, struct arena *arena)
{
    uint64_t entries = 0;
    for (size_t i = 0; i < code->target_count; i++) {
        const struct device_target *target = &code->targets[i];
        bool is_ptx = target->kind == DEVICE_PTX;
        entries += target->entries;
        if (!target->containers || target->containers > target->entries ||
            target->containers > code->containers || !*device_target_name(target, arena))
            abort();
        if (target->isa_low_major > target->isa_major || (!is_ptx && target->isa_major))
            abort();
    }
    if (entries != code->entries || code->target_count > DEVICE_TARGETS_MAX ||
        code->entries > DEVICE_ENTRIES_MAX || code->containers > DEVICE_CONTAINERS_MAX)
        abort();
}

static void scan(int fd, enum device_scan how)
{
    struct arena arena = {0};
    struct device_code code;
    struct error err = {0};
    int r = device_code_scan(fd, how, 0, &arena, &code, &err);
    if (r < 0 && ((r != -ENOEXEC && r != -EBADMSG) || !*err.text))
        abort();
    check(&code, &arena);
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
