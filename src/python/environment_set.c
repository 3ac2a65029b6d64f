#include "python/environment_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "python/site.h"

enum { PYVENV_MAX = 64 * 1024 };

static char *below(const struct environment_set *set, const char *prefix, const char *leaf)
{
    return arena_printf(set->context->arena, "%s/%s", strcmp(prefix, "/") == 0 ? "" : prefix, leaf);
}

bool environment_is_marked(const struct environment_set *set, const char *prefix)
{
    const struct machine *machine = set->context->machine;
    return machine_exists(machine, below(set, prefix, "pyvenv.cfg")) ||
           machine_exists(machine, below(set, prefix, "conda-meta"));
}

/* A pyvenv.cfg that cannot be read still makes the folder a venv. */
static void read_pyvenv(const struct environment_set *set, struct environment *environment)
{
    struct probe_context *context = set->context;
    CLEANUP_BYTES struct bytes text = {0};
    char *path = below(set, environment->prefix, "pyvenv.cfg");
    int r = machine_read(context->machine, path, PYVENV_MAX, &text);
    probe_note(context, "environment", environment->prefix, path, r, "environment", NULL);
    if (r == 0)
        pyvenv_parse(text.data, text.length, context->arena, &environment->pyvenv);
}

static bool is_user_site(const char *prefix)
{
    return text_ends(prefix, "/.local");
}

/* Folders of packages that serve the Python of /usr, without one of their own. */
static bool is_beside_system(const char *prefix)
{
    return !strcmp(prefix, "/") || !strcmp(prefix, "/usr") || !strcmp(prefix, "/usr/local");
}

static bool has_python(const struct environment_set *set, const char *prefix)
{
    const struct machine *machine = set->context->machine;
    return machine_exists(machine, below(set, prefix, "bin/python3")) ||
           machine_exists(machine, below(set, prefix, "bin/python"));
}

/* `is_named`: a person named the folder, so it is worth a look at what lies in it. */
static const char *kind_of(const struct environment_set *set, const char *prefix, bool is_named)
{
    const struct machine *machine = set->context->machine;
    struct arena *arena = set->context->arena;
    /* conda first: a venv made on top of a conda prefix keeps conda's packages */
    if (machine_exists(machine, below(set, prefix, "conda-meta")))
        return "conda";
    struct file_stat st;
    /* of any type: a FIFO in its place is told as such when it is read */
    if (machine_lstat(machine, below(set, prefix, "pyvenv.cfg"), &st) == 0)
        return "venv";
    if (is_user_site(prefix))
        return site_newest(machine, arena, prefix) ? "user" : NULL;
    if (has_python(set, prefix))
        return "system";
    /* pip --prefix makes such folders; a record that holds only its story may lack the Python */
    if (site_newest(machine, arena, prefix))
        return is_beside_system(prefix) || machine_is_partial(machine) ? "system" : "folder";
    return is_named && site_is_bare(machine, arena, prefix) ? "folder" : NULL;
}

static struct environment *find(struct environment_set *set, const char *prefix)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].prefix, prefix) == 0)
            return &set->items[i];
    return NULL;
}

static bool has_room(struct environment_set *set)
{
    if (set->count < ENVIRONMENTS_MAX)
        return true;
    if (!set->is_full)
        probe_note_status(set->context, "environment", NULL, NULL, "malformed", ENVIRONMENT_FILLS,
                          "more environments than are looked at");
    set->is_full = true;
    return false;
}

static struct environment *add(struct environment_set *set, const char *path, const char *found_by,
                               bool is_read, bool is_named)
{
    char *prefix;
    if (!path || machine_realpath(set->context->machine, path, set->context->arena, &prefix) != 0)
        return NULL;
    struct environment *environment = find(set, prefix);
    if (!environment) {
        const char *kind = kind_of(set, prefix, is_named);
        if (!kind || !has_room(set))
            return NULL;
        set->items = xgrow(set->items, &set->capacity, set->count + 1, sizeof *set->items);
        environment = &set->items[set->count++];
        *environment = (struct environment){.prefix = prefix, .kind = kind, .found_by = found_by};
        if (text_equal(kind, "venv"))
            read_pyvenv(set, environment);
    }
    environment->is_read |= is_read || set->read_all;
    return environment;
}

struct environment *environment_add(struct environment_set *set, const char *path,
                                    const char *found_by, bool is_read)
{
    return add(set, path, found_by, is_read, false);
}

struct environment *environment_add_named(struct environment_set *set, const char *path,
                                          const char *found_by)
{
    return add(set, path, found_by, true, true);
}

int environment_obstacle(const struct environment_set *set, const char *path)
{
    struct file_stat st;
    int r = machine_stat(set->context->machine, below(set, path, "bin"), &st);
    return r < 0 && r != -ENOTDIR ? r : -ENOENT;
}

void environment_set_done(struct environment_set *set)
{
    free(set->items);
    reach_done(&set->reach);
    *set = (struct environment_set){0};
}
