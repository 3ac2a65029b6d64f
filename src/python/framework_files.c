/* The sources of a descriptor that are files: their text, what they ask for, the names in a folder
 * and the constants of a program. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/object.h"
#include "probe/scan.h"
#include "python/framework_look.h"
#include "python/site.h"

/* A literal lies in the first megabytes of the constants: ptxas has "Cuda compilation tools" within
 * 16 KiB of them, libctranslate2 the name of cuBLAS within 400 KiB. What stands after that is
 * device code. */
enum {
    FILE_HEAD = 64 * 1024,
    LITERAL_MAX = 256,
    CONSTANTS_MAX = 4 * 1024 * 1024,
    NAMES_MAX = 20000,
    GLOB_MAX = 16
};

static bool is_absent(int code)
{
    return code == -ENOENT || code == -ENOTDIR;
}

static void note(struct look *look, const char *path, int code, const char *detail)
{
    if (code < 0 && !is_absent(code))
        probe_note(look->context, "framework", look->environment->id, path, code, "framework",
                   detail);
}

/* --- one file --- */

static int read_file(struct look *look, const char *path)
{
    if (text_equal(look->file, path))
        return look->file_error;
    bytes_done(&look->text);
    look->file = path;
    look->file_error = machine_read_head(look->context->machine, path, FILE_HEAD, &look->text);
    note(look, path, look->file_error, NULL);
    return look->file_error;
}

/* These return 1 for a match, 0 for a file that does not say it, or a negative errno. */

static int look_at_text(struct look *look, const struct framework_source *source, const char *path)
{
    if (!source->pattern)
        return !machine_exists(look->context->machine, path)
                   ? -ENOENT
                   : look_take(look, source, path, source->path);
    int r = read_file(look, path);
    return r < 0 ? r : look_search(look, source, path, look->text.data, look->text.length);
}

static int read_object(struct look *look, const char *path, struct elf_object *ret,
                       struct error *err)
{
    const struct machine *machine = look->context->machine;
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF struct elf_file file = {0};
    struct file_stat st;
    int r = machine_open(machine, path, &fd);
    if (r == 0)
        r = machine_stat(machine, path, &st);
    if (r == 0)
        r = elf_file_open(&file, fd, 0, st.size, err);
    return r < 0 ? r : elf_object_read(&file, look->context->arena, ret, err);
}

static int look_at_needed(struct look *look, const struct framework_source *source,
                          const char *path)
{
    struct elf_object object = {0};
    struct error err = {0};
    int r = read_object(look, path, &object, &err);
    note(look, path, r, r < 0 && *err.text ? err.text : NULL);
    bool any = false; /* what stands before a fault is as good as in a whole file */
    for (size_t i = 0; i < object.needed_count; i++)
        any |= look_search(look, source, path, object.needed[i], strlen(object.needed[i]));
    return any ? 1 : r;
}

struct literal {
    struct look *look;
    const struct framework_source *source;
    const char *path;
};

/* After a match: one that reaches the end of a chunk may be cut ("12.1" of "12.12"): what the
 * chunks share has it whole in the next one. */
static bool is_cut(struct look *look, struct pattern *pattern, const char *chunk, size_t size)
{
    struct arena *arena = look->context->arena;
    if (size < SCAN_CHUNK)
        return false;
    const char *whole = pattern_match(pattern, arena);
    return !pattern_search(pattern, chunk, size - 1) ||
           !text_equal(whole, pattern_match(pattern, arena));
}

static bool look_at_chunk(void *data, const char *chunk, size_t size)
{
    const struct literal *literal = data;
    struct pattern *pattern = literal->source->pattern;
    if (!pattern_search(pattern, chunk, size) || is_cut(literal->look, pattern, chunk, size))
        return false;
    return look_search(literal->look, literal->source, literal->path, chunk, size);
}

static int look_at_literal(struct look *look, const struct framework_source *source,
                           const char *path)
{
    struct literal literal = {look, source, path};
    int r = scan_program(look->context->machine, path, CONSTANTS_MAX, LITERAL_MAX, look_at_chunk,
                         &literal);
    note(look, path, r, NULL);
    return r;
}

/* --- the names in a folder --- */

