/* Small files of a machine: limits, batch systems, drivers of OpenCL and EGL, compilers; the first
 * byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/compiler_name.h"
#include "parse/host_config.h"
#include "parse/icd_json.h"
#include "parse/proc_limits.h"
#include "parse/slurm_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void limits(const char *text, size_t size, struct arena *arena)
{
    struct limit limit;
    parse_proc_limit(text, size, "Max open files", &limit);
    if (parse_cgroup_limit(text, size, &limit) && limit.unlimited == limit.soft.known)
        abort();
    char *path = parse_cgroup_path(text, size, NULL, arena);
    if (path && (path[0] != '/' || strstr(path, "/../")))
        abort();
    parse_cgroup_path(text, size, "memory", arena);
}

static void mounts(const char *text, size_t size)
{
    struct shm_mount shm;
    parse_shm_mount(text, size, parse_memory_total(text, size), &shm);
    if (shm.bytes.known && (!shm.found || shm.bytes.value < 0))
        abort();
    parse_shm_mount(text, size, known(1 << 30), &shm);
}

static void slurm(const char *text, size_t size, struct arena *arena)
{
    struct span value;
    if (parse_slurm_value(text, size, "TaskPlugin", &value) &&
        (value.data < text || value.data + value.length > text + size))
        abort();
    parse_gres_gpus(text, size);
    const char *copy = arena_strndup(arena, text, size);
    parse_gpu_list_count(copy);
    parse_gpu_count(copy);
}

static void header(const char *text, size_t size, struct arena *arena)
{
    struct host_config config;
    if (parse_host_config(text, size, arena, &config) &&
        ((config.gcc.evidence && !utf8_valid(config.gcc.evidence, strlen(config.gcc.evidence))) ||
         config.gcc.max_major.value > 1000))
        abort();
}

static void compiler(const char *text, size_t size, struct arena *arena)
{
    struct compiler_name name;
    parse_compiler_name(arena_strndup(arena, text, size), arena, &name);
    if (name.version && !name.name)
        abort();
    char *version = parse_version_literal(text, size, 12, arena);
    if (version && compiler_major(version) != 12)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size--;
    struct arena arena = {0};
    switch (data[0] % 7) {
    case 0:
        limits(text, size, &arena);
        break;
    case 1:
        mounts(text, size);
        break;
    case 2:
        slurm(text, size, &arena);
        break;
    case 3:
        parse_icd_json(text, size, &arena);
        break;
    case 4:
        parse_icd_line(text, size, &arena);
        break;
    case 5:
        header(text, size, &arena);
        break;
    default:
        compiler(text, size, &arena);
    }
    arena_done(&arena);
    return 0;
}
