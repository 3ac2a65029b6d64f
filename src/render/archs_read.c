/* The rows of files that were named, and what follows from them for a GPU. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "render/archs.h"

/* --- rows --- */

static const char targets_sql[] =
    "SELECT kind, target, cc, suffix, isa, isa_low, place, containers, entries, bytes"
    " FROM device_code WHERE environment_id IS NULL AND path = ?1 ORDER BY"
    " place <> 'linked', place <> 'relocatable', kind <> 'cubin', kind <> 'ptx', kind <> 'lto',"
    " cc_key, suffix";

static void read_targets(struct facts *facts, struct arena *arena, const char *path,
                         struct archs_file *file)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(facts, targets_sql);
    struct archs_target *items = NULL;
    size_t count = 0, capacity = 0;
    bool linked = false;
    if (query)
        sqlite3_bind_text(query, 1, path, -1, SQLITE_STATIC);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        items = xgrow(items, &capacity, count + 1, sizeof *items);
        struct archs_target *t = &items[count++];
        *t = (struct archs_target){
            .kind = facts_text(query, 0, arena),
            .target = facts_text(query, 1, arena),
            .cc = facts_text(query, 2, arena),
            .suffix = facts_text(query, 3, arena),
            .isa = facts_text(query, 4, arena),
            .isa_low = facts_text(query, 5, arena),
            .place = facts_text(query, 6, arena),
            .containers = facts_number(query, 7),
            .entries = facts_number(query, 8),
            .bytes = facts_number(query, 9),
        };
        linked |= text_equal(t->place, "linked");
    }
    for (size_t i = 0; i < count; i++)
        items[i].counts = text_equal(items[i].place, "linked") ||
                          (text_equal(items[i].place, "relocatable") && !linked);
    file->targets = arena_alloc(arena, (count + 1) * sizeof *items);
    if (count)
        memcpy(file->targets, items, count * sizeof *items);
    file->target_count = count;
    free(items);
}

static const char files_sql[] =
    "SELECT f.status, coalesce(f.problem, p.detail,"
    " CASE p.status WHEN 'absent' THEN 'no such file' END),"
    " f.size, f.bytes_read, f.containers, f.entries, f.path FROM device_file f"
    " LEFT JOIN probe p ON p.name = 'device_code' AND p.path = f.path AND p.status <> 'ok'"
    " WHERE f.environment_id IS NULL GROUP BY f.rowid ORDER BY f.rowid";

/* The rows stand in the order of the files. */
static void read_files(struct facts *facts, struct arena *arena, struct archs *archs)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(facts, files_sql);
    for (size_t i = 0; i < archs->file_count; i++) {
        struct archs_file *file = &archs->files[i];
        file->status = "unread";
        if (!query || sqlite3_step(query) != SQLITE_ROW)
            continue;
        file->status = facts_text(query, 0, arena);
        file->problem = facts_text(query, 1, arena);
        file->size = facts_number(query, 2);
        file->bytes_read = facts_number(query, 3);
        file->containers = facts_number(query, 4);
        file->entries = facts_number(query, 5);
        read_targets(facts, arena, facts_text(query, 6, arena), file);
    }
}

bool archs_file_failed(const struct archs_file *file)
{
    return text_equal(file->status, "unread") || text_equal(file->status, "broken");
}

bool archs_file_without_code(const struct archs_file *file)
{
    return text_equal(file->status, "none") || text_equal(file->status, "stub");
}

/* --- verdicts --- */

static enum code_runs target_runs(const struct archs_target *target, struct compute_capability gpu)
{
    struct code_target code;
    if (!target->counts || !code_target_parse(target->target, &code))
        return CODE_RUNS_NOT;
    return code_runs_on(&code, gpu);
}

/* The nearest of those that run this way. Targets come by rising number, and of one number the
 * plain one first: most of a library is made for that. */
