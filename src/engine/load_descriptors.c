/* Descriptors of frameworks (frameworks/NAME.json) and libraries (libraries/NAME.json), and the
 * edition of the rules (version.json). */
#include <errno.h>
#include <string.h>

#include "engine/internal.h"

enum { DESCRIPTOR_FILE_MAX = 256 * 1024 };

static int insert_row(struct engine *engine, const char *sql, const char *const *values,
                      size_t count, const char *path, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    int code = engine_prepare(engine, sql, &insert, err);
    if (code)
        return code;
    for (size_t i = 0; i < count; i++)
        sqlite3_bind_text(insert, (int)i + 1, values[i], -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE)
        return error_set(err, -EIO, "%s: %s", path, sqlite3_errmsg(engine->db));
    return 0;
}

static int store_descriptor(struct engine *engine, const struct source *source, struct arena *arena,
                            const char *base, struct error *err)
{
    struct member root = {source, source->json, ""};
    const char *name, *title, *companion, *homepage, *device_code, *cpu_build, *run_time;
    bool ignores_wheels = false;
    int code;
    if ((code = get_text(&root, arena, "name", true, &name, err)) ||
        (code = get_text(&root, arena, "title", true, &title, err)) ||
        (code = get_text(&root, arena, "companion_of", false, &companion, err)) ||
        (code = get_text(&root, arena, "homepage", false, &homepage, err)) ||
        (code = get_text(&root, arena, "device_code", false, &device_code, err)) ||
        (code = get_text(&root, arena, "cpu_build", false, &cpu_build, err)) ||
        (code = get_text(&root, arena, "run_time_code", false, &run_time, err)) ||
        (code = get_flag(&root, arena, "ignores_wheels", &ignores_wheels, err)))
        return code;
    if (strcmp(name, base) != 0)
        return source_error(source, err, "name", "must be \"%s\" like the file", base);
    const char *row[] = {name,        title,     companion, homepage,
                         device_code, cpu_build, run_time,  ignores_wheels ? "1" : "0"};
    code = insert_row(
        engine, "INSERT OR REPLACE INTO framework_descriptor VALUES (?1,?2,?3,?4,?5,?6,?7,?8)", row,
        8, source->path, err);
    const char *file[] = {name, arena_printf(arena, "frameworks/%s.json", base), source->text};
    if (!code)
        code = insert_row(engine, "INSERT OR REPLACE INTO descriptor_file VALUES (?1, ?2, ?3)",
                          file, 3, source->path, err);
    return code;
}

/* Loads one file and hands it on. */
static int load_file(struct engine *engine, const char *path, const char *base,
                     int (*store)(struct engine *engine, const struct source *source,
                                  struct arena *arena, const char *base, struct error *err),
                     struct error *err)
{
    struct arena arena = {0};
    struct source source = {0};
    int code = source_load(&arena, path, DESCRIPTOR_FILE_MAX, &source, err);
    if (!code)
        code = store(engine, &source, &arena, base, err);
    source_done(&source);
    arena_done(&arena);
    return code;
}

int load_descriptor(struct engine *engine, const char *path, const char *base, struct error *err)
{
    return load_file(engine, path, base, store_descriptor, err);
}

static int store_library(struct engine *engine, const struct source *source, struct arena *arena,
                         const char *base, struct error *err)
{
    struct member root = {source, source->json, ""};
    const char *name, *title, *origin;
    int code;
    if ((code = get_text(&root, arena, "name", true, &name, err)) ||
        (code = get_text(&root, arena, "title", true, &title, err)) ||
        (code = get_text(&root, arena, "origin", true, &origin, err)))
        return code;
    if (strcmp(name, base) != 0)
        return source_error(source, err, "name", "must be \"%s\" like the file", base);
    code = insert_row(engine, "INSERT OR REPLACE INTO library_descriptor VALUES (?1, ?2, ?3)",
                      (const char *[]){name, title, origin}, 3, source->path, err);
    const char *file[] = {name, arena_printf(arena, "libraries/%s.json", base), source->text};
    if (!code)
        code = insert_row(engine, "INSERT OR REPLACE INTO library_file VALUES (?1, ?2, ?3)", file,
                          3, source->path, err);
    return code;
}

int load_library(struct engine *engine, const char *path, const char *base, struct error *err)
{
    return load_file(engine, path, base, store_library, err);
}

static int store_version(struct engine *engine, const struct source *source, struct arena *arena,
                         const char *base, struct error *err)
{
    static const char *const keys[] = {"schema", "version", "date", NULL};
    static const char sql[] = "INSERT OR REPLACE INTO rules_meta VALUES (?1, ?2)";
    struct member root = {source, source->json, ""};
    const char *version, *date;
    (void)base;
    int code;
    if ((code = check_keys(&root, arena, keys, err)) ||
        (code = get_text(&root, arena, "version", true, &version, err)) ||
        (code = get_text(&root, arena, "date", true, &date, err)))
        return code;
    if (json_integer_value(json_object_get(source->json, "schema")) != 1)
        return source_error(source, err, "schema", "must be 1");
    code = insert_row(engine, sql, (const char *[]){"version", version}, 2, source->path, err);
    if (!code)
        code = insert_row(engine, sql, (const char *[]){"date", date}, 2, source->path, err);
    return code;
}

int load_version(struct engine *engine, const char *path, struct error *err)
{
    return load_file(engine, path, NULL, store_version, err);
}
