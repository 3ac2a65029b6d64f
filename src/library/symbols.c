#include "library/symbols.h"

#include <string.h>

#include "base/text.h"
#include "library/shown.h"
#include "library/symbol_memo.h"

enum { MISSING_ROWS_MAX = 20 };

/* What the loader says of it. */
static const char *message_of(struct simulation *simulation, const struct loader_missing *missing)
{
    struct arena *arena = simulation->scene->context->arena;
    const char *user = shown_object(simulation, missing->user);
    if (!missing->symbol)
        return arena_printf(
            arena, "%s: version `%s' not found (required by %s)",
            missing->provider == SIZE_MAX ? "?" : shown_object(simulation, missing->provider),
            missing->version, user);
    return missing->version
               ? arena_printf(arena, "%s: undefined symbol: %s, version %s", user, missing->symbol,
                              missing->version)
               : arena_printf(arena, "%s: undefined symbol: %s", user, missing->symbol);
}

static const char *family_of_symbol(const struct scene *scene, const char *symbol)
{
    const char *best = NULL;
    size_t length = 0;
    for (size_t i = 0; symbol && i < scene->known.count; i++)
        for (size_t k = 0; k < scene->known.items[i].symbol_count; k++) {
            const char *prefix = scene->known.items[i].symbols[k];
            if (strlen(prefix) > length && text_starts(symbol, prefix)) {
                best = scene->known.items[i].name;
                length = strlen(prefix);
            }
        }
    return best;
}

static const char *family_of(const struct simulation *simulation,
                             const struct loader_missing *missing)
{
    const struct loader_object *provider =
        missing->provider == SIZE_MAX ? NULL : &simulation->process.objects[missing->provider];
    if (!provider)
        return family_of_symbol(simulation->scene, missing->symbol);
    const struct library_spec *family =
        scene_family(simulation->scene, provider->file->object.soname, provider->path);
    return family ? family->name : NULL;
}

static bool has_family(const struct simulation *simulation, const char *family)
{
    const struct loader_process *process = &simulation->process;
    for (size_t i = 0; family && i < process->object_count; i++) {
        const struct loader_object *object = &process->objects[i];
        const struct library_spec *spec =
            scene_family(simulation->scene, object->file->object.soname, object->path);
        if (!object->is_removed && spec && !strcmp(spec->name, family))
            return true;
    }
    return false;
}

/* In a tree that holds a part of a machine, whatever is not there may define it. */
static bool counts(const struct simulation *simulation, const struct loader_missing *missing)
{
    return missing->provider != SIZE_MAX || !simulation->scene->is_partial ||
           has_family(simulation, family_of_symbol(simulation->scene, missing->symbol));
}

static void add_missing(struct simulation *simulation, const struct loader_missing *missing)
{
    facts_add_missing_symbol(simulation->scene->context->facts,
                             &(struct row_missing_symbol){
                                 .process_id = simulation->process_id,
                                 .environment_id = simulation->environment_id,
                                 .framework_id = simulation->framework_id,
                                 .path = shown_object(simulation, missing->user),
                                 .symbol = missing->symbol,
                                 .version = missing->version,
                                 .provider = missing->provider == SIZE_MAX
                                                 ? NULL
                                                 : shown_object(simulation, missing->provider),
                                 .family = family_of(simulation, missing),
                                 .fatal = known(missing->is_fatal),
                             });
}

/* Whether another provider may be loaded in truth, from a place that was left alone. */
static bool is_doubtful(const struct simulation *simulation, const struct loader_missing *missing)
{
    const struct loader_process *process = &simulation->process;
    return missing->provider == SIZE_MAX ? process->left_alone != NULL
                                         : process->objects[missing->provider].is_doubtful;
}

static const char *doubt_of(const struct simulation *simulation,
                            const struct loader_symbols *symbols)
{
    for (size_t i = 0; i < symbols->missing_count; i++)
        if (counts(simulation, &symbols->missing[i]) &&
            is_doubtful(simulation, &symbols->missing[i]))
            return arena_printf(simulation->scene->context->arena,
                                "what it lacks may be in %s, which lies on another machine and "
                                "was not looked at",
                                simulation->process.left_alone);
    return NULL;
}

