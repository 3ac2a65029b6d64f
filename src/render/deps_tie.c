/* Who brings whom, what is folded, and the folder that is said once. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/deps.h"

struct path_index {
    const char *path;
    long object;
};

static int compare_paths(const void *a, const void *b)
{
    const struct path_index *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->object > y->object) - (x->object < y->object);
}

static struct path_index *index_paths(const struct deps *deps, size_t *ret_count)
{
    struct path_index *index = xcalloc(deps->object_count + 1, sizeof *index);
    *ret_count = 0;
    for (size_t i = 0; i < deps->object_count; i++)
        if (deps->objects[i].path)
            index[(*ret_count)++] = (struct path_index){deps->objects[i].path, (long)i};
    qsort(index, *ret_count, sizeof *index, compare_paths);
    return index;
}

/* The first object of that path. */
static long find_path(const struct path_index *index, size_t count, const char *path)
{
    size_t low = 0, high = path ? count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return path && low < count && strcmp(index[low].path, path) == 0 ? index[low].object
                                                                     : DEPS_NONE;
}

static long program_of(const struct deps *deps)
{
    return deps->object_count && text_equal(deps->objects[0].how, "program") ? 0 : DEPS_NONE;
}

/* What nobody brings belongs to the program, where that is known. A parent always stands before its
 * child, so that no rows can make a circle. */
static void tie_objects(struct deps *deps, const struct path_index *index, size_t count)
{
    long program = program_of(deps);
    for (long i = 0; i < (long)deps->object_count; i++) {
        struct deps_object *o = &deps->objects[i];
        o->parent = o->loaded_by ? find_path(index, count, o->loaded_by) : program;
        if (o->parent >= i)
            o->parent = program < i ? program : DEPS_NONE;
        if (o->parent == DEPS_NONE)
            continue;
        struct deps_object *parent = &deps->objects[o->parent];
        if (parent->child == DEPS_NONE)
            parent->child = i;
        else
            deps->objects[parent->last_child].next = i;
        parent->last_child = i;
    }
}

/* What is opened fails with the words of the need that fails: its needs come right behind it. */
static void mark_consequences(struct deps *deps)
{
    struct deps_request *opened = NULL;
    for (size_t i = 0; i < deps->request_count; i++) {
        struct deps_request *r = &deps->requests[i];
        if (!text_equal(r->how, "need"))
            opened = r;
        else if (!r->found_path && r->error && opened && !opened->found_path &&
                 text_equal(opened->error, r->error))
            opened->is_consequence = true;
    }
}

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a ? 1 : 0) - (b ? 1 : 0);
}

/* Requests of one object for one name stand together, in the order of asking. */
static int compare_askers(const void *a, const void *b)
{
    const struct deps_request *x = *(const struct deps_request *const *)a;
    const struct deps_request *y = *(const struct deps_request *const *)b;
    int order = compare_texts(x->needed_by, y->needed_by);
    order = order ? order : compare_texts(x->name, y->name);
    order = order ? order : x->required - y->required;
    return order ? order : (x > y) - (x < y);
}

/* An object that is opened again after it failed asks for the same again. */
static void mark_repeated(struct deps *deps)
{
    CLEANUP_FREE struct deps_request **missing = xcalloc(deps->request_count + 1, sizeof *missing);
    size_t count = 0;
    for (size_t i = 0; i < deps->request_count; i++)
        if (deps_is_missing(&deps->requests[i]))
            missing[count++] = &deps->requests[i];
    qsort(missing, count, sizeof *missing, compare_askers);
    for (size_t i = 1; i < count; i++)
        missing[i]->is_repeated = text_equal(missing[i]->needed_by, missing[i - 1]->needed_by) &&
                                  text_equal(missing[i]->name, missing[i - 1]->name) &&
                                  missing[i]->required == missing[i - 1]->required;
}

/* --- what was found and given up again --- */

/* The file that a request comes to although nothing is loaded for it in the end. */
static const char *answer_of(const struct deps_request *r)
{
    bool is_path = r->is_consequence && r->name && strchr(r->name, '/');
    return r->found_path ? r->found_path : is_path ? r->name : NULL;
}

static void add_dropped(struct deps *deps, const struct deps_request *r, const char *path)
{
    bool is_path = !r->name || strchr(r->name, '/');
    deps->objects[deps->object_count++] = (struct deps_object){
        .path = path,
        .soname = is_path ? deps_file_name(path) : r->name,
        .family = r->family,
        .loaded_by = r->needed_by,
        .how = r->how,
        .via = r->via,
        .inside = DEPS_NONE,
        .parent = DEPS_NONE,
        .child = DEPS_NONE,
        .last_child = DEPS_NONE,
        .next = DEPS_NONE,
        .is_dropped = true,
    };
}

