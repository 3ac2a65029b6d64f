/* Frameworks: the packages that a descriptor knows, with what their files say of their build. */
#include "python/framework.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pep440.h"
#include "base/text.h"
#include "probe/look.h"

/* --- the row --- */

/* Whose build it is. A descriptor may know it from the files or from a wheel's local version. The
 * public index takes no local version, and what an installer did not take from an index is no
 * build of it: a distribution's package, a wheel by its path, a build from source. */
static const char *channel_of(const struct framework_install *install,
                              const struct framework_findings *found)
{
    const char *told = found->fields[FIELD_CHANNEL];
    if (install->conda)
        return install->conda->channel;
    if (told && strcmp(told, "pypi") != 0)
        return strcmp(told, "unknown") != 0 ? told : NULL;
    bool is_public =
        text_equal(install->dist->origin, "index") && !strchr(install->dist->version, '+');
    return is_public ? "pypi" : NULL;
}

static const char *manager_of(const struct framework_environment *environment,
                              const struct framework_install *install)
{
    if (install->dist && install->dist->installer)
        return install->dist->installer;
    return install->conda ? "conda" : environment->manager;
}

static void add_row(struct probe_context *context, const struct framework_spec *spec,
                    const struct framework_environment *environment,
                    const struct framework_install *install)
{
    struct arena *arena = context->arena;
    struct framework_findings found;
    const struct framework_package *record = install->dist ? install->dist : install->conda;
    framework_look(context, spec, environment, install, &found);
    bool is_told = found.fields[FIELD_VERSION] && pep440_valid(found.fields[FIELD_VERSION]);
    const char *version = is_told ? found.fields[FIELD_VERSION] : record->version;
    facts_add_framework(
        context->facts,
        &(struct row_framework){
            .environment_id = environment->id,
            .framework_id = arena_printf(arena, "%s:%s", environment->id, spec->name),
            .name = spec->name,
            .title = spec->title,
            .version = version,
            .release = arena_strndup(arena, version, strcspn(version, "+")),
            .variant = found.fields[FIELD_VARIANT],
            .cuda = found.fields[FIELD_CUDA],
            .cuda_tag = found.fields[FIELD_CUDA_TAG],
            .cudnn = found.fields[FIELD_CUDNN],
            .nccl = found.fields[FIELD_NCCL],
            .channel = channel_of(install, &found),
            .package = record->name,
            .manager = manager_of(environment, install),
            .version_path = is_told ? found.version_path : record->path,
            .evidence_path = found.evidence_path,
            .evidence = found.evidence,
            .cudnn_path = found.cudnn_path,
            .nccl_path = found.nccl_path,
        });
}

static void look_for(struct probe_context *context, struct framework_spec *spec,
                     const struct framework_environment *environment)
{
    struct framework_install install;
    if (framework_choose(context, spec, environment, &install))
        add_row(context, spec, environment, &install);
}

/* --- packages of an environment --- */

/* The tables that facts of an environment are looked up in. */
struct tables {
    struct slices packages, requirements, folders;
};

/* Where the folder stands on the search path; -1 where it does not. */
static int64_t position_of(struct probe_context *context,
                           const struct framework_environment *environment, const char *site)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT position FROM search_path WHERE environment_id = ?1 AND path = ?2 "
                        "AND rowid BETWEEN ?3 AND ?4 AND position IS NOT NULL");
    sqlite3_bind_text(query, 1, environment->id, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, site, -1, SQLITE_STATIC);
    sqlite3_bind_int64(query, 3, environment->folders.first);
    sqlite3_bind_int64(query, 4, environment->folders.last);
    return query && sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_int64(query, 0) : -1;
}

/* The packages of one folder stand together. */
static void find_positions(struct probe_context *context, struct framework_environment *environment)
{
    const struct framework_package *before = NULL;
    for (size_t i = 0; i < environment->count; i++) {
        struct framework_package *item = &environment->packages[i];
        if (before && text_equal(before->site, item->site))
            item->position = before->position;
        else if (item->site && framework_is_dist(item))
            item->position = position_of(context, environment, item->site);
        before = item;
    }
}

