/* The parts of a record: the first byte says which part the rest is. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const parts[] = {"environ", "uname", "glibc",    "user",
                                    "cwd",     "dev",   "services", "dmesg"};
static char root[64];

static void remove_root(void)
{
    char path[128];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/.record/%s", root, parts[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/.record", root);
    rmdir(path);
    rmdir(root);
}

static void make_root(void)
{
    char path[128];
    snprintf(root, sizeof root, "/tmp/gpudoctor-fuzz-XXXXXX");
    if (!mkdtemp(root))
        abort();
    snprintf(path, sizeof path, "%s/.record", root);
    if (mkdir(path, 0755) < 0)
        abort();
    atexit(remove_root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!root[0])
        make_root();
    if (size == 0)
        return 0;
    char path[128];
    snprintf(path, sizeof path, "%s/.record/%s", root,
             parts[data[0] % (sizeof parts / sizeof *parts)]);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        abort();
    close(fd);

    struct machine *machine;
    struct arena arena = {0};
    struct machine_devices devices;
    struct machine_services services;
    struct bytes log = {0};
    const char *const names[] = {"a", "nvidia-persistenced"};
    if (machine_open_root(root, &machine, NULL) == 0) {
        machine_devices(machine, &arena, &devices);
        machine_services(machine, names, 2, &arena, &services);
        if (machine_kernel_log(machine, 100, &log) == 0)
            bytes_done(&log);
        machine_free(machine);
    }
    arena_done(&arena);
    unlink(path);
    return 0;
}