static const struct archs_target *best(const struct archs_file *file, enum code_runs how,
                                       struct compute_capability gpu)
{
    const struct archs_target *found = NULL;
    for (size_t i = 0; i < file->target_count; i++)
        if (target_runs(&file->targets[i], gpu) == how &&
            !(found && text_equal(found->cc, file->targets[i].cc)))
            found = &file->targets[i];
    return found;
}

static bool has_code(const struct archs_file *file, const char *kind)
{
    for (size_t i = 0; i < file->target_count; i++)
        if (file->targets[i].counts && (!kind || text_equal(file->targets[i].kind, kind)))
            return true;
    return false;
}

/* Why nothing runs, or why that is not known. */
static struct archs_verdict without_code(const struct archs_file *file)
{
    struct archs_verdict unknown = {.runs = ARCHS_UNKNOWN};
    if (archs_file_failed(file))
        unknown.why = "the file was not read";
    else if (text_equal(file->status, "none"))
        unknown.why = "the file holds no device code";
    else if (text_equal(file->status, "stub"))
        unknown.why = "the empty container of a device link tells nothing";
    else if (file->problem)
        unknown.why = "no code for it in what was understood";
    else if (has_code(file, "other"))
        unknown.why = "part of the code is of a kind that is not known";
    if (unknown.why)
        return unknown;
    bool runnable = has_code(file, "cubin") || has_code(file, "ptx");
    return (struct archs_verdict){
        .runs = ARCHS_NO,
        .why = runnable ? NULL : "nothing but link-time code, which only nvJitLink can use",
    };
}

static const char *cuda_for_isa(sqlite3_stmt *query, struct arena *arena, const char *isa)
{
    const char *cuda = NULL;
    if (!query || !isa)
        return NULL;
    sqlite3_reset(query);
    sqlite3_bind_text(query, 1, isa, -1, SQLITE_STATIC);
    if (sqlite3_step(query) == SQLITE_ROW)
        cuda = facts_text(query, 0, arena);
    return cuda;
}

static struct archs_verdict judge(const struct archs_file *file, struct compute_capability gpu,
                                  sqlite3_stmt *isa_query, struct arena *arena)
{
    const struct archs_target *by = best(file, CODE_RUNS_NATIVE, gpu);
    if (by)
        return (struct archs_verdict){.runs = ARCHS_NATIVE, .by = by};
    if ((by = best(file, CODE_RUNS_BY_PTX, gpu)))
        return (struct archs_verdict){
            .runs = ARCHS_PTX, .by = by, .needs_cuda = cuda_for_isa(isa_query, arena, by->isa)};
    if ((by = best(file, CODE_RUNS_ACROSS, gpu)))
        return (struct archs_verdict){
            .runs = ARCHS_UNKNOWN,
            .by = by,
            .why = compute_capability_is_tegra(gpu)
                       ? "code for desktop GPUs is not promised to run on Tegra"
                       : "code for Tegra is not promised to run on desktop GPUs",
        };
    return without_code(file);
}

int archs_read(struct engine *engine, struct arena *arena, struct archs *archs, struct error *err)
{
    struct facts *facts = engine_facts(engine);
    CLEANUP_STATEMENT sqlite3_stmt *isa_query = NULL;
    if (archs->gpu_count) /* without them the engine may have no matrix */
        isa_query = facts_query(facts, "SELECT cuda FROM m_ptx_isa WHERE isa_key >= cuda_key(?1)"
                                       " ORDER BY isa_key, cuda_key LIMIT 1");
    read_files(facts, arena, archs);
    for (size_t i = 0; i < archs->file_count; i++) {
        struct archs_file *file = &archs->files[i];
        file->verdicts = arena_alloc(arena, (archs->gpu_count + 1) * sizeof *file->verdicts);
        for (size_t g = 0; g < archs->gpu_count; g++)
            file->verdicts[g] = judge(file, archs->gpus[g].cc, isa_query, arena);
    }
    return facts_failed(facts, err);
}