/* Those of one provider stand wherever they stand: they are counted. */
static bool has_room(const struct loader_symbols *symbols, size_t at)
{
    size_t before = 0;
    for (size_t i = 0; i < at && before < MISSING_ROWS_MAX; i++)
        before += symbols->missing[i].provider == symbols->missing[at].provider;
    return before < MISSING_ROWS_MAX;
}

/* How many are missing. */
static size_t take_missing(struct simulation *simulation, size_t object,
                           const struct loader_symbols *symbols)
{
    size_t count = 0;
    for (size_t i = 0; i < symbols->missing_count; i++) {
        const struct loader_missing *missing = &symbols->missing[i];
        if (!counts(simulation, missing) || is_doubtful(simulation, missing))
            continue;
        count++;
        if (has_room(symbols, i))
            add_missing(simulation, missing);
        if (missing->is_fatal && simulation->needs_object[object] && !simulation->error) {
            simulation->outcome = "fails";
            simulation->error = message_of(simulation, missing);
        }
    }
    return count;
}

static void add_check(struct simulation *simulation, size_t object, size_t checked, size_t missing,
                      const char *problem)
{
    facts_add_symbol_check(simulation->scene->context->facts,
                           &(struct row_symbol_check){
                               .process_id = simulation->process_id,
                               .environment_id = simulation->environment_id,
                               .framework_id = simulation->framework_id,
                               .path = shown_object(simulation, object),
                               .checked = known((int64_t)checked),
                               .missing = known((int64_t)missing),
                               .problem = problem,
                           });
}

static void check(struct simulation *simulation, size_t object, bool binds_now)
{
    struct scene *scene = simulation->scene;
    struct loader_symbols symbols = {0};
    size_t checked;
    if (symbol_memo_find(scene->memo, simulation, object, &checked)) {
        add_check(simulation, object, checked, 0, NULL);
        return;
    }
    size_t count;
    const struct loader_prefix *prefixes =
        scene_prefixes(scene, &simulation->process.objects[object], &count);
    loader_check_symbols(&simulation->process, object, binds_now, prefixes, count, &symbols);
    size_t missing = take_missing(simulation, object, &symbols);
    const char *problem = symbols.problem ? symbols.problem : doubt_of(simulation, &symbols);
    if (!missing && !problem)
        symbol_memo_add(scene->memo, simulation, object, symbols.checked);
    add_check(simulation, object, symbols.checked, missing, problem);
}

/* Part of the framework, or a known library; not the program. */
static bool is_of_interest(const struct simulation *simulation, size_t object)
{
    const struct loader_object *item = &simulation->process.objects[object];
    const char *site;
    if (item->via == VIA_PROGRAM)
        return false;
    return scene_family(simulation->scene, item->file->object.soname, item->path) ||
           (simulation->place && place_holds(simulation->place, item->path, &site));
}

/* Objects are bound as the dlopen() that brings them says. */
static void find_binding(const struct simulation *simulation, bool *binds_now)
{
    const struct loader_process *process = &simulation->process;
    for (size_t i = 0; i < simulation->opening_count; i++) {
        const struct opening *opening = &simulation->openings[i];
        for (size_t k = opening->first; opening->binds_now && k < opening->end; k++)
            if (process->requests[k].is_first && process->requests[k].object != SIZE_MAX)
                binds_now[process->requests[k].object] = true;
    }
}

void symbols_check(struct simulation *simulation)
{
    struct scene *scene = simulation->scene;
    size_t count = simulation->process.object_count;
    bool *binds_now = arena_alloc(scene->context->arena, count + 1);
    find_binding(simulation, binds_now);
    symbol_memo_enter(scene->memo, simulation);
    /* Of what one dlopen() brings the loader binds the needs before those who need them, so the
     * message is of the last object that misses something. */
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && !simulation->process.objects[end].is_opened;)
            end++;
        for (size_t i = end; i-- > first;)
            if (!simulation->process.objects[i].is_removed && is_of_interest(simulation, i))
                check(simulation, i, scene->binds_at_load || binds_now[i]);
    }
}
