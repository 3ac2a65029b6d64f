#include "system/compiler_find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "parse/compiler_name.h"

enum { PATH_FOLDERS_MAX = 128, PATH_CAP = 4096, FOLDERS_MAX = 64, LLVM_FIRST = 11, LLVM_LAST = 24 };

/* Where the variable is not known, as in an image. */
static const char usual_path[] = "/usr/local/bin:/usr/bin:/bin";

static bool is_program(struct probe_context *context, const char *path)
{
    struct file_stat st;
    return machine_stat(context->machine, path, &st) == 0 && st.type == FILE_REGULAR &&
           st.mode & 0111;
}

/* The program of that name on PATH, in a folder behind the first `skip` of those that have it. */
static char *on_path(struct probe_context *context, const char *name, int skip)
{
    const char *list = machine_getenv(context->machine, "PATH");
    list = list ? list : usual_path;
    for (int i = 0; list && *list && i < PATH_FOLDERS_MAX; i++) {
        size_t n = strcspn(list, ":");
        if (list[0] == '/' && n < PATH_CAP) {
            char *path = arena_printf(context->arena, "%.*s/%s", (int)n, list, name);
            if (is_program(context, path) && skip-- == 0)
                return path;
        }
        list += n + (list[n] == ':');
    }
    return NULL;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The compiler itself: ccache and the like run the next of that name on PATH. NULL unknown. */
static char *real_compiler(struct probe_context *context, const char *path)
{
    for (int skip = 0; skip < 4; skip++) {
        struct compiler_name name;
        char *real = NULL;
        if (machine_realpath(context->machine, path, context->arena, &real) < 0)
            return NULL;
        parse_compiler_name(file_name(real), context->arena, &name);
        if (!name.wrapper)
            return real;
        path = on_path(context, file_name(path), skip);
        if (!path)
            return NULL;
    }
    return NULL;
}

/* A compiler of a known place that PATH or a variable leads to already is no news. */
static void add(struct compilers *compilers, const char *name, const char *path,
                const char *found_by)
{
    struct probe_context *context = compilers->context;
    char *real = real_compiler(context, path);
    bool place = strcmp(found_by, "place") == 0;
    for (size_t i = 0; place && i < compilers->count; i++)
        if (strcmp(compilers->items[i].name, name) == 0 &&
            text_equal(compilers->items[i].real_path, real))
            return;
    if (compilers->count == COMPILERS_MAX) {
        compilers->cut = true;
        return;
    }
    compilers->items[compilers->count++] = (struct compiler_item){name, path, real, found_by};
}

static void add_from_path(struct compilers *compilers)
{
    static const char *const names[] = {"gcc", "g++", "clang", "clang++", "cc", "c++"};
    bool told = machine_getenv(compilers->context->machine, "PATH") != NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = on_path(compilers->context, names[i], 0);
        if (path)
            add(compilers, names[i], path, told ? "PATH" : "place");
    }
}

/* The program that a value such as "ccache g++-12 -m64" runs; NULL for an empty one. */
static char *program_of(struct arena *arena, const char *value)
{
    for (int i = 0; i < 2; i++) {
        value += strspn(value, " \t");
        size_t n = strcspn(value, " \t");
        if (n == 0 || n >= PATH_CAP)
            return NULL;
        struct compiler_name name;
        char *word = arena_strndup(arena, value, n);
        parse_compiler_name(file_name(word), arena, &name);
        if (!name.wrapper)
            return word;
        value += n;
    }
    return NULL;
}

/* nvcc takes a folder too, in which it runs gcc. */
static char *in_folder(struct probe_context *context, char *path)
{
    struct file_stat st;
    bool folder = machine_stat(context->machine, path, &st) == 0 && st.type == FILE_DIRECTORY;
    return folder ? arena_printf(context->arena, "%s/gcc", path) : path;
}

static void add_named(struct compilers *compilers, const char *value, const char *variable,
                      const char *usual)
{
    struct probe_context *context = compilers->context;
    struct compiler_name name;
    char *word = value ? program_of(context->arena, value) : NULL;
    if (!word || (word[0] != '/' && strchr(word, '/')))
        return; /* relative to a folder that is not known */
    char *path = word[0] == '/' ? in_folder(context, word) : on_path(context, word, 0);
    if (!path || !is_program(context, path)) {
        probe_note(context, "compiler", NULL, path ? path : word, -ENOENT, NULL,
                   arena_printf(context->arena, "%s names it", variable));
        return;
    }
    parse_compiler_name(file_name(path), context->arena, &name);
    add(compilers, name.name ? name.name : usual, path, variable);
}

