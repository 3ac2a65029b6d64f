/* The sources of a descriptor, one after the other. */
#include "python/framework_look.h"

#include <string.h>

#include "base/cleanup.h"
#include "probe/look.h"

enum { EVIDENCE_MAX = 300 };

static const struct framework_package *any_record(const struct framework_install *install)
{
    return install->dist ? install->dist : install->conda;
}

/* --- what a match says --- */

static const char *group(struct pattern *pattern, const char *name, struct arena *arena)
{
    const char *text = pattern ? pattern_group(pattern, name, arena) : NULL;
    return text && *text && utf8_valid(text, strlen(text)) ? text : NULL;
}

static const char *joined(struct pattern *pattern, const char *major_name, const char *minor_name,
                          struct arena *arena)
{
    const char *major = group(pattern, major_name, arena);
    const char *minor = group(pattern, minor_name, arena);
    return major && minor ? arena_printf(arena, "%s.%s", major, minor) : major;
}

static void set_field(struct look *look, int field, const char *value, bool *is_new)
{
    if (!value || look->found->fields[field])
        return;
    look->found->fields[field] = value;
    is_new[field] = true;
}

static void take_groups(struct look *look, struct pattern *pattern, bool *is_new)
{
    struct arena *arena = look->context->arena;
    for (int i = 0; pattern && i < FIELD_COUNT; i++)
        set_field(look, i, group(pattern, framework_field_names[i], arena), is_new);
    set_field(look, FIELD_CUDA, joined(pattern, "cuda_major", "cuda_minor", arena), is_new);
    set_field(look, FIELD_CUDNN, joined(pattern, "cudnn_major", "cudnn_minor", arena), is_new);
    if (group(pattern, "hip", arena))
        set_field(look, FIELD_VARIANT, "rocm", is_new);
    if (group(pattern, "xpu", arena))
        set_field(look, FIELD_VARIANT, "xpu", is_new);
}

/* One line, not too long, safe to show. */
static const char *as_evidence(struct arena *arena, const char *words)
{
    CLEANUP_TEXT struct text safe = {0};
    size_t length = strnlen(words, EVIDENCE_MAX);
    text_add_safe(&safe, words, length, false);
    return arena_strdup(arena, text_get(&safe));
}

bool look_take(struct look *look, const struct framework_source *source, const char *path,
               const char *words)
{
    struct framework_findings *found = look->found;
    bool is_new[FIELD_COUNT] = {false};
    bool was_told = found->fields[FIELD_VARIANT] || found->fields[FIELD_CUDA];
    take_groups(look, source->pattern, is_new);
    take_groups(look, source->name, is_new);
    for (int i = 0; i < FIELD_COUNT; i++)
        set_field(look, i, source->set[i], is_new);
    if (is_new[FIELD_VERSION])
        found->version_path = path;
    if (is_new[FIELD_CUDNN])
        found->cudnn_path = path;
    if (is_new[FIELD_NCCL])
        found->nccl_path = path;
    if (!was_told && (is_new[FIELD_VARIANT] || is_new[FIELD_CUDA])) {
        found->evidence_path = path;
        found->evidence = as_evidence(look->context->arena, words);
    }
    return true;
}

bool look_search(struct look *look, const struct framework_source *source, const char *path,
                 const char *text, size_t length)
{
    return pattern_search(source->pattern, text, length) &&
           look_take(look, source, path, pattern_match(source->pattern, look->context->arena));
}

static void search_text(struct look *look, const struct framework_source *source, const char *path,
                        const char *text)
{
    if (text)
        look_search(look, source, path, text, strlen(text));
}

/* --- the kinds of sources --- */

/* The version in a file has a tag ("2.6.0+cu124") also where the wheel's own has none, as those of
 * the public index: whose build it is, only the recorded one tells. */
