/* The device code that frameworks bring, and that of files which were named. Files are searched
 * once each, however many environments share them by hard or symbolic links. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "library/device_find.h"
#include "library/device_scan.h"
#include "probe/probe.h"

struct search {
    struct probe_context *context;
    struct reach reach;
    struct device_owners owners;
    size_t *file_of; /* number of each owner's file */
    struct device_file *files;
    size_t file_count;
};

/* --- each file once --- */

/* A file that cannot be looked at is nobody's other. */
static struct device_file look_at(struct search *search, const struct device_owner *owner)
{
    struct file_stat status;
    struct probe_context *context = search->context;
    struct device_file file = {
        .path = owner->path,
        .how = owner->framework_id ? DEVICE_SCAN_HEADERS : DEVICE_SCAN_DEEP,
    };
    file.is_left = owner->is_open || reach_is_out(&search->reach, owner->path);
    if (!file.is_left && machine_stat(context->machine, owner->path, &status) == 0) {
        file.device = status.device;
        file.inode = status.inode;
        file.size = status.size;
    }
    return file;
}

static bool is_same(const struct device_file *a, const struct device_file *b)
{
    return a->inode && a->inode == b->inode && a->device == b->device && a->how == b->how;
}

static void gather_files(struct search *search)
{
    size_t count = search->owners.count;
    search->files = xcalloc(count + 1, sizeof *search->files);
    search->file_of = xcalloc(count + 1, sizeof *search->file_of);
    for (size_t i = 0; i < count; i++) {
        struct device_file file = look_at(search, &search->owners.items[i]);
        size_t k = 0;
        while (k < search->file_count && !is_same(&search->files[k], &file))
            k++;
        if (k == search->file_count)
            search->files[search->file_count++] = file;
        search->file_of[i] = k;
    }
}

/* --- rows --- */

static const char *version_text(struct arena *arena, unsigned major, unsigned minor)
{
    return major || minor ? arena_printf(arena, "%u.%u", major, minor) : NULL;
}

static void add_target(struct probe_context *context, const struct device_owner *owner,
                       const struct device_target *target)
{
    static const char *const kinds[] = {[DEVICE_CUBIN] = "cubin",
                                        [DEVICE_PTX] = "ptx",
                                        [DEVICE_LTO] = "lto",
                                        [DEVICE_OTHER] = "other"};
    static const char *const places[] = {
        [DEVICE_LINKED] = "linked", [DEVICE_RELOCATABLE] = "relocatable", [DEVICE_STUB] = "stub"};
    struct arena *arena = context->arena;
    facts_add_device_code(
        context->facts,
        &(struct row_device_code){
            .environment_id = owner->environment_id,
            .framework_id = owner->framework_id,
            .path = owner->path,
            .kind = kinds[target->kind],
            .target = device_target_name(target, arena),
            .cc = version_text(arena, target->sm / 10, target->sm % 10),
            .suffix = target->suffix == 'a'   ? "a"
                      : target->suffix == 'f' ? "f"
                                              : NULL,
            .isa = version_text(arena, target->isa_major, target->isa_minor),
            .isa_low = version_text(arena, target->isa_low_major, target->isa_low_minor),
            .place = places[target->place],
            .containers = known((int64_t)target->containers),
            .entries = known((int64_t)target->entries),
            .bytes = known((int64_t)target->bytes),
        });
}

static void add_file(struct probe_context *context, const struct device_owner *owner,
                     const struct device_file *file)
{
    bool is_read = file->code == 0;
    facts_add_device_file(
        context->facts,
        &(struct row_device_file){
            .environment_id = owner->environment_id,
            .framework_id = owner->framework_id,
            .path = owner->path,
            .status = device_file_status(file),
            .deep = is_read ? known(file->found.is_deep) : UNKNOWN,
            .size = file->inode ? known((int64_t)file->size) : UNKNOWN,
            .bytes_read = is_read ? known((int64_t)file->found.bytes_read) : UNKNOWN,
            .containers = is_read ? known((int64_t)file->found.containers) : UNKNOWN,
            .entries = is_read ? known((int64_t)file->found.entries) : UNKNOWN,
            .problem = is_read                                ? file->found.problem
                       : file->is_opened && *file->error.text ? file->error.text
                                                              : NULL,
        });
    for (size_t i = 0; is_read && i < file->found.target_count; i++)
        add_target(context, owner, &file->found.targets[i]);
}

/* The rows above say of each file what became of it, so that no table is blind for lack of them:
 * what is not in the files may still be on record. */
static void note_file(struct probe_context *context, const struct device_owner *owner,
                      const struct device_file *file)
{
    if (file->code < 0 && !file->is_left)
        probe_note(context, "device_code", owner->environment_id, owner->path, file->code, NULL,
                   file->is_opened && *file->error.text ? file->error.text : NULL);
}

static int run(struct probe_context *context)
{
    struct search search = {.context = context};
    const struct probe_options *options = context->options;
    reach_read(context, NULL, &search.reach);
    device_owners_find(context, &search.reach, &search.owners);
    for (size_t i = 0; i < options->code_file_count; i++) {
        reach_visited(&search.reach, options->code_files[i]);
        device_owners_add(&search.owners, NULL, NULL, options->code_files[i]);
    }
    if (search.owners.is_cut)
        probe_note_status(context, "device_code", NULL, NULL, "malformed",
                          "device_file device_code",
                          "more files than are searched for device code");
    gather_files(&search);
    device_files_scan(context, search.files, search.file_count);
    for (size_t i = 0; i < search.owners.count; i++) {
        const struct device_owner *owner = &search.owners.items[i];
        const struct device_file *file = &search.files[search.file_of[i]];
        add_file(context, owner, file);
        note_file(context, owner, file);
    }
    probe_note_status(context, "device_code", NULL, NULL, "ok", "device_file device_code", NULL);
    reach_note(&search.reach, "device_code", "device_file device_code",
               "this file lies on another machine, as others may: not searched for device code; "
               "--all-envs searches it, too");
    reach_done(&search.reach);
    device_files_done(search.files, search.file_count);
    device_owners_done(&search.owners);
    free(search.files);
    free(search.file_of);
    return 0;
}

const struct probe probe_device_code = {
    .name = "device_code",
    .phase = PHASE_DERIVED,
    .reads = "environment search_path package framework",
    .writes = "device_file device_code",
    .run = run,
};
