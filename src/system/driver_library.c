/* Copies of the driver's user-space libraries: those the loader knows, then those in places where
 * installers, container tools and distributions put them. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "parse/elf_head.h"
#include "parse/proc.h"
#include "probe/library_folder.h"
#include "probe/look.h"
#include "system/driver_places.h"

static const char probe_name[] = "driver_library";
static const char *const libraries[] = {"libcuda", "libnvidia-ml"};
enum { LIBRARY_COUNT = 2, COPIES_MAX = 512, FOLDER_MAX = 20000 };

struct copies {
    struct probe_context *context;
    const char *arch; /* of the machine; NULL unknown */
    struct row_driver_library rows[COPIES_MAX];
    size_t count;
    bool is_cut; /* there were more */
};

static bool is_known(const struct copies *copies, const char *name, const char *path,
                     const char *real_path, bool by_loader)
{
    for (size_t i = 0; i < copies->count; i++) {
        const struct row_driver_library *row = &copies->rows[i];
        if (strcmp(row->name, name) != 0)
            continue;
        /* the loader's ways to one file are all of interest, a known place adds only new files */
        if (strcmp(row->path, path) == 0 || (!by_loader && strcmp(row->real_path, real_path) == 0))
            return true;
    }
    return false;
}

/* "570.86.10" of ".../libcuda.so.570.86.10". WSL and Jetson have libcuda.so.1.1: no version. */
static const char *version_of(const char *name, const char *real_path)
{
    const char *slash = strrchr(real_path, '/');
    const char *base = slash ? slash + 1 : real_path;
    size_t n = strlen(name);
    if (strncmp(base, name, n) != 0 || !text_starts(base + n, ".so."))
        return NULL;
    const char *version = base + n + strlen(".so.");
    return is_driver_version(version) ? version : NULL;
}

static void read_elf(struct copies *copies, struct row_driver_library *row)
{
    struct probe_context *context = copies->context;
    CLEANUP_BYTES struct bytes head = {0};
    struct elf_head elf = {0};
    int code = machine_read_head(context->machine, row->real_path, ELF_HEAD, &head);
    if (code == 0 && row->size.value == 0)
        return; /* a leftover of an image build: a fact, no failure to read it */
    if (code == 0 && !parse_elf_head(head.data, head.length, &elf))
        code = -EBADMSG;
    if (code < 0) {
        probe_note(context, probe_name, NULL, row->real_path, code, NULL,
                   code == -EBADMSG ? "it is no shared object" : NULL);
        return;
    }
    row->bits = known(elf.bits);
    row->arch = elf.arch;
}

/* Adds the copy at `path`, or only if its file is a new one. False when nothing of that name is
 * there. */
static bool add_copy(struct copies *copies, const char *name, const char *path,
                     const char *found_by, bool new_only)
{
    struct probe_context *context = copies->context;
    struct file_stat st;
    int code = machine_lstat(context->machine, path, &st);
    if (code == -ENOENT || code == -ENOTDIR)
        return false;
    char *real_path = NULL;
    if (code == 0)
        code = machine_realpath(context->machine, path, context->arena, &real_path);
    if (code == 0)
        code = machine_stat(context->machine, real_path, &st);
    if (code == 0 && st.type != FILE_REGULAR)
        code = -EINVAL;
    if (code < 0) {
        probe_note(context, probe_name, NULL, path, code, "driver_library",
                   code == -ENOENT ? "it is a link that leads nowhere" : NULL);
        return true;
    }
    if (is_known(copies, name, path, real_path, !new_only))
        return true;
    if (copies->count == COPIES_MAX) {
        copies->is_cut = true;
        return true;
    }
    struct row_driver_library *row = &copies->rows[copies->count++];
    *row = (struct row_driver_library){
        .name = name,
        .path = path,
        .real_path = real_path,
        .version = version_of(name, real_path),
        .size = known((int64_t)st.size),
        .found_by = found_by,
        .stub = known(library_is_stub(path, real_path)),
        .compat = known(library_is_compat(path, real_path)),
    };
    read_elf(copies, row);
    return true;
}

/* A driver whose links are missing (ldconfig never ran): libcuda.so.550.54.14 without .so.1. */
static void add_unlinked(struct copies *copies, const char *folder, const bool *linked)
{
    struct probe_context *context = copies->context;
    struct dir_list list;
    if (machine_list(context->machine, folder, FOLDER_MAX, context->arena, &list) < 0)
        return;
    for (size_t i = 0; i < list.count; i++)
        for (size_t k = 0; k < LIBRARY_COUNT; k++)
            if (!linked[k] && version_of(libraries[k], list.names[i]))
                add_copy(copies, libraries[k],
                         arena_printf(context->arena, "%s/%s", folder, list.names[i]), "place",
                         true);
}

