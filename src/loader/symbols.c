/* Do the symbols fit? glibc, elf/dl-version.c (versions of libraries) and elf/dl-lookup.c. */
#include <string.h>

#include "base/prefix.h"
#include "base/text.h"
#include "elf/symbol.h"
#include "loader/process_parts.h"

enum { MISSING_MAX = 4096 };

/* What answers a version that the object needs. */
struct need_answer {
    bool is_known;
    size_t provider; /* SIZE_MAX: none that has it */
};

struct check {
    struct loader_process *process;
    size_t object;
    bool binds_now;
    const struct loader_prefix *prefixes;
    size_t prefix_count;
    struct prefix *beginnings; /* of each prefix */
    size_t heads[256], *next;  /* prefixes by their first byte: number + 1, 0 ends a chain */
    struct need_answer *needs; /* for each of the object's */
    const char *file;          /* of the need that was asked about last */
    bool is_wanted;
    size_t *scope; /* objects whose symbols the object sees; NULL: not worked out yet */
    size_t scope_count;
    size_t missing_capacity;
    struct loader_symbols *ret;
};

static const struct loader_file *file_of(const struct check *check, size_t object)
{
    return check->process->objects[object].file;
}

static void add_missing(struct check *check, const struct loader_missing *missing)
{
    struct loader_symbols *ret = check->ret;
    if (ret->missing_count == MISSING_MAX)
        return;
    ret->missing = loader_grow(check->process->arena, ret->missing, &check->missing_capacity,
                               ret->missing_count, sizeof *ret->missing);
    ret->missing[ret->missing_count++] = *missing;
}

static void add_problem(struct check *check, size_t object, const char *sentence)
{
    if (!check->ret->problem)
        check->ret->problem = object == check->object
                                  ? sentence
                                  : arena_printf(check->process->arena, "%s: %s",
                                                 check->process->objects[object].path, sentence);
}

/* --- versions --- */

static bool has_version(const struct elf_object *object, const char *version)
{
    for (size_t i = 0; i < object->definition_count; i++)
        if (text_equal(object->definitions[i].version, version))
            return true;
    return false;
}

/* A library without any versions answers every reference, and one that could not be read may have
 * what is asked for. */
static bool lacks_version(const struct check *check, size_t provider, const char *version)
{
    const struct loader_file *file = file_of(check, provider);
    return !file->problem && file->object.definition_count && !has_version(&file->object, version);
}

static void check_versions(struct check *check, const struct elf_object *object)
{
    for (size_t i = 0; i < object->need_count; i++) {
        const struct elf_version_need *need = &object->needs[i];
        size_t provider = loader_known(check->process, need->file);
        if (provider == SIZE_MAX || need->is_weak || !lacks_version(check, provider, need->version))
            continue;
        add_missing(check, &(struct loader_missing){
                               .user = check->object,
                               .provider = provider,
                               .version = need->version,
                               .is_fatal = true,
                           });
    }
}

/* --- where symbols are looked up --- */

static void find_scope(struct check *check)
{
    struct loader_process *process = check->process;
    size_t root = process->names->infos[check->object].root, count = 0, *closure = NULL;
    if (root != SIZE_MAX)
        count = loader_closure(process, root, process->arena, &closure);
    check->scope =
        arena_alloc(process->arena, (process->object_count + count + 1) * sizeof *check->scope);
    for (size_t i = 0; i < process->object_count; i++)
        if (process->objects[i].is_global && !process->objects[i].is_removed)
            check->scope[check->scope_count++] = i;
    for (size_t i = 0; i < count; i++)
        if (!process->objects[closure[i]].is_global)
            check->scope[check->scope_count++] = closure[i];
}

/* Unknown counts as defined. */
static bool defines(struct check *check, size_t object, const char *name, const char *version)
{
    const struct loader_file *file = file_of(check, object);
    if (file->problem || !file->object.is_dynamic)
        return file->problem != NULL;
    struct elf_file *elf = loader_store_reopen(check->process->store, file);
    uint64_t before = elf ? elf->lookups : 0;
    int r = elf ? elf_symbol_defined(elf, &file->object, name, version) : -1;
    /* the more objects there are, the longer it takes to find the open file */
    check->process->names->lookups +=
        check->process->object_count / 64 + (elf ? (size_t)(elf->lookups - before) : 1);
    if (r < 0)
        add_problem(check, object,
                    elf ? "its symbols cannot be looked up" : "it cannot be opened any more");
    return r != 0;
}

static bool scope_defines(struct check *check, const char *name, const char *version)
{
    if (!check->scope)
        find_scope(check);
    for (size_t i = 0; i < check->scope_count; i++)
        if (defines(check, check->scope[i], name, version))
            return true;
    return false;
}

/* --- references --- */

static bool starts_with_any(const char *soname, const char *const *prefixes)
{
    for (size_t i = 0; soname && prefixes[i]; i++)
        if (text_starts(soname, prefixes[i]))
            return true;
    return false;
}

static bool is_known_library(const struct check *check, const char *soname)
{
    for (size_t i = 0; i < check->prefix_count; i++)
        if (starts_with_any(soname, check->prefixes[i].sonames))
            return true;
    return false;
}

/* Several versions of one library have its name in common. */
static bool wants(void *data, const struct elf_version_need *need)
{
    struct check *check = data;
    if (!need)
        return check->prefix_count > 0;
    if (need->file != check->file) {
        check->file = need->file;
        check->is_wanted = is_known_library(check, need->file);
    }
    return check->is_wanted;
}