/* "-ccbin X", "-ccbin=X", "--compiler-bindir X" among nvcc's options. */
static void add_from_flags(struct compilers *compilers, const char *variable)
{
    static const char *const options[] = {"-ccbin", "--compiler-bindir"};
    struct probe_context *context = compilers->context;
    const char *flags = machine_getenv(context->machine, variable);
    for (size_t i = 0; flags && i < sizeof options / sizeof options[0]; i++) {
        const char *at = strstr(flags, options[i]);
        size_t n = strlen(options[i]);
        if (at && (at[n] == ' ' || at[n] == '='))
            add_named(compilers, at + n + 1, variable, "c++");
    }
}

static void add_from_env(struct compilers *compilers)
{
    static const struct {
        const char *name, *usual;
    } names[] = {{"CC", "cc"}, {"CXX", "c++"}, {"CUDAHOSTCXX", "c++"}, {"NVCC_CCBIN", "c++"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_named(compilers, machine_getenv(compilers->context->machine, names[i].name),
                  names[i].name, names[i].usual);
    add_from_flags(compilers, "NVCC_PREPEND_FLAGS");
    add_from_flags(compilers, "NVCC_APPEND_FLAGS");
}

static void add_place(struct compilers *compilers, const char *name, const char *path)
{
    if (is_program(compilers->context, path))
        add(compilers, name, path, "place");
}

/* conda's own compilers have long names and set CC when their environment is activated. */
static void add_conda(struct compilers *compilers)
{
    struct probe_context *context = compilers->context;
    const char *prefix = machine_getenv(context->machine, "CONDA_PREFIX");
    struct machine_uname names;
    machine_uname(context->machine, &names);
    if (!prefix || prefix[0] != '/' || !names.machine)
        return;
    static const char *const ends[] = {"gcc", "g++"};
    for (size_t i = 0; i < 2; i++)
        add_place(compilers, ends[i],
                  arena_printf(context->arena, "%s/bin/%s-conda-linux-gnu-%s", prefix,
                               names.machine, ends[i]));
}

/* The system's own, where another is in front of it on PATH. Debian and Ubuntu install several side
 * by side: gcc-12, gcc-13. */
static void add_gcc_versions(struct compilers *compilers)
{
    add_place(compilers, "gcc", "/usr/bin/gcc");
    add_place(compilers, "g++", "/usr/bin/g++");
    struct probe_context *context = compilers->context;
    struct machine_uname names;
    struct dir_list list;
    machine_uname(context->machine, &names);
    const char *folder = arena_printf(context->arena, "/usr/lib/gcc/%s-linux-gnu",
                                      names.machine ? names.machine : "x86_64");
    if (machine_list(context->machine, folder, FOLDERS_MAX, context->arena, &list) < 0)
        return;
    for (size_t i = 0; i < list.count; i++) {
        if (!compiler_major(list.names[i]))
            continue;
        add_place(compilers, "gcc", arena_printf(context->arena, "/usr/bin/gcc-%s", list.names[i]));
        add_place(compilers, "g++", arena_printf(context->arena, "/usr/bin/g++-%s", list.names[i]));
    }
}

static void add_clang_versions(struct compilers *compilers)
{
    for (int major = LLVM_FIRST; major <= LLVM_LAST; major++)
        add_place(compilers, "clang",
                  arena_printf(compilers->context->arena, "/usr/lib/llvm-%d/bin/clang", major));
}

/* Red Hat's: /opt/rh/gcc-toolset-13/root/usr/bin/gcc */
static void add_toolsets(struct compilers *compilers)
{
    struct probe_context *context = compilers->context;
    struct dir_list list;
    if (machine_list(context->machine, "/opt/rh", FOLDERS_MAX, context->arena, &list) < 0)
        return;
    for (size_t i = 0; i < list.count; i++) {
        const char *bin = arena_printf(context->arena, "/opt/rh/%s/root/usr/bin", list.names[i]);
        add_place(compilers, "gcc", arena_printf(context->arena, "%s/gcc", bin));
        add_place(compilers, "g++", arena_printf(context->arena, "%s/g++", bin));
    }
}

void compilers_find(struct compilers *compilers)
{
    add_from_path(compilers);
    add_from_env(compilers);
    add_conda(compilers);
    add_gcc_versions(compilers);
    add_clang_versions(compilers);
    add_toolsets(compilers);
}
