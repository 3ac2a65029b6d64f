#include "system/compiler_version.h"

#include <string.h>

#include "parse/compiler_name.h"
#include "probe/scan.h"

enum { FOLDERS_MAX = 64, PROGRAM_CAP = 2 * 1024 * 1024 };

/* The folder two levels above: "/usr" of /usr/bin/gcc-12; NULL where there is none. */
static char *prefix_of(struct arena *arena, const char *path)
{
    char *prefix = arena_strdup(arena, path);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return prefix;
}

/* What folders named after versions tell. */
struct versions {
    const char *first;  /* the one that fits */
    int majors[8];      /* of all of them */
    size_t major_count; /* number of majors that differ */
};

static void add_version(struct versions *versions, const char *name)
{
    int major = compiler_major(name);
    if (!major)
        return;
    /* of "14" and "14.0.6", which may be one a link to the other, the longer tells more */
    if (!versions->first ||
        (compiler_major(versions->first) == major && strlen(name) > strlen(versions->first)))
        versions->first = name;
    for (size_t i = 0; i < versions->major_count; i++)
        if (versions->majors[i] == major)
            return;
    if (versions->major_count < sizeof versions->majors / sizeof versions->majors[0])
        versions->majors[versions->major_count++] = major;
}

/* Names in the folder that are versions, of the major number if that is known. */
static void list_versions(struct probe_context *context, const char *folder, int major,
                          struct versions *ret)
{
    struct dir_list list;
    if (machine_list(context->machine, folder, FOLDERS_MAX, context->arena, &list) < 0)
        return;
    for (size_t i = 0; i < list.count; i++)
        if (!major || compiler_major(list.names[i]) == major)
            add_version(ret, list.names[i]);
}

/* PREFIX/lib/gcc/TARGET/VERSION; without a target in the program's name the one for this machine,
 * which is any that is not for Windows or another processor. */
static void list_gcc(struct probe_context *context, const char *prefix, const char *target,
                     int major, struct versions *ret)
{
    static const char *const folders[] = {"lib/gcc", "lib64/gcc"};
    struct machine_uname names;
    struct dir_list list;
    machine_uname(context->machine, &names);
    for (size_t i = 0; i < 2 && !ret->first; i++) {
        const char *folder = arena_printf(context->arena, "%s/%s", prefix, folders[i]);
        if (machine_list(context->machine, folder, FOLDERS_MAX, context->arena, &list) < 0)
            continue;
        for (size_t k = 0; k < list.count; k++) {
            const char *name = list.names[k];
            bool fits = target ? strcmp(name, target) == 0
                               : (!names.machine || text_starts(name, names.machine)) &&
                                     !strstr(name, "mingw");
            if (fits)
                list_versions(context, arena_printf(context->arena, "%s/%s", folder, name), major,
                              ret);
        }
    }
}

static void list_clang(struct probe_context *context, const char *prefix, int major,
                       struct versions *ret)
{
    static const char *const folders[] = {"lib/clang", "lib64/clang"};
    for (size_t i = 0; i < 2 && !ret->first; i++)
        list_versions(context, arena_printf(context->arena, "%s/%s", prefix, folders[i]), major,
                      ret);
}

struct search {
    struct arena *arena;
    const int *majors;
    size_t count;
    char *version;
};

static bool find_literal(void *data, const char *chunk, size_t size)
{
    struct search *search = data;
    for (size_t i = 0; i < search->count && !search->version; i++)
        search->version = parse_version_literal(chunk, size, search->majors[i], search->arena);
    return search->version != NULL;
}

/* gcc's driver holds its version as a text of its own; clang's lies in a library. */
static const char *scan_gcc(struct probe_context *context, const char *path,
                            const struct versions *versions)
{
    struct search search = {context->arena, versions->majors, versions->major_count, NULL};
    scan_program(context->machine, path, PROGRAM_CAP, VERSION_LITERAL_MAX, find_literal, &search);
    return search.version;
}

/* /usr/lib/llvm-14/bin/clang */
static int llvm_major(const char *path)
{
    const char *at = strstr(path, "/llvm-");
    if (!at)
        return 0;
    char digits[4] = {0};
    size_t n = strspn(at + 6, "0123456789");
    if (n == 0 || n >= sizeof digits)
        return 0;
    memcpy(digits, at + 6, n);
    return compiler_major(digits);
}

static bool is_script(struct probe_context *context, const char *path)
{
    CLEANUP_BYTES struct bytes head = {0};
    return machine_read_head(context->machine, path, 2, &head) == 0 && head.length == 2 &&
           memcmp(head.data, "#!", 2) == 0;
}

void compiler_version(struct probe_context *context, const char *real_path,
                      struct compiler_version *ret)
{
    struct compiler_name name;
    struct versions versions = {0};
    const char *slash = strrchr(real_path, '/');
    char *prefix = prefix_of(context->arena, real_path);
    *ret = (struct compiler_version){0};
    parse_compiler_name(slash ? slash + 1 : real_path, context->arena, &name);
    if (!prefix || !name.name || is_script(context, real_path))
        return;
    ret->family = name.family;
    ret->version = name.version;
    int major = compiler_major(name.version);
    if (text_equal(name.family, "clang")) {
        major = major ? major : llvm_major(real_path);
        list_clang(context, prefix, major, &versions);
        if (versions.major_count == 1)
            ret->version = versions.first;
        else if (!ret->version && major)
            ret->version = arena_printf(context->arena, "%d", major);
        return;
    }
    list_gcc(context, prefix, name.target, major, &versions);
    if (!versions.first && major)
        add_version(&versions, name.version);
    if (versions.major_count == 1)
        ret->version = versions.first;
    /* a program that is just called cc or c++ is gcc's where it holds that version */
    bool told = ret->version && strchr(ret->version, '.') && ret->family;
    const char *full = told ? NULL : scan_gcc(context, real_path, &versions);
    if (full) {
        ret->version = full;
        ret->family = "gcc";
    } else if (!ret->family) {
        ret->version = NULL;
    }
}
