/* The Python that a venv was made from, and the folders that are searched besides an environment's
 * own. */
#include <string.h>

#include "base/text.h"
#include "python/environment_set.h"
#include "python/launcher_program.h"

enum { BASE_HOPS_MAX = 8, PYTHONPATH_MAX = 64 };

const char *environment_base_of_home(struct arena *arena, const char *home)
{
    if (!home || home[0] != '/')
        return NULL;
    char *prefix = arena_strdup(arena, home);
    size_t length = strlen(prefix);
    while (length > 1 && prefix[length - 1] == '/')
        prefix[--length] = '\0';
    char *slash = strrchr(prefix, '/');
    if (slash && slash > prefix && !strcmp(slash, "/bin"))
        *slash = '\0';
    return prefix;
}

static const char *real_or_same(const struct environment_set *set, const char *path)
{
    char *real;
    return machine_realpath(set->context->machine, path, set->context->arena, &real) == 0 ? real
                                                                                          : path;
}

static const struct environment *find(const struct environment_set *set, const char *prefix)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].prefix, prefix))
            return &set->items[i];
    return NULL;
}

const char *environment_base(struct environment_set *set, const struct environment *item)
{
    struct probe_context *context = set->context;
    const char *base = environment_base_of_home(context->arena, item->pyvenv.home), *first = NULL;
    for (int i = 0; base; i++) {
        base = real_or_same(set, base);
        first = first ? first : base;
        if (!strcmp(base, item->prefix) || i == BASE_HOPS_MAX) {
            probe_note_status(context, "environment", item->prefix,
                              arena_printf(context->arena, "%s/pyvenv.cfg", item->prefix),
                              "malformed", "", "its home leads back to itself");
            return NULL;
        }
        const struct environment *next = find(set, base);
        if (!next || !text_equal(next->kind, "venv"))
            break;
        base = environment_base_of_home(context->arena, next->pyvenv.home);
    }
    return first;
}

/* PREFIX of PREFIX/lib/python3.X/site-packages; NULL for any other folder. */
static const char *prefix_of_site(struct arena *arena, const char *path)
{
    const char *lib = strstr(path, "/lib/python3");
    if (!lib || lib == path ||
        (!text_ends(path, "/site-packages") && !text_ends(path, "/dist-packages")))
        return NULL;
    return arena_strndup(arena, path, (size_t)(lib - path));
}

/* What the user put on PYTHONPATH is seen by every Python that is started here. */
static void add_python_path(struct environment_set *set)
{
    struct probe_context *context = set->context;
    const char *path = machine_getenv(context->machine, "PYTHONPATH");
    for (int i = 0; path && *path && i < PYTHONPATH_MAX; i++) {
        size_t length = strcspn(path, ":");
        char *entry = arena_strndup(context->arena, path, length);
        const char *folder = length ? program_absolute(context, entry) : NULL;
        const char *prefix = folder ? prefix_of_site(context->arena, folder) : NULL;
        if (folder && !(prefix && environment_add(set, prefix, "PYTHONPATH", true)))
            environment_add_named(set, folder, "PYTHONPATH");
        path += length + (path[length] == ':');
    }
}

void environment_add_searched(struct environment_set *set)
{
    add_python_path(set);
    for (size_t i = 0; i < set->count; i++) { /* the set may grow */
        const struct environment *item = &set->items[i];
        if (item->is_read && item->pyvenv.has_system_site && text_equal(item->kind, "venv"))
            environment_add(set, environment_base_of_home(set->context->arena, item->pyvenv.home),
                            "base", true);
    }
}