static int read_folder(struct look *look, const char *folder)
{
    if (text_equal(look->folder, folder))
        return look->folder_error;
    look->folder = folder;
    look->names = (struct dir_list){0};
    look->folder_error =
        machine_list(look->context->machine, folder, NAMES_MAX, look->context->arena, &look->names);
    note(look, folder, look->folder_error == 0 && look->names.cut ? -EFBIG : look->folder_error,
         NULL);
    return look->folder_error;
}

static void forget_differing(struct framework_findings *sum, const struct framework_findings *one)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (!text_equal(sum->fields[i], one->fields[i]))
            sum->fields[i] = NULL;
}

/* All names that match count: what they say alike is taken, with the list of them as evidence. */
static int look_at_names(struct look *look, const struct framework_source *source, const char *path)
{
    int r = read_folder(look, path);
    if (r < 0)
        return r;
    CLEANUP_TEXT struct text words = {0};
    struct framework_findings sum = {0}, *found = look->found;
    for (size_t i = 0; i < look->names.count; i++) {
        const char *name = look->names.names[i];
        struct framework_findings one = {0};
        look->found = &one;
        if (look_search(look, source, path, name, strlen(name))) {
            if (words.length)
                forget_differing(&sum, &one);
            else
                sum = one;
            text_printf(&words, "%s%s", words.length ? ", " : "", name);
        }
        look->found = found;
    }
    if (!words.length)
        return 0;
    struct framework_source alike = {.kind = source->kind};
    memcpy(alike.set, sum.fields, sizeof alike.set);
    return look_take(look, &alike, path, text_get(&words));
}

/* --- which file --- */

static int look_at_one(struct look *look, const struct framework_source *source, const char *path)
{
    switch (source->kind) {
    case SOURCE_NEEDED:
        return look_at_needed(look, source, path);
    case SOURCE_LITERAL:
        return look_at_literal(look, source, path);
    case SOURCE_NAMES:
        return look_at_names(look, source, path);
    default:
        return look_at_text(look, source, path);
    }
}

/* "*" stands for any number of bytes; there may be several. */
static bool name_fits(const char *glob, const char *name)
{
    const char *star = NULL, *back = NULL;
    while (*name) {
        if (*glob == '*') {
            star = glob++;
            back = name;
        } else if (*glob == *name) {
            glob++;
            name++;
        } else if (star) {
            glob = star + 1;
            name = ++back;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return !*glob;
}

/* The files of a folder that fit, until one matches. */
static int look_at_fitting(struct look *look, const struct framework_source *source,
                           const char *path)
{
    struct arena *arena = look->context->arena;
    const char *slash = strrchr(path, '/');
    const char *folder = arena_strndup(arena, path, (size_t)(slash - path));
    int r = read_folder(look, folder), result = -ENOENT, tried = 0;
    if (r < 0)
        return r;
    for (size_t i = 0; i < look->names.count && result != 1 && tried < GLOB_MAX; i++) {
        const char *name = look->names.names[i];
        if (!name_fits(slash + 1, name))
            continue;
        result = look_at_one(look, source, arena_printf(arena, "%s/%s", folder, name));
        tried++;
    }
    return result;
}

/* True when the file is there, whatever it says. */
static bool look_below(struct look *look, const struct framework_source *source, const char *base)
{
    char *path = arena_printf(look->context->arena, "%s/%s", base, source->path);
    return !is_absent(strchr(source->path, '*') ? look_at_fitting(look, source, path)
                                                : look_at_one(look, source, path));
}

void look_at_files(struct look *look, const struct framework_source *source)
{
    struct probe_context *context = look->context;
    const struct framework_environment *environment = look->environment;
    if (source->below_prefix) {
        look_below(look, source, environment->id);
        return;
    }
    if (look->install->dist) {
        look_below(look, source, look->install->dist->site);
        return;
    }
    /* conda's record names the prefix; the files lie in one of its site folders */
    struct site_list sites;
    site_folders(context->machine, context->arena, environment->id, environment->kind,
                 environment->python, &sites);
    for (size_t i = 0; i < sites.count && !look_below(look, source, sites.items[i]); i++)
        ;
    site_list_done(&sites);
}
