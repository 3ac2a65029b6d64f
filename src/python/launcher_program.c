#include "python/launcher_program.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/shebang.h"

enum { HOPS_MAX = 16, FOLDERS_MAX = 256, SCRIPTS_MAX = 4 };

const char *program_absolute(struct probe_context *context, const char *path)
{
    const char *cwd = machine_cwd(context->machine);
    if (path[0] == '/')
        return path;
    return cwd ? arena_printf(context->arena, "%s/%s", cwd, path) : NULL;
}

char *program_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || !slash[1])
        return NULL;
    return slash == path ? arena_strdup(arena, "/")
                         : arena_strndup(arena, path, (size_t)(slash - path));
}

char *program_prefix_above(struct probe_context *context, const char *path)
{
    char *folder = program_folder(context->arena, path), *real;
    if (!folder || machine_realpath(context->machine, folder, context->arena, &real) != 0)
        return NULL;
    return program_folder(context->arena, real);
}

static bool is_program(const struct machine *machine, const char *path)
{
    struct file_stat st;
    if (machine_stat(machine, path, &st) != 0 || st.type != FILE_REGULAR)
        return false;
    return machine_kind(machine) != MACHINE_LIVE || (st.mode & 0111) != 0;
}

char *program_next(struct probe_context *context, const char *name, size_t *at)
{
    const char *path = machine_getenv(context->machine, "PATH");
    if (!path && machine_kind(context->machine) == MACHINE_LIVE)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (int i = 0; path && *at <= strlen(path) && i < FOLDERS_MAX; i++) {
        size_t length = strcspn(path + *at, ":");
        const char *folder = arena_strndup(context->arena, path + *at, length);
        folder = program_absolute(context, *folder ? folder : ".");
        *at += length + 1;
        char *program = folder ? arena_printf(context->arena, "%s/%s", folder, name) : NULL;
        if (program && is_program(context->machine, program))
            return program;
    }
    return NULL;
}

static bool is_marked(const struct probe_context *context, const char *prefix)
{
    static const char *const marks[] = {"pyvenv.cfg", "conda-meta"};
    for (size_t i = 0; i < 2; i++)
        if (machine_exists(context->machine,
                           arena_printf(context->arena, "%s/%s", prefix, marks[i])))
            return true;
    return false;
}

/* python, python3.12, pypy3: not a tool that goes by that name (mise, asdf, a wrapper). */
static bool is_python(const char *path)
{
    const char *leaf = strrchr(path, '/');
    leaf = leaf ? leaf + 1 : path;
    return text_starts(leaf, "python") || text_starts(leaf, "pypy");
}

/* The environment of an interpreter. A venv's bin/python is a link to the Python it was made from,
 * so every folder on the way is looked at before the link in it is followed. */
static char *prefix_of(struct probe_context *context, const char *path)
{
    char *prefix = NULL, *target;
    for (int i = 0; i < HOPS_MAX; i++) {
        prefix = program_prefix_above(context, path);
        if (!prefix || is_marked(context, prefix))
            return prefix;
        if (machine_readlink(context->machine, path, context->arena, &target) != 0)
            break;
        path = target[0] == '/' ? target
                                : arena_printf(context->arena, "%s/%s",
                                               program_folder(context->arena, path), target);
    }
    return is_python(path) ? prefix : NULL;
}

static bool is_link(const struct probe_context *context, const char *path)
{
    struct file_stat st;
    return machine_lstat(context->machine, path, &st) == 0 && st.type == FILE_LINK;
}

static void take_python(struct probe_context *context, const char *path, struct program *ret)
{
    ret->interpreter = path;
    ret->is_seen = true;
    ret->is_present = machine_exists(context->machine, path);
    ret->prefix = prefix_of(context, path);
    if (!ret->via)
        ret->via = is_link(context, path) ? "link" : "file";
}

static bool take_shim(struct probe_context *context, const char *path, struct program *ret)
{
    char *prefix = program_pyenv_prefix(context, path);
    if (!prefix)
        return false;
    take_python(context, arena_printf(context->arena, "%s/bin/python", prefix), ret);
    if (!ret->is_present)
        ret->interpreter = NULL; /* a version without the file tells no more than its folder */
    if (!ret->prefix)
        ret->prefix = prefix;
    ret->via = "shim";
    return true;
}

static const char *name_program(struct probe_context *context, const char *script,
                                const struct shebang *shebang)
{
    size_t at = 0;
    char *real;
    if (shebang->is_on_path)
        return strchr(shebang->program, '/') ? NULL : program_next(context, shebang->program, &at);
    if (!shebang->is_beside)
        return shebang->program;
    if (machine_realpath(context->machine, script, context->arena, &real) != 0)
        return NULL;
    return arena_printf(context->arena, "%s/%s", program_folder(context->arena, real),
                        shebang->program);
}

bool program_resolve(struct probe_context *context, const char *path, struct program *ret)
{
    *ret = (struct program){0};
    for (int i = 0; path && i < SCRIPTS_MAX; i++) {
        CLEANUP_BYTES struct bytes head = {0};
        struct shebang shebang;
        char *folder = program_folder(context->arena, path);
        if (folder && text_ends(folder, "/shims") && !is_link(context, path))
            return take_shim(context, path, ret);
        int r = machine_read_head(context->machine, path, SHEBANG_HEAD, &head);
        if (r < 0 && r != -ENOENT && r != -EACCES)
            return false;
        if (r < 0 || head.length < 2 || memcmp(head.data, "#!", 2) != 0) {
            if (!is_python(path))
                return false;
            take_python(context, path, ret);
            return ret->prefix || !ret->is_present;
        }
        if (!shebang_parse(head.data, head.length, context->arena, &shebang))
            return false;
        ret->via = "shebang";
        path = name_program(context, path, &shebang);
    }
    return false;
}