static void add_symbol(struct check *check, const struct elf_undefined *symbol, size_t provider)
{
    struct arena *arena = check->process->arena;
    add_missing(check, &(struct loader_missing){
                           .user = check->object,
                           .provider = provider,
                           .symbol = arena_strdup(arena, symbol->name),
                           .version = symbol->need ? symbol->need->version : NULL,
                           .is_fatal = check->binds_now || !symbol->is_function,
                       });
}

/* A version that is missing altogether has been told. */
static size_t provider_of(struct check *check, const struct elf_version_need *need)
{
    size_t provider = loader_known(check->process, need->file);
    if (provider == SIZE_MAX)
        return SIZE_MAX;
    check->process->names->lookups += file_of(check, provider)->object.definition_count / 8;
    return lacks_version(check, provider, need->version) ? SIZE_MAX : provider;
}

static void check_versioned(struct check *check, const struct elf_undefined *symbol)
{
    const char *version = symbol->need->version;
    struct need_answer *answer =
        &check->needs[symbol->need - file_of(check, check->object)->object.needs];
    if (!answer->is_known)
        *answer = (struct need_answer){true, provider_of(check, symbol->need)};
    size_t provider = answer->provider;
    if (provider == SIZE_MAX)
        return;
    check->ret->checked++;
    if (!defines(check, provider, symbol->name, version) &&
        !scope_defines(check, symbol->name, version))
        add_symbol(check, symbol, provider);
}

/* There may be a hundred prefixes and a hundred thousand names. */
static void chain_prefixes(struct check *check)
{
    struct arena *arena = check->process->arena;
    check->next = arena_alloc(arena, (check->prefix_count + 1) * sizeof *check->next);
    check->beginnings = arena_alloc(arena, (check->prefix_count + 1) * sizeof *check->beginnings);
    for (size_t i = 0; i < check->prefix_count; i++) {
        check->beginnings[i] = prefix_of(check->prefixes[i].prefix);
        size_t *head = &check->heads[(unsigned char)*check->prefixes[i].prefix];
        check->next[i] = *head;
        *head = i + 1;
    }
}

/* The longest. */
static const struct loader_prefix *find_prefix(const struct check *check, const char *name)
{
    const struct loader_prefix *best = NULL;
    size_t at = check->heads[(unsigned char)*name], length = 0;
    uint64_t head = at ? prefix_head(name) : 0;
    for (; at; at = check->next[at - 1]) {
        const struct prefix *beginning = &check->beginnings[at - 1];
        if ((best && beginning->length <= length) || !prefix_fits(beginning, name, head))
            continue;
        best = &check->prefixes[at - 1];
        length = beginning->length;
    }
    return best;
}

static bool wants_name(void *data, const char *name)
{
    return find_prefix(data, name) != NULL;
}

static void check_unversioned(struct check *check, const struct elf_undefined *symbol)
{
    const struct loader_prefix *prefix = find_prefix(check, symbol->name);
    size_t provider = SIZE_MAX, providers = 0;
    if (!prefix)
        return;
    check->ret->checked++;
    if (!check->scope)
        find_scope(check);
    for (size_t i = 0; i < check->scope_count; i++) {
        if (!starts_with_any(file_of(check, check->scope[i])->object.soname, prefix->sonames))
            continue;
        if (defines(check, check->scope[i], symbol->name, NULL))
            return;
        provider = check->scope[i];
        providers++;
    }
    if (!scope_defines(check, symbol->name, NULL))
        add_symbol(check, symbol, providers == 1 ? provider : SIZE_MAX);
}

static bool each(void *data, const struct elf_undefined *symbol)
{
    struct check *check = data;
    if (check->process->names->lookups > LOADER_LOOKUPS_MAX) {
        add_problem(check, check->object, "more symbols are to be looked up than is done");
        return false;
    }
    if (symbol->need)
        check_versioned(check, symbol);
    else
        check_unversioned(check, symbol);
    return check->ret->missing_count < MISSING_MAX;
}

void loader_check_symbols(struct loader_process *process, size_t object, bool binds_now,
                          const struct loader_prefix *prefixes, size_t prefix_count,
                          struct loader_symbols *ret)
{
    const struct loader_file *file = process->objects[object].file;
    struct check check = {
        .process = process,
        .object = object,
        .binds_now = binds_now || file->object.binds_now,
        .prefixes = prefixes,
        .prefix_count = prefix_count,
        .ret = ret,
    };
    *ret = (struct loader_symbols){0};
    if (file->problem) {
        add_problem(&check, object, file->problem);
        return;
    }
    if (!file->object.is_dynamic)
        return;
    check_versions(&check, &file->object);
    chain_prefixes(&check);
    check.needs = arena_alloc(process->arena, (file->object.need_count + 1) * sizeof *check.needs);
    static const struct elf_undefined_filter filter = {
        .wants = wants, .wants_name = wants_name, .skips_weak = true};
    struct elf_file *elf = loader_store_reopen(process->store, file);
    if (!elf)
        add_problem(&check, object, "it cannot be opened any more");
    else if (elf_each_undefined(elf, &file->object, &filter, each, &check) < 0)
        add_problem(&check, object, "its symbols cannot be read");
    /* its names are not asked for again: the next object's may take their place */
    if (elf)
        elf_file_forget(elf);
}