/* Where dlopen() fails, the loader takes out again all that came with it. People want to see it. */
static void add_all_dropped(struct deps *deps, struct arena *arena)
{
    size_t count, candidates = 0;
    CLEANUP_FREE struct path_index *index = index_paths(deps, &count);
    CLEANUP_FREE struct path_index *dropped = xcalloc(deps->request_count + 1, sizeof *dropped);
    CLEANUP_FREE bool *is_wanted = xcalloc(deps->request_count + 1, sizeof *is_wanted);
    for (size_t i = 0; i < deps->request_count; i++) {
        const char *path = answer_of(&deps->requests[i]);
        if (path && find_path(index, count, path) == DEPS_NONE)
            dropped[candidates++] = (struct path_index){path, (long)i};
    }
    if (!candidates)
        return;
    qsort(dropped, candidates, sizeof *dropped, compare_paths);
    for (size_t i = 0; i < candidates; i++)
        is_wanted[dropped[i].object] = !i || strcmp(dropped[i].path, dropped[i - 1].path) != 0;
    struct deps_object *all =
        arena_alloc(arena, (deps->object_count + candidates + 1) * sizeof *all);
    if (deps->object_count)
        memcpy(all, deps->objects, deps->object_count * sizeof *all);
    deps->objects = all;
    for (size_t i = 0; i < deps->request_count; i++)
        if (is_wanted[i])
            add_dropped(deps, &deps->requests[i], answer_of(&deps->requests[i]));
}

/* --- requests --- */

static void tie_requests(struct deps *deps, const struct path_index *index, size_t count,
                         struct arena *arena)
{
    long *last = arena_alloc(arena, (deps->object_count + 1) * sizeof *last);
    long program = program_of(deps);
    deps->asked = arena_alloc(arena, (deps->object_count + 1) * sizeof *deps->asked);
    for (size_t i = 0; i < deps->object_count; i++)
        deps->asked[i] = last[i] = DEPS_NONE;
    for (long i = 0; i < (long)deps->request_count; i++) {
        struct deps_request *r = &deps->requests[i];
        r->object = find_path(index, count, answer_of(r));
        r->requester = r->needed_by ? find_path(index, count, r->needed_by) : program;
        r->is_first = r->object != DEPS_NONE && deps->objects[r->object].requests++ == 0;
        if (r->is_first || r->requester == DEPS_NONE)
            continue;
        if (last[r->requester] == DEPS_NONE)
            deps->asked[r->requester] = i;
        else
            deps->requests[last[r->requester]].next = i;
        last[r->requester] = i;
    }
}

/* A library of the system that no one knows by name, found where those lie, or the loader. */
static bool is_plain(const struct deps_object *o)
{
    if (o->family || o->inside == 1)
        return false;
    if (o->soname && text_starts(o->soname, "ld-linux"))
        return true;
    return text_equal(o->how, "need") &&
           (text_equal(o->via, "cache") || text_equal(o->via, "default folder"));
}

static void fold(struct deps *deps)
{
    for (size_t i = deps->object_count; i-- > 0;) {
        struct deps_object *o = &deps->objects[i];
        o->is_folded = is_plain(o);
        for (long child = o->child; child != DEPS_NONE && o->is_folded;
             child = deps->objects[child].next)
            o->is_folded = deps->objects[child].is_folded;
    }
}

/* --- the folder that saves most when it is said once --- */

static size_t saved_by(const struct deps *deps, const char *folder, size_t length,
                       size_t *ret_below)
{
    size_t below = 0;
    for (size_t i = 0; i < deps->object_count; i++) {
        const char *path = deps->objects[i].is_folded ? NULL : deps->objects[i].path;
        below += path && strncmp(path, folder, length) == 0 && path[length] == '/' ? 1 : 0;
    }
    *ret_below = below;
    return below * length;
}

/* The folder of packages that most objects lie below, where it is two of them. */
static const char *common_site(const struct deps *deps)
{
    enum { TRIED = 16 };
    const char *best = NULL, *last = NULL;
    size_t most = 1, tried = 0;
    for (size_t i = 0; i < deps->object_count && tried < TRIED; i++) {
        const char *site = deps->objects[i].site;
        size_t below, saved;
        if (!site || site[0] != '/' || text_equal(site, last))
            continue;
        tried++;
        last = site;
        saved = saved_by(deps, site, strlen(site), &below);
        if (saved && below > most) {
            most = below;
            best = site;
        }
    }
    return best;
}

static void choose_base(struct deps *deps, struct arena *arena)
{
    enum { TRIED = 48, SHORTEST = 12 };
    size_t best = 0, tried = 0;
    if ((deps->base = common_site(deps)))
        return;
    const char *longest = NULL; /* the path whose folders were tried last */
    for (size_t i = 0; i < deps->object_count && tried < TRIED; i++) {
        const char *path = deps->objects[i].is_folded ? NULL : deps->objects[i].path;
        if (!path || path[0] != '/')
            continue;
        for (size_t length = strlen(path); length > SHORTEST && tried < TRIED; length--) {
            if (path[length] != '/' ||
                (longest && strncmp(longest, path, length) == 0 && longest[length] == '/'))
                continue;
            size_t below, saved = saved_by(deps, path, length, &below);
            tried++;
            if (below > 1 && saved > best) {
                best = saved;
                deps->base = arena_strndup(arena, path, length);
            }
        }
        longest = path;
    }
}

void deps_tie(struct deps *deps, struct arena *arena)
{
    size_t count;
    mark_consequences(deps);
    mark_repeated(deps);
    add_all_dropped(deps, arena);
    CLEANUP_FREE struct path_index *index = index_paths(deps, &count);
    tie_objects(deps, index, count);
    tie_requests(deps, index, count, arena);
    fold(deps);
    choose_base(deps, arena);
}