static void load_packages(struct probe_context *context, const struct slice *slice,
                          struct framework_environment *environment)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT name, version, kind, installer, build, channel, site, path, "
                        "origin FROM package WHERE environment_id = ?1 AND name IS NOT NULL "
                        "AND version IS NOT NULL AND kind IS NOT NULL "
                        "AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid");
    sqlite3_bind_text(query, 1, environment->id, -1, SQLITE_STATIC);
    sqlite3_bind_int64(query, 2, slice->first);
    sqlite3_bind_int64(query, 3, slice->last);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        environment->packages = xgrow(environment->packages, &environment->capacity,
                                      environment->count + 1, sizeof *environment->packages);
        environment->packages[environment->count++] = (struct framework_package){
            .name = ask_column(context, query, 0),
            .version = ask_column(context, query, 1),
            .kind = ask_column(context, query, 2),
            .installer = ask_column(context, query, 3),
            .build = ask_column(context, query, 4),
            .channel = ask_column(context, query, 5),
            .site = ask_column(context, query, 6),
            .path = ask_column(context, query, 7),
            .origin = ask_column(context, query, 8),
            .position = -1,
        };
    }
}

static void look_through(struct probe_context *context, struct framework_spec *specs, size_t count,
                         const struct tables *tables, struct framework_environment *environment)
{
    struct slice packages = slices_find(&tables->packages, environment->id);
    environment->requirements = slices_find(&tables->requirements, environment->id);
    environment->folders = slices_find(&tables->folders, environment->id);
    load_packages(context, &packages, environment);
    find_positions(context, environment);
    for (size_t i = 0; i < count; i++)
        look_for(context, &specs[i], environment);
    free(environment->packages);
}

static void look_everywhere(struct probe_context *context, struct framework_spec *specs,
                            size_t count)
{
    struct tables tables;
    slices_load(context, "package", &tables.packages);
    slices_load(context, "requirement", &tables.requirements);
    slices_load(context, "search_path", &tables.folders);
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT environment_id, kind, manager, python FROM environment "
                                    "WHERE depth = 'read' ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        CLEANUP(arena_done)
        struct arena arena = {0}; /* of one environment: there may be a hundred */
        struct probe_context own = *context;
        own.arena = &arena;
        struct framework_environment environment = {.id = ask_column(&own, query, 0),
                                                    .kind = ask_column(&own, query, 1),
                                                    .manager = ask_column(&own, query, 2),
                                                    .python = ask_column(&own, query, 3)};
        probe_progress(context, "looking for frameworks", 0, 0);
        look_through(&own, specs, count, &tables, &environment);
    }
    slices_done(&tables.packages);
    slices_done(&tables.requirements);
    slices_done(&tables.folders);
}

static int run(struct probe_context *context)
{
    size_t count = 0;
    CLEANUP_FREE struct framework_spec *specs =
        xcalloc(context->descriptor_count + 1, sizeof *specs);
    for (size_t i = 0; i < context->descriptor_count; i++) {
        struct error error = {0};
        const struct descriptor *descriptor = &context->descriptors[i];
        if (framework_spec_names(descriptor->json, context->arena, &specs[count], &error) == 0) {
            specs[count++].file = descriptor->file;
            continue;
        }
        framework_spec_done(&specs[count]);
        probe_note_status(context, "framework", NULL, descriptor->file, "malformed", "framework",
                          error.text);
    }
    look_everywhere(context, specs, count);
    for (size_t i = 0; i < count; i++)
        framework_spec_done(&specs[i]);
    return 0;
}

const struct probe probe_framework = {
    .name = "framework",
    .phase = PHASE_DERIVED,
    .reads = "environment package requirement search_path",
    .writes = "framework",
    .run = run,
};
