/* Files of container engines and of the kernel about mounts; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/cdi.h"
#include "parse/docker_daemon.h"
#include "parse/mountinfo.h"
#include "parse/release_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mounts(const char *text, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct mount_line line;
    while (parse_mount_line(text, size, &cursor, arena, &line)) {
        if (line.path && (*line.path != '/' || !line.type || !line.options || !line.super_options))
            abort();
        if (line.path)
            mount_option(line.options, "ro");
    }
}

static void cdi(const char *text, size_t size, struct arena *arena)
{
    struct cdi_spec spec;
    if (!parse_cdi(text, size, arena, &spec))
        return;
    if (spec.path_count > CDI_PATHS_MAX)
        abort();
    for (size_t i = 1; i < spec.path_count; i++)
        if (strcmp(spec.paths[i - 1], spec.paths[i]) >= 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct docker_daemon daemon;
    struct dgx_release dgx;
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size--;
    switch (data[0] % 5) {
    case 0:
        mounts(text, size, &arena);
        break;
    case 1:
        cdi(text, size, &arena);
        break;
    case 2:
        if (parse_docker_daemon(text, size, &arena, &daemon) && *daemon.message)
            abort();
        break;
    case 3:
        parse_l4t_release(text, size, &arena);
        break;
    default:
        parse_dgx_release(text, size, &arena, &dgx);
    }
    arena_done(&arena);
    return 0;
}
