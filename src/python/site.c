#include "python/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum { LIB_ENTRIES_MAX = 20000, BARE_ENTRIES_MAX = 5000 };

/* "python3.12", "python3.13t" or Debian's "python3". */
static bool is_python_folder(const char *name)
{
    if (!text_starts(name, "python3"))
        return false;
    const char *rest = name + strlen("python3");
    if (!*rest)
        return true;
    size_t digits = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    return digits && (!rest[1 + digits] || !strcmp(rest + 1 + digits, "t"));
}

static void note_error(struct site_list *list, int r)
{
    if (r < 0 && r != -ENOENT && r != -ENOTDIR && list->error == 0)
        list->error = r;
}

static void add(const struct machine *machine, struct arena *arena, struct site_list *list,
                const char *lib, const char *python, const char *leaf)
{
    const char *path = arena_printf(arena, "%s/%s/%s", lib, python, leaf);
    struct file_stat st;
    int r = machine_stat(machine, path, &st);
    note_error(list, r);
    if (r < 0 || st.type != FILE_DIRECTORY)
        return;
    list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = path;
}

static void add_python(const struct machine *machine, struct arena *arena, struct site_list *list,
                       const char *lib, const char *python)
{
    add(machine, arena, list, lib, python, "site-packages");
    add(machine, arena, list, lib, python, "dist-packages");
}

/* All lib/python3* there are. */
static void add_listed(const struct machine *machine, struct arena *arena, struct site_list *list,
                       const char *lib)
{
    struct dir_list names;
    int r = machine_list(machine, lib, LIB_ENTRIES_MAX, arena, &names);
    note_error(list, r);
    if (r < 0)
        return;
    for (size_t i = 0; i < names.count; i++)
        if (is_python_folder(names.names[i]))
            add_python(machine, arena, list, lib, names.names[i]);
}

/* "3.12" of "3.12.3". */
static char *minor_of(const char *python, struct arena *arena)
{
    size_t length = python ? strspn(python, "0123456789") : 0;
    if (!length || python[length] != '.')
        return NULL;
    length += 1 + strspn(python + length + 1, "0123456789");
    return arena_strndup(arena, python, length);
}

static void add_lib(const struct machine *machine, struct arena *arena, struct site_list *list,
                    const char *lib, const char *minor)
{
    size_t before = list->count;
    if (minor) {
        add_python(machine, arena, list, lib, arena_printf(arena, "python%s", minor));
        add_python(machine, arena, list, lib, arena_printf(arena, "python%st", minor));
        if (list->count > before)
            add(machine, arena, list, lib, "python3", "dist-packages");
    }
    if (list->count == before)
        add_listed(machine, arena, list, lib);
}

/* lib64 is a link to lib in most environments; on Fedora it is a folder of its own, with the
 * packages that hold machine code. */
static bool is_same_folder(const struct machine *machine, const char *a, const char *b)
{
    struct file_stat left, right;
    return machine_stat(machine, a, &left) == 0 && machine_stat(machine, b, &right) == 0 &&
           left.device == right.device && left.inode == right.inode;
}

void site_folders(const struct machine *machine, struct arena *arena, const char *prefix,
                  const char *kind, const char *python, struct site_list *ret)
{
    *ret = (struct site_list){0};
    /* pip --target; a folder of pip --prefix has lib/python3.X as others have */
    char *newest = text_equal(kind, "folder") ? site_newest(machine, arena, prefix) : NULL;
    if (text_equal(kind, "folder") && !newest) {
        ret->items = xgrow(NULL, &ret->capacity, 1, sizeof *ret->items);
        ret->items[ret->count++] = arena_strdup(arena, prefix);
        return;
    }
    const char *start = strcmp(prefix, "/") == 0 ? "" : prefix;
    char *lib = arena_printf(arena, "%s/lib", start),
         *lib64 = arena_printf(arena, "%s/lib64", start);
    /* a user's folder serves every Python of that user */
    char *minor = text_equal(kind, "user") ? NULL : minor_of(python, arena);
    /* where the two differ, sys.platlibdir is lib64 and comes first (getsitepackages) */
    if (machine_exists(machine, lib64) && !is_same_folder(machine, lib, lib64))
        add_lib(machine, arena, ret, lib64, minor);
    add_lib(machine, arena, ret, lib, minor);
}

void site_list_done(struct site_list *list)
{
    free(list->items);
    *list = (struct site_list){0};
}

char *site_interpreter(const struct machine *machine, struct arena *arena, const char *prefix)
{
    static const char *const names[] = {"python3", "python"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *real;
        const char *path = arena_printf(arena, "%s/bin/%s", prefix, names[i]);
        if (machine_realpath(machine, path, arena, &real) != 0)
            continue;
        const char *base = strrchr(real, '/');
        if (base && text_starts(base, "/python3.") && is_python_folder(base + 1))
            return minor_of(base + strlen("/python"), arena);
    }
    return NULL;
}

static long minor_number(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? strtol(dot + 1, NULL, 10) : -1;
}

char *site_newest(const struct machine *machine, struct arena *arena, const char *prefix)
{
    struct site_list sites;
    site_folders(machine, arena, prefix, NULL, NULL, &sites);
    long best = -2;
    for (size_t i = 0; i < sites.count; i++) {
        const char *name = strstr(sites.items[i] + strlen(prefix), "/python3");
        long minor = name ? minor_number(name) : -1;
        best = minor > best ? minor : best;
    }
    site_list_done(&sites);
    if (best == -2)
        return NULL;
    return best < 0 ? arena_strdup(arena, "3") : arena_printf(arena, "3.%ld", best);
}

bool site_is_bare(const struct machine *machine, struct arena *arena, const char *path)
{
    struct dir_list names;
    if (machine_list(machine, path, BARE_ENTRIES_MAX, arena, &names) != 0)
        return false;
    for (size_t i = 0; i < names.count; i++)
        if (text_ends(names.names[i], ".dist-info"))
            return true;
    return false;
}
