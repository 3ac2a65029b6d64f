/* cuda-compat: libcuda of a newer driver, to be used over an older kernel module. Which drivers and
 * GPUs it takes is written in an ELF note of newer ones. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "elf/note.h"
#include "parse/compat_note.h"
#include "parse/proc.h"
#include "probe/look.h"
#include "probe/reach.h"

static const char probe_name[] = "compat";
static const char tables[] = "compat_library compat_allowed";
enum { COPIES_MAX = 256, FOLDER_MAX = 4096 };

struct copies {
    struct probe_context *context;
    const char *paths[COPIES_MAX]; /* of files, links resolved */
    size_t count;
    bool is_cut;
};

/* Each file once, however many names lead to it. */
static void add_file(struct copies *copies, const char *real_path)
{
    for (size_t i = 0; i < copies->count; i++)
        if (strcmp(copies->paths[i], real_path) == 0)
            return;
    if (copies->count < COPIES_MAX)
        copies->paths[copies->count++] = real_path;
    else
        copies->is_cut = true;
}

/* What the table driver_library has: copies on the loader's path and below /usr/local/cuda*. */
static void add_known(struct copies *copies)
{
    static const char sql[] = "SELECT real_path FROM driver_library WHERE name = 'libcuda' AND "
                              "compat = 1 AND stub = 0 AND coalesce(bits, 64) = 64 AND "
                              "coalesce(size, 1) > 0 AND real_path IS NOT NULL ORDER BY rowid";
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(copies->context->facts, sql);
    while (query && sqlite3_step(query) == SQLITE_ROW)
        add_file(copies, ask_column(copies->context, query, 0));
}

static bool is_libcuda(const char *name)
{
    static const char prefix[] = "libcuda.so.";
    return text_starts(name, prefix) &&
           (strcmp(name + strlen(prefix), "1") == 0 || is_driver_version(name + strlen(prefix)));
}

/* A folder that is made for such a copy; whether the soname's link is there does not matter. */
static void add_folder(struct copies *copies, const char *folder)
{
    struct probe_context *context = copies->context;
    struct dir_list list;
    int code = machine_list(context->machine, folder, FOLDER_MAX, context->arena, &list);
    if (code < 0) {
        if (code != -ENOENT && code != -ENOTDIR)
            probe_note(context, probe_name, NULL, folder, code, tables, NULL);
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        const char *path = arena_printf(context->arena, "%s/%s", folder, list.names[i]);
        char *real_path;
        if (is_libcuda(list.names[i]) &&
            machine_realpath(context->machine, path, context->arena, &real_path) == 0)
            add_file(copies, real_path);
    }
}

/* conda's package cuda-compat puts it where the loader does not look by itself. Environments that
 * were only listed may lie on a server that is dead; what is left out there blinds no table, since
 * nothing is judged that loads from it. */
static void add_conda(struct copies *copies)
{
    static const char sql[] = "SELECT prefix, depth = 'read' FROM environment WHERE "
                              "kind = 'conda' AND prefix IS NOT NULL ORDER BY rowid";
    struct probe_context *context = copies->context;
    CLEANUP(reach_done) struct reach reach;
    reach_read(context, NULL, &reach);
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(context->facts, sql);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const char *prefix = ask_column(context, query, 0);
        const char *folder = arena_printf(context->arena, "%s/cuda-compat", prefix);
        if (sqlite3_column_int(query, 1))
            reach_visited(&reach, prefix);
        if (!reach_is_out(&reach, folder))
            add_folder(copies, folder);
    }
    reach_note(&reach, probe_name, "",
               "this folder lies on another machine, as others may: not searched for cuda-compat; "
               "--all-envs searches it, too");
}

/* --- one copy --- */

/* 1 with the text, 0 where there is no note, negative with a sentence or none. */
static int read_note(struct probe_context *context, const char *path, struct bytes *ret,
                     struct error *err)
{
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF struct elf_file file = {0};
    struct file_stat st;
    int r = machine_stat(context->machine, path, &st);
    if (r == 0)
        r = machine_open(context->machine, path, &fd);
    if (r == 0)
        r = elf_file_open(&file, fd, 0, st.size, err);
    if (r == 0)
        r = elf_note_cuda_compat(&file, ret, err);
    if (r > 0 && !utf8_valid(ret->data, ret->length)) {
        bytes_done(ret);
        r = error_set(err, -EBADMSG, "its compatibility note is no text");
    }
    return r;
}

static const char *version_of(struct probe_context *context, const char *path)
{
    const char *name = path_name(path);
    const char *version = text_starts(name, "libcuda.so.") ? name + strlen("libcuda.so.") : "";
    return is_driver_version(version) ? arena_strdup(context->arena, version) : NULL;
}

static void add_allowed(struct probe_context *context, const char *path, const char *kind,
                        const struct compat_numbers *numbers)
{
    for (size_t i = 0; i < numbers->count; i++)
        facts_add_compat_allowed(
            context->facts, &(struct row_compat_allowed){
                                .path = path, .kind = kind, .number = known(numbers->items[i])});
}

static void look_at(struct probe_context *context, const char *path)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct compat_note note = {0};
    struct error err = {0};
    int r = read_note(context, path, &text, &err);
    if (r > 0) {
        r = parse_compat_note(text.data, text.length, context->arena, &note, &err);
        if (r < 0)
            error_prefix(&err, r, "its compatibility note");
    }
    const char *problem = r >= 0 ? NULL : *err.text ? err.text : strerror(-r);
    facts_add_compat_library(context->facts, &(struct row_compat_library){
                                                 .path = path,
                                                 .version = version_of(context, path),
                                                 .cuda = note.cuda,
                                                 .note = text.data,
                                                 .problem = problem,
                                             });
    add_allowed(context, path, "driver", &note.drivers);
    add_allowed(context, path, "device", &note.devices);
    if (r == -ENOEXEC)
        r = -EBADMSG;
    if (r < 0)
        probe_note(context, probe_name, NULL, path, r, tables, problem);
}

static int run(struct probe_context *context)
{
    struct copies copies = {.context = context};
    add_known(&copies);
    add_conda(&copies);
    for (size_t i = 0; i < copies.count; i++)
        look_at(context, copies.paths[i]);
    if (copies.is_cut)
        probe_note_status(context, probe_name, NULL, NULL, "malformed", tables,
                          "more copies than are looked at");
    probe_note_status(context, probe_name, NULL, NULL, copies.count ? "ok" : "absent", tables,
                      copies.count ? NULL : "no cuda-compat");
    return 0;
}

const struct probe probe_compat = {
    .name = "compat",
    .phase = PHASE_DERIVED,
    .reads = "driver_library environment",
    .writes = "compat_library compat_allowed",
    .run = run,
};
