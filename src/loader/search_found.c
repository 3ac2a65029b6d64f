/* What a search comes to. */
#include <string.h>

#include "loader/search_parts.h"

enum { SHADOWED_MAX = 64 };

/* Whether there is room for one more step or file. */
static bool may_keep(struct search *search)
{
    size_t *kept = &search->process->names->kept;
    return *kept < LOADER_KEPT_MAX && ++*kept;
}

void search_add_step(struct search *search, const struct spot *spot, const char *path,
                     const struct loader_file *file)
{
    struct loader_found *found = search->found;
    struct arena *arena = search->process->arena;
    if (found->step_count == LOADER_STEPS_MAX || !may_keep(search))
        return;
    found->steps = loader_grow(arena, found->steps, &search->step_capacity, found->step_count,
                               sizeof *found->steps);
    found->steps[found->step_count++] =
        (struct loader_step){.via = spot->via, .path = arena_strdup(arena, path), .file = file};
}

void search_add_shadowed(struct search *search, const struct spot *spot, const char *path,
                         const struct loader_file *file)
{
    struct loader_found *found = search->found;
    struct arena *arena = search->process->arena;
    if (file->class != LOADER_FITS || file == found->file || found->shadowed_count == SHADOWED_MAX)
        return;
    for (size_t i = 0; i < found->shadowed_count; i++)
        if (found->shadowed[i].file == file)
            return;
    if (!may_keep(search)) {
        search->process->is_cut = true;
        return;
    }
    found->shadowed = loader_grow(arena, found->shadowed, &search->shadowed_capacity,
                                  found->shadowed_count, sizeof *found->shadowed);
    found->shadowed[found->shadowed_count++] =
        (struct loader_step){.via = spot->via, .path = arena_strdup(arena, path), .file = file};
}

void search_take(struct search *search, const struct spot *spot, const char *path,
                 const struct loader_file *file)
{
    struct arena *arena = search->process->arena;
    struct loader_found *found = search->found;
    const struct loader_element *element = spot->element;
    search->is_over = true;
    found->file = file;
    found->via = spot->via;
    found->owner = spot->owner;
    found->path = arena_strdup(arena, path);
    found->shown = found->path;
    if (!element)
        return;
    size_t length = strlen(element->shown);
    found->list = length > 1 ? arena_strndup(arena, element->shown, length - 1) : element->shown;
    if (element->shown != element->folder->path)
        found->shown = arena_printf(arena, "%s%s%s", element->shown, spot->sub, search->name);
}

void search_leave(struct search *search, const char *path)
{
    if (!search->is_over && !search->found->left_alone)
        search->found->left_alone = arena_strdup(search->process->arena, path);
}