/* Programs that ask for the name without a number (numba does, and linkers) find a toolkit's stub
 * in a folder that has nothing else. */
static void look_into(struct copies *copies, const struct driver_place *place)
{
    struct arena *arena = copies->context->arena;
    bool linked[LIBRARY_COUNT], by_loader = strcmp(place->found_by, "place") != 0;
    for (size_t k = 0; k < LIBRARY_COUNT; k++) {
        linked[k] = add_copy(copies, libraries[k],
                             arena_printf(arena, "%s/%s.so.1", place->folder, libraries[k]),
                             place->found_by, !by_loader);
        if (by_loader)
            add_copy(copies, libraries[k],
                     arena_printf(arena, "%s/%s.so", place->folder, libraries[k]), place->found_by,
                     true);
    }
    if (place->standard && !(linked[0] && linked[1]))
        add_unlinked(copies, place->folder, linked);
}

static void add_cached(struct copies *copies)
{
    static const char sql[] = "SELECT soname, path FROM loader_cache WHERE soname IN "
                              "('libcuda.so.1', 'libnvidia-ml.so.1') ORDER BY position";
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(copies->context->facts, sql);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const char *soname = ask_column(copies->context, query, 0);
        const char *path = ask_column(copies->context, query, 1);
        const char *name = libraries[strcmp(soname, "libcuda.so.1") == 0 ? 0 : 1];
        /* an entry without its file is told by loader_cache.present */
        if (path && path[0] == '/')
            add_copy(copies, name, path, "cache", false);
    }
}

/* Whether this copy says which driver is installed: the machine's own kind of library, real, and
 * not one that stands in for the driver. */
static bool tells_version(const struct copies *copies, const struct row_driver_library *row)
{
    return row->version && row->size.value > 0 && !row->stub.value && !row->compat.value &&
           (!row->bits.known || row->bits.value == 64) &&
           (!row->arch || !copies->arch || strcmp(row->arch, copies->arch) == 0);
}

/* The version of the first copy, in the loader's order. Another row only where libnvidia-ml is of
 * another version: half an upgrade. */
static void add_driver(const struct copies *copies)
{
    const struct row_driver_library *first[LIBRARY_COUNT] = {0};
    for (size_t i = 0; i < copies->count; i++)
        for (size_t k = 0; k < LIBRARY_COUNT; k++)
            if (!first[k] && strcmp(copies->rows[i].name, libraries[k]) == 0 &&
                tells_version(copies, &copies->rows[i]))
                first[k] = &copies->rows[i];
    if (first[0] && first[1] && strcmp(first[0]->version, first[1]->version) == 0)
        first[1] = NULL;
    for (size_t k = 0; k < LIBRARY_COUNT; k++)
        if (first[k])
            facts_add_driver(copies->context->facts, &(struct row_driver){
                                                         .source = "library",
                                                         .part = "library",
                                                         .version = first[k]->version,
                                                         .path = first[k]->real_path,
                                                     });
}

static int run(struct probe_context *context)
{
    CLEANUP_FREE struct copies *copies = xcalloc(1, sizeof *copies);
    copies->context = context;
    copies->arch = ask_text(context, "SELECT arch FROM host");
    struct driver_places places;
    driver_places_of_loader(context, probe_name, &places);
    for (size_t i = 0; i < places.count; i++)
        look_into(copies, &places.items[i]);
    add_cached(copies);
    const char *remote = driver_places_known(context, &places);
    for (size_t i = 0; i < places.count; i++)
        look_into(copies, &places.items[i]);
    if (remote) /* leaves open whether there is one; what others there are, does not hang on it */
        probe_note_status(context, probe_name, NULL, remote, "skipped",
                          copies->count ? "" : "driver_library",
                          "this place lies on another machine: not looked at for the driver's "
                          "libraries; --all-envs looks there, too");
    if (copies->is_cut)
        probe_note_status(context, probe_name, NULL, NULL, "malformed", "driver_library",
                          "more copies than are looked at");
    for (size_t i = 0; i < copies->count; i++)
        facts_add_driver_library(context->facts, &copies->rows[i]);
    probe_note_status(context, probe_name, NULL, NULL, copies->count ? "ok" : "absent",
                      "driver_library",
                      copies->count ? NULL
                                    : "no library of the driver on the loader's path or in "
                                      "the places where drivers lie");
    add_driver(copies);
    return 0;
}

const struct probe probe_driver_library = {
    .name = "driver_library",
    .phase = PHASE_DERIVED, /* NVML need not wait for it */
    .reads = "host loader_cache",
    .writes = "driver_library driver",
    .run = run,
};
