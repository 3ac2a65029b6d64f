#include "library/symbol_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct provider_set {
    const struct loader_file **files; /* by address */
    size_t count;
    bool is_inside; /* all of them are in the present set */
};

struct checked_object {
    const struct loader_file *file;
    uint64_t needs; /* the files that answer its DT_NEEDED */
    size_t set, checked;
};

struct symbol_memo {
    struct arena *arena;
    struct provider_set *sets;
    size_t set_count, set_capacity;
    size_t present;
    struct checked_object *objects;
    size_t object_count, object_capacity;
};

struct symbol_memo *symbol_memo_new(struct arena *arena)
{
    struct symbol_memo *memo = xcalloc(1, sizeof *memo);
    memo->arena = arena;
    return memo;
}

void symbol_memo_free(struct symbol_memo *memo)
{
    if (!memo)
        return;
    free(memo->sets);
    free(memo->objects);
    free(memo);
}

static int by_address(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const struct loader_file *const *)a;
    uintptr_t right = (uintptr_t) * (const struct loader_file *const *)b;
    return (left > right) - (left < right);
}

/* Both are sorted. */
static bool is_subset(const struct provider_set *small, const struct provider_set *large)
{
    size_t k = 0;
    for (size_t i = 0; i < small->count; i++) {
        while (k < large->count && large->files[k] != small->files[i])
            k++;
        if (k == large->count)
            return false;
    }
    return true;
}

void symbol_memo_enter(struct symbol_memo *memo, const struct simulation *simulation)
{
    const struct loader_process *process = &simulation->process;
    struct provider_set set = {
        .files = arena_alloc(memo->arena, (process->object_count + 1) * sizeof *set.files),
        .is_inside = true,
    };
    for (size_t i = 0; i < process->object_count; i++) {
        const struct loader_object *object = &process->objects[i];
        if (!object->is_removed &&
            scene_family(simulation->scene, object->file->object.soname, object->path))
            set.files[set.count++] = object->file;
    }
    qsort(set.files, set.count, sizeof *set.files, by_address);
    for (size_t i = 0; i < memo->set_count; i++)
        memo->sets[i].is_inside = is_subset(&memo->sets[i], &set);
    memo->sets = xgrow(memo->sets, &memo->set_capacity, memo->set_count + 1, sizeof *memo->sets);
    memo->present = memo->set_count;
    memo->sets[memo->set_count++] = set;
}

/* Over the addresses of the files that answer its needs. */
static uint64_t hash_needs(const struct simulation *simulation, size_t object)
{
    const struct loader_process *process = &simulation->process;
    const struct elf_object *elf = &process->objects[object].file->object;
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < elf->needed_count; i++) {
        size_t answer = loader_process_find(process, elf->needed[i]);
        uintptr_t file = answer == SIZE_MAX ? 0 : (uintptr_t)process->objects[answer].file;
        hash = hash_bytes(hash, &file, sizeof file);
    }
    return hash;
}

bool symbol_memo_find(const struct symbol_memo *memo, const struct simulation *simulation,
                      size_t object, size_t *ret_checked)
{
    const struct loader_file *file = simulation->process.objects[object].file;
    for (size_t i = 0; i < memo->object_count; i++) {
        const struct checked_object *known = &memo->objects[i];
        if (known->file != file || !memo->sets[known->set].is_inside ||
            known->needs != hash_needs(simulation, object))
            continue;
        *ret_checked = known->checked;
        return true;
    }
    return false;
}

void symbol_memo_add(struct symbol_memo *memo, const struct simulation *simulation, size_t object,
                     size_t checked)
{
    memo->objects =
        xgrow(memo->objects, &memo->object_capacity, memo->object_count + 1, sizeof *memo->objects);
    memo->objects[memo->object_count++] = (struct checked_object){
        .file = simulation->process.objects[object].file,
        .needs = hash_needs(simulation, object),
        .set = memo->present,
        .checked = checked,
    };
}
