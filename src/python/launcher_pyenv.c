/* pyenv: ~/.pyenv/shims/python is a script that starts the Python of a version that was chosen by a
 * variable, by a file in the working folder or above it, or for all. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "python/launcher_program.h"

enum { VERSIONS_MAX = 256, PARENTS_MAX = 32 };

/* The first word of a small file that names no path. */
static char *read_word(struct probe_context *context, const char *path)
{
    char *line;
    if (machine_read_line(context->machine, path, context->arena, &line) != 0)
        return NULL;
    size_t length = strcspn(line, " \t:#");
    return length && !memchr(line, '/', length) ? arena_strndup(context->arena, line, length)
                                                : NULL;
}

static char *pyenv_version(struct probe_context *context, const char *root)
{
    struct arena *arena = context->arena;
    const char *chosen = machine_getenv(context->machine, "PYENV_VERSION");
    if (chosen && *chosen)
        return strchr(chosen, '/') ? NULL : arena_strndup(arena, chosen, strcspn(chosen, ":"));
    const char *folder = machine_cwd(context->machine);
    for (int i = 0; folder && i < PARENTS_MAX; i++, folder = program_folder(arena, folder)) {
        char *word = read_word(context, arena_printf(arena, "%s/.python-version", folder));
        if (word)
            return word;
    }
    return read_word(context, arena_printf(arena, "%s/version", root));
}

/* "3.12" stands for the newest 3.12.N there is. */
char *program_pyenv_prefix(struct probe_context *context, const char *shim)
{
    char *root = program_prefix_above(context, shim),
         *version = root ? pyenv_version(context, root) : NULL;
    if (!version || !strcmp(version, "system") || version[0] == '.')
        return NULL;
    char *versions = arena_printf(context->arena, "%s/versions", root), *best = NULL;
    char *exact = arena_printf(context->arena, "%s/%s", versions, version);
    struct dir_list names;
    if (machine_exists(context->machine, exact))
        return exact;
    if (machine_list(context->machine, versions, VERSIONS_MAX, context->arena, &names) != 0)
        return NULL;
    long best_patch = -1;
    size_t length = strlen(version);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        if (!text_starts(name, version) || name[length] != '.')
            continue;
        long patch = strtol(name + length + 1, NULL, 10);
        if (patch > best_patch) {
            best_patch = patch;
            best = arena_printf(context->arena, "%s/%s", versions, name);
        }
    }
    return best;
}
