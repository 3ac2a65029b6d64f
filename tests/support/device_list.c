/* Prints the device code of files, one target a line: for scripts/test-archs, and to measure the
 * scanner by itself. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "elf/device_code.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void print_target(const struct device_target *target, struct arena *arena)
{
    static const char *const places[] = {"linked", "relocatable", "stub"};
    printf("target %s %s isa %u.%u-%u.%u entries %" PRIu64 " containers %" PRIu64 " bytes %" PRIu64
           "\n",
           places[target->place], device_target_name(target, arena), target->isa_low_major,
           target->isa_low_minor, target->isa_major, target->isa_minor, target->entries,
           target->containers, target->bytes);
}

static int list(const char *path, enum device_scan how)
{
    CLEANUP(arena_done) struct arena arena = {0};
    struct error err = {{0}};
    struct device_code code;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        printf("error %s: cannot be opened\n", path);
        return 1;
    }
    double start = now();
    int r = device_code_scan(fd, how, 0, &arena, &code, &err);
    double took = now() - start;
    if (r < 0) {
        printf("error %s: %d: %s\n", path, r, err.text);
        return 1;
    }
    printf("file %s\n", path);
    for (size_t i = 0; i < code.target_count; i++)
        print_target(&code.targets[i], &arena);
    printf("sum containers %" PRIu64 " entries %" PRIu64 "\n", code.containers, code.entries);
    printf("cost ms %.3f read %" PRIu64 "\n", took, code.bytes_read);
    if (code.problem)
        printf("problem %s\n", code.problem);
    return 0;
}

int main(int argc, char **argv)
{
    enum device_scan how = DEVICE_SCAN_HEADERS;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--deep") == 0)
            how = DEVICE_SCAN_DEEP;
        else
            failed |= list(argv[i], how);
    }
    return failed;
}
