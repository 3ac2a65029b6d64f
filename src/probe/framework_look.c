/* The sources of a descriptor, one after the other. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "elf/needed.h"
#include "probe/framework.h"
#include "probe/look.h"
#include "probe/site.h"

enum { FILE_HEAD = 64 * 1024, EVIDENCE_MAX = 300 };

struct look {
    struct probe_context *context;
    const struct framework_environment *environment;
    const struct framework_install *install;
    struct framework_findings *found;
    /* the file read last: several sources look at the same one */
    const char *file;
    struct bytes text;
    int file_error;
};

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

static const char *joined_cuda(struct pattern *pattern, struct arena *arena)
{
    const char *major = group(pattern, "cuda_major", arena);
    const char *minor = group(pattern, "cuda_minor", arena);
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
    set_field(look, FIELD_CUDA, joined_cuda(pattern, arena), is_new);
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

/* Takes what the matched patterns and "set" say; `path` and `words` are where it stands. */
static void take_match(struct look *look, const struct framework_source *source, const char *path,
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
    if (!was_told && (is_new[FIELD_VARIANT] || is_new[FIELD_CUDA])) {
        found->evidence_path = path;
        found->evidence = as_evidence(look->context->arena, words);
    }
}

static void search_text(struct look *look, const struct framework_source *source, const char *path,
                        const char *text)
{
    if (text && pattern_search(source->pattern, text, strlen(text)))
        take_match(look, source, path, pattern_match(source->pattern, look->context->arena));
}

/* --- the kinds of sources --- */

static int read_file(struct look *look, const char *path)
{
    struct probe_context *context = look->context;
    if (text_equal(look->file, path))
        return look->file_error;
    bytes_done(&look->text);
    look->file = path;
    look->file_error = machine_read_head(context->machine, path, FILE_HEAD, &look->text);
    if (look->file_error < 0 && look->file_error != -ENOENT && look->file_error != -ENOTDIR)
        probe_note(context, "framework", look->environment->id, path, look->file_error, "framework",
                   NULL);
    return look->file_error;
}

/* True when the file is there, whatever it says. */
static bool look_at_file(struct look *look, const struct framework_source *source, const char *site)
{
    struct arena *arena = look->context->arena;
    char *path = arena_printf(arena, "%s/%s", site, source->path);
    if (!source->pattern) {
        bool is_there = machine_exists(look->context->machine, path);
        if (is_there)
            take_match(look, source, path, source->path);
        return is_there;
    }
    int r = read_file(look, path);
    if (r == 0 && pattern_search(source->pattern, look->text.data, look->text.length))
        take_match(look, source, path, pattern_match(source->pattern, arena));
    return r != -ENOENT && r != -ENOTDIR;
}

/* True when the shared object is there, whatever it asks for. */
static bool look_at_needed(struct look *look, const struct framework_source *source,
                           const char *site)
{
    struct probe_context *context = look->context;
    char *path = arena_printf(context->arena, "%s/%s", site, source->path);
    CLEANUP_CLOSE int fd = -1;
    struct elf_names names = {0};
    struct error err;
    int r = machine_open(context->machine, path, &fd);
    if (r == -ENOENT || r == -ENOTDIR)
        return false;
    if (r == 0)
        r = elf_needed(fd, context->arena, &names, &err);
    if (r < 0)
        probe_note(context, "framework", look->environment->id, path, r, "framework",
                   r == -ENOEXEC || r == -EBADMSG ? err.text : NULL);
    for (size_t i = 0; i < names.count; i++)
        search_text(look, source, path, names.items[i]);
    return true;
}

/* Of a file or shared object that the installation's folders may hold. */
static void look_at_files(struct look *look, const struct framework_source *source)
{
    bool (*look_at)(struct look *, const struct framework_source *, const char *) =
        source->kind == SOURCE_NEEDED ? look_at_needed : look_at_file;
    struct probe_context *context = look->context;
    const struct framework_environment *environment = look->environment;
    if (look->install->dist) {
        look_at(look, source, look->install->dist->site);
        return;
    }
    /* conda's record names the prefix; the files lie in one of its site folders */
    struct site_list sites;
    site_folders(context->machine, context->arena, environment->id, environment->kind,
                 environment->python, &sites);
    for (size_t i = 0; i < sites.count && !look_at(look, source, sites.items[i]); i++)
        ;
    site_list_done(&sites);
}

static void look_at_version(struct look *look, const struct framework_source *source)
{
    const struct framework_package *record = any_record(look->install);
    const char *full = look->found->fields[FIELD_VERSION];
    if (full && pattern_search(source->pattern, full, strlen(full)))
        search_text(look, source, look->found->version_path, full);
    else
        search_text(look, source, record->path, record->version);
}

static bool both_match(const struct framework_source *source, const char *name, const char *value)
{
    return pattern_search(source->name, name, strlen(name)) &&
           (!source->pattern || (value && pattern_search(source->pattern, value, strlen(value))));
}

static void look_at_packages(struct look *look, const struct framework_source *source)
{
    const struct framework_environment *environment = look->environment;
    for (size_t i = 0; i < environment->count; i++) {
        const struct framework_package *item = &environment->packages[i];
        if (!both_match(source, item->name, item->version))
            continue;
        take_match(look, source, item->path,
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
                                          "ORDER BY rowid");
    sqlite3_bind_text(query, 1, look->environment->id, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, record->name, -1, SQLITE_STATIC);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const char *name = ask_column(look->context, query, 0);
        const char *value = ask_column(look->context, query, 1);
        if (!name || !both_match(source, name, value))
            continue;
        take_match(look, source, record->path,
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

void framework_look(struct probe_context *context, const struct framework_spec *spec,
                    const struct framework_environment *environment,
                    const struct framework_install *install, struct framework_findings *ret)
{
    *ret = (struct framework_findings){0};
    struct look look = {
        .context = context, .environment = environment, .install = install, .found = ret};
    for (size_t i = 0; i < spec->source_count; i++) {
        const struct framework_source *source = &spec->sources[i];
        if (!is_wanted(source, ret))
            continue;
        if (source->kind == SOURCE_FILE || source->kind == SOURCE_NEEDED)
            look_at_files(&look, source);
        else if (source->kind == SOURCE_VERSION)
            look_at_version(&look, source);
        else if (source->kind == SOURCE_BUILD && install->conda)
            search_text(&look, source, install->conda->path, install->conda->build);
        else if (source->kind == SOURCE_REQUIREMENT)
            look_at_requirements(&look, source);
        else if (source->kind == SOURCE_PACKAGE)
            look_at_packages(&look, source);
    }
    bytes_done(&look.text);
    if (!ret->fields[FIELD_VARIANT] && ret->fields[FIELD_CUDA])
        ret->fields[FIELD_VARIANT] = "cuda";
}
