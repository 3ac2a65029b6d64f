/* Descriptors of any bytes: as a framework's, and as a known library's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "library/load_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_load(const struct load_spec *spec)
{
    if (spec->step_count > LOAD_STEPS_MAX || !spec->name)
        abort();
    for (size_t i = 0; i < spec->step_count; i++) {
        const struct load_step *step = &spec->steps[i];
        if (step->kind == LOAD_AFTER ? !step->after : !step->path_count)
            abort();
        for (size_t k = 0; k < step->path_count; k++)
            if (!*step->paths[k] || *step->paths[k] == '/')
                abort();
    }
    for (size_t i = 0; i < spec->device_count; i++)
        if (!strchr(spec->device[i].path, '/'))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct error err;
    struct load_spec load;
    struct library_spec library;
    CLEANUP_FREE char *text = xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (load_spec_parse(text, &arena, &load, &err) == 0)
        check_load(&load);
    if (library_spec_parse(text, &arena, &library, &err) == 0) {
        struct library_set set = {&library, 1};
        if (!library.soname_count || library_set_find(&set, library.sonames[0]) != &library)
            abort();
    }
    arena_done(&arena);
    return 0;
}
