/* Finds every environment of a recorded tree or an image by walking it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "python/environment_set.h"

enum { DEPTH_MAX = 10, ENTRIES_MAX = 200000, FOLDER_MAX = 50000 };

struct folder {
    const char *path; /* "" is the root */
    int depth;
};

struct walk {
    struct environment_set *set;
    struct folder *stack;
    size_t count, capacity;
    size_t entries;
    const char *cut;  /* a folder that was not looked at, there being too many; NULL: none */
    const char *deep; /* one that lies too deep */
};

static void push(struct walk *walk, const char *path, int depth)
{
    walk->stack = xgrow(walk->stack, &walk->capacity, walk->count + 1, sizeof *walk->stack);
    walk->stack[walk->count++] = (struct folder){path, depth};
}

/* Trees that are no files, and large ones in which no environment is. */
static bool is_passed_over(const char *path)
{
    static const char *const paths[] = {
        "/proc",
        "/sys",
        "/dev",
        "/.record",
        "/usr/share",
        "/usr/include",
        "/usr/src",
        "/usr/lib/modules",
        "/usr/lib/firmware",
        "/lib/modules",
        "/lib/firmware",
        "/var/lib/dpkg",
        "/var/lib/apt",
        "/var/lib/docker",
        "/var/log",
        "/boot",
    };
    static const char *const names[] = {"/__pycache__", "/node_modules", "/.git", "/archive-v0",
                                        "/lost+found"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!strcmp(path, paths[i]))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_ends(path, names[i]))
            return true;
    return false;
}

/* Spares the question for the type of most files: no folder on the way to an environment is named
 * like these. */
static bool is_plain_file_name(const char *name)
{
    static const char *const ends[] = {".py",   ".pyc", ".so", ".h",  ".hpp", ".txt",
                                       ".json", ".js",  ".a",  ".gz", ".png", ".svg",
                                       ".html", ".md",  ".mo", ".pyi"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot > name && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i]))
            return true;
    return strstr(name, ".so.") != NULL;
}

static bool has_name(const struct dir_list *names, const char *name)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(names->names[middle], name);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* PREFIX of PREFIX/lib/python3.X/site-packages; NULL for any other folder. */
static char *prefix_of_site(struct arena *arena, const char *path)
{
    if (!text_ends(path, "/site-packages") && !text_ends(path, "/dist-packages"))
        return NULL;
    char *prefix = arena_strdup(arena, path), *slash;
    *strrchr(prefix, '/') = '\0';
    slash = strrchr(prefix, '/');
    if (!slash || !text_starts(slash, "/python3"))
        return NULL;
    *slash = '\0';
    slash = strrchr(prefix, '/');
    if (!slash || (strcmp(slash, "/lib") != 0 && strcmp(slash, "/lib64") != 0))
        return NULL;
    *slash = '\0';
    return *prefix ? prefix : arena_strdup(arena, "/");
}

/* A venv or conda prefix holds no other ones, but a conda installation has them in envs/. */
static bool take_marked(struct walk *walk, const struct folder *folder,
                        const struct dir_list *names)
{
    bool is_conda = has_name(names, "conda-meta");
    if (!is_conda && !has_name(names, "pyvenv.cfg"))
        return false;
    struct arena *arena = walk->set->context->arena;
    environment_add(walk->set, *folder->path ? folder->path : "/", "walk", true);
    if (is_conda && has_name(names, "envs"))
        push(walk, arena_printf(arena, "%s/envs", folder->path), folder->depth + 1);
    return true;
}

static void push_children(struct walk *walk, const struct folder *folder,
                          const struct dir_list *names)
{
    const struct machine *machine = walk->set->context->machine;
    struct arena *arena = walk->set->context->arena;
    for (size_t i = names->count; i-- > 0;) { /* taken from the end: in the order of names */
        struct file_stat st;
        if (is_plain_file_name(names->names[i]))
            continue;
        char *path = arena_printf(arena, "%s/%s", folder->path, names->names[i]);
        if (is_passed_over(path) || machine_lstat(machine, path, &st) != 0 ||
            st.type != FILE_DIRECTORY)
            continue;
        char *prefix = prefix_of_site(arena, path);
        if (prefix)
            environment_add(walk->set, prefix, "walk", true);
        else if (folder->depth < DEPTH_MAX)
            push(walk, path, folder->depth + 1);
        else
            walk->deep = path;
    }
}

static void visit(struct walk *walk, const struct folder *folder)
{
    struct probe_context *context = walk->set->context;
    const char *path = *folder->path ? folder->path : "/";
    struct dir_list names;
    int r = machine_list(context->machine, path, FOLDER_MAX, context->arena, &names);
    if (r < 0) {
        probe_note(context, "environment", NULL, path, r, ENVIRONMENT_FILLS, NULL);
        return;
    }
    walk->entries += names.count;
    if (names.cut)
        walk->cut = path;
    if (!take_marked(walk, folder, &names))
        push_children(walk, folder, &names);
}

/* The system's Python has no mark of its own, and no packages on a bare machine. */
static void take_system(struct environment_set *set)
{
    if (machine_exists(set->context->machine, "/usr/bin/python3"))
        environment_add(set, "/usr", "walk", true);
}

void environment_walk(struct environment_set *set)
{
    struct walk walk = {.set = set};
    take_system(set);
    push(&walk, "", 0);
    while (walk.count && walk.entries < ENTRIES_MAX) {
        struct folder folder = walk.stack[--walk.count];
        visit(&walk, &folder);
    }
    if (walk.count)
        walk.cut = walk.stack[walk.count - 1].path;
    free(walk.stack);
    if (walk.cut)
        probe_note_status(set->context, "environment", NULL, walk.cut, "malformed",
                          ENVIRONMENT_FILLS, "the tree is too large: not all of it was searched");
    else if (walk.deep)
        probe_note_status(set->context, "environment", NULL, walk.deep, "skipped", "",
                          "folders as deep as this one were not searched");
    else
        probe_note(set->context, "environment", NULL, "/", 0, "environment", NULL);
}
