/* The loader's own words: glibc, elf/dl-load.c and elf/dl-minimal.c. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "loader/process_parts.h"

/* Before the C library is there, the loader knows the names of few errors. */
static const char *error_name(const struct loader_process *process, int error)
{
    if (!process->names->is_starting || error == -ENOENT || error == -EACCES || error == -EPERM ||
        error == -EIO || error == -ENOMEM || error == -EINVAL) {
        const char *name = strerrordesc_np(-error);
        return name ? name : "Unknown error";
    }
    return arena_printf(process->arena, "Error %d", -error);
}

/* What mapping complains of names the request; what reading the header does, the file. */
static bool is_of_mapping(const char *reason)
{
    return text_starts(reason, "object file has no") || text_starts(reason, "ELF load command");
}

const char *loader_message(const struct loader_process *process, const char *name,
                           const struct loader_found *found)
{
    struct arena *arena = process->arena;
    const struct loader_file *file = found->file;
    if (file && file->class == LOADER_FATAL) {
        const char *who = is_of_mapping(file->reason) ? name : found->shown;
        return file->error < 0 ? arena_printf(arena, "%s: %s: %s", who, file->reason,
                                              error_name(process, file->error))
                               : arena_printf(arena, "%s: %s", who, file->reason);
    }
    if (found->is_other_class)
        return arena_printf(arena, "%s: wrong ELF class: ELFCLASS32", name);
    /* nothing was tried at all: no cache, no folders */
    if (!found->error)
        return arena_printf(arena, "%s: cannot open shared object file", name);
    return arena_printf(arena, "%s: cannot open shared object file: %s", name,
                        error_name(process, found->error));
}

const char *loader_refusal(const struct loader_process *process, const struct loader_file *file)
{
    uint64_t flags = file->object.flags_1;
    if (file->type != ET_DYN)
        return "cannot dynamically load executable";
    if (flags & DF_1_PIE)
        return "cannot dynamically load position-independent executable";
    if (flags & DF_1_NOOPEN && !process->names->is_starting)
        return "shared object cannot be dlopen()ed";
    return NULL;
}