static void look_at_version(struct look *look, const struct framework_source *source)
{
    const struct framework_package *record = any_record(look->install);
    const char *full = look->found->fields[FIELD_VERSION];
    const char *channel = look->found->fields[FIELD_CHANNEL];
    bool is_recorded = record->version &&
                       pattern_search(source->pattern, record->version, strlen(record->version));
    if (!full || !look_search(look, source, look->found->version_path, full, strlen(full)))
        search_text(look, source, record->path, record->version);
    else if (!is_recorded)
        look->found->fields[FIELD_CHANNEL] = channel;
}

static bool both_match(const struct framework_source *source, const char *name, const char *value)
{
    return pattern_search(source->name, name, strlen(name)) &&
           (!source->pattern || (value && pattern_search(source->pattern, value, strlen(value))));
}

/* A name's group `for_cuda` is the CUDA that the other package is made for: where the framework's
 * is known and another one, it is not the package that the framework uses. */
static bool is_for_other_cuda(const struct look *look, const struct framework_source *source)
{
    const char *cuda = look->found->fields[FIELD_CUDA];
    const char *major = group(source->name, "for_cuda", look->context->arena);
    return cuda && major &&
           (!text_starts(cuda, major) || (cuda[strlen(major)] && cuda[strlen(major)] != '.'));
}

static void look_at_packages(struct look *look, const struct framework_source *source)
{
    const struct framework_environment *environment = look->environment;
    for (size_t i = 0; i < environment->count; i++) {
        const struct framework_package *item = &environment->packages[i];
        if (!both_match(source, item->name, item->version) || is_for_other_cuda(look, source))
            continue;
        look_take(look, source, item->path,
                  arena_printf(look->context->arena, "%s %s", item->name, item->version));
        return;
    }
}

static void look_at_requirements(struct look *look, const struct framework_source *source)
{
    struct arena *arena = look->context->arena;
    const struct framework_package *record = any_record(look->install);
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(look->context->facts, "SELECT requires, specifier FROM requirement "
                                          "WHERE environment_id = ?1 AND package = ?2 "
                                          "AND rowid BETWEEN ?3 AND ?4 ORDER BY rowid");
    sqlite3_bind_text(query, 1, look->environment->id, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, record->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(query, 3, look->environment->requirements.first);
    sqlite3_bind_int64(query, 4, look->environment->requirements.last);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const char *name = ask_column(look->context, query, 0);
        const char *value = ask_column(look->context, query, 1);
        if (!name || !both_match(source, name, value))
            continue;
        look_take(look, source, record->path,
                  arena_printf(arena, "%s%s", name, value ? value : ""));
        break;
    }
}

static bool is_wanted(const struct framework_source *source, const struct framework_findings *found)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (source->when[i] &&
            strcmp(source->when[i], found->fields[i] ? found->fields[i] : "") != 0)
            return false;
    return true;
}

static void look_at(struct look *look, const struct framework_source *source)
{
    const struct framework_install *install = look->install;
    const struct framework_package *record = any_record(install);
    switch (source->kind) {
    case SOURCE_VERSION:
        look_at_version(look, source);
        break;
    case SOURCE_NAME:
        search_text(look, source, record->path, record->name);
        break;
    case SOURCE_BUILD:
        if (install->conda)
            search_text(look, source, install->conda->path, install->conda->build);
        break;
    case SOURCE_REQUIREMENT:
        look_at_requirements(look, source);
        break;
    case SOURCE_PACKAGE:
        look_at_packages(look, source);
        break;
    default:
        look_at_files(look, source);
    }
}

void framework_look(struct probe_context *context, const struct framework_spec *spec,
                    const struct framework_environment *environment,
                    const struct framework_install *install, struct framework_findings *ret)
{
    *ret = (struct framework_findings){0};
    struct look look = {
        .context = context, .environment = environment, .install = install, .found = ret};
    for (size_t i = 0; i < spec->source_count; i++)
        if (is_wanted(&spec->sources[i], ret))
            look_at(&look, &spec->sources[i]);
    bytes_done(&look.text);
    if (!ret->fields[FIELD_VARIANT] && ret->fields[FIELD_CUDA])
        ret->fields[FIELD_VARIANT] = "cuda";
}
