/* The simulated loader: a search path, a name, and a shared object, which lies in a small tree
 * under three names. It is started as a program, opened, and its symbols are looked up. */
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[] = "/tmp/gpudoctor-fuzz-XXXXXX";
static bool is_made;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void remove_root(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *name, const void *data, size_t size)
{
    char path[sizeof root + 64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

static void make_root(void)
{
    static const char *const folders[] = {".record", "opt", "opt/sub", "usr", "usr/lib"};
    if (is_made)
        return;
    is_made = true;
    if (!mkdtemp(root))
        abort();
    atexit(remove_root);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[sizeof root + 64];
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        if (mkdir(path, 0755) != 0)
            abort();
    }
    put(".record/uname", "Linux 6 #1 x86_64\n", 18);
    put(".record/cwd", "/opt\n", 5);
}

static void check(const struct loader_process *process)
{
    for (size_t i = 0; i < process->object_count; i++)
        if (process->objects[i].path[0] != '/' || process->objects[i].origin[0] != '/' ||
            process->objects[i].file->class != LOADER_FITS)
            abort();
    for (size_t i = 0; i < process->request_count; i++) {
        const struct loader_request *request = &process->requests[i];
        bool is_answered = request->object < process->object_count;
        if (!is_answered && request->object != SIZE_MAX)
            abort();
        if (is_answered == (request->error || request->is_lacking))
            abort();
    }
}

static void load(const struct loader_world *world, struct loader_store *store, struct arena *arena,
                 const char *program, const char *name)
{
    static const char *const sonames[] = {"lib", NULL};
    static const struct loader_prefix prefixes[] = {{"f", sonames}, {"f1", sonames}};
    struct loader_process process;
    if (loader_process_start(&process, world, store, arena, program) < 0 && !process.object_count)
        return;
    check(&process);
    loader_process_open(&process, name, SIZE_MAX, 0);
    size_t opened = loader_process_open(&process, "/opt/liba.so.1", SIZE_MAX, LOADER_GLOBAL);
    loader_process_open(&process, name, process.requests[opened].object, 0);
    check(&process);
    for (size_t i = 0; i < process.object_count; i++) {
        struct loader_symbols symbols;
        if (!process.objects[i].is_removed)
            loader_check_symbols(&process, i, true, prefixes, 2, &symbols);
    }
    loader_process_find(&process, name);
}

/* A text up to its NUL, which it must have. */
static const char *take(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? memchr(*data, 0, *size) : NULL;
    const char *text = (const char *)*data;
    if (!end)
        return NULL;
    *size -= (size_t)(end + 1 - *data);
    *data = end + 1;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine *machine;
    struct arena arena = {0};
    struct loader_world world;
    struct error err;
    const char *list = take(&data, &size), *name = list ? take(&data, &size) : NULL;
    if (!name)
        return 0;
    make_root();
    put("opt/liba.so.1", data, size);
    put("opt/sub/libb.so.1", data, size);
    put("usr/lib/libc.so.6", data, size);
    if (machine_open_root(root, &machine, &err) < 0)
        abort();
    loader_world_read(machine, &arena, &world);
    world.library_path = *list ? list : NULL;
    world.preload = *name ? name : NULL;
    struct loader_store *store = loader_store_new(machine, world.elf_machine);
    load(&world, store, &arena, "/opt/liba.so.1", name);
    world.preload = NULL;
    load(&world, store, &arena, NULL, name);
    loader_store_free(store);
    machine_free(machine);
    arena_done(&arena);
    return 0;
}
