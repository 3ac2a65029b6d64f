/* A folder of rules: which file is loaded as what, and in which order. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/json_file.h"
#include "base/text.h"
#include "engine/internal.h"

enum { FILES_MAX = 10000 };

typedef int load_file(struct engine *engine, const char *path, const char *base, struct error *err);

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of *.json in a folder, sorted, without the suffix. -ENOENT where there is no folder. */
static int list_json(struct arena *arena, const char *path, char ***ret, size_t *ret_count,
                     struct error *err)
{
    size_t capacity = 0, count = 0;
    char **names = NULL;
    DIR *dir = opendir(path);
    if (!dir)
        return error_set(err, -errno, "%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir)) && count < FILES_MAX;) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || !text_ends(entry->d_name, ".json"))
            continue;
        names = xgrow(names, &capacity, count + 1, sizeof *names);
        names[count++] = arena_strndup(arena, entry->d_name, length - strlen(".json"));
    }
    closedir(dir);
    if (names)
        qsort(names, count, sizeof *names, by_text);
    *ret = names;
    *ret_count = count;
    return 0;
}

static int load_check(struct engine *engine, const char *path, const char *base, struct error *err)
{
    struct arena arena = {0};
    struct source source = {0};
    struct rule *rule;
    int code = source_read(&arena, path, CHECK_FILE_MAX, &source, err);
    if (!code)
        code = rule_parse(path, source.text, source.length, base, &rule, err);
    if (!code)
        engine_add_rule(engine, rule);
    arena_done(&arena);
    return code;
}

static int load_each(struct engine *engine, const char *dir, load_file *load, struct error *err)
{
    struct arena arena = {0};
    CLEANUP_FREE char **names = NULL;
    size_t count = 0;
    int code = list_json(&arena, dir, &names, &count, err);
    for (size_t i = 0; !code && i < count; i++) {
        if (strcmp(names[i], "version") == 0 && load == load_check)
            continue; /* says which edition of the rules this is */
        code = load(engine, arena_printf(&arena, "%s/%s.json", dir, names[i]), names[i], err);
    }
    arena_done(&arena);
    return code;
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static int load_part(struct engine *engine, const char *dir, const char *part, load_file *load,
                     struct error *err)
{
    CLEANUP_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", dir, part);
    return exists(text_get(&path)) ? load_each(engine, text_get(&path), load, err) : 0;
}

/* What rule_parse_head() reads; the caller frees it. */
static char *head_of(const struct rule *rule)
{
    static const char *const rest[] = {"message", "evidence", "steps", "examples"};
    CLEANUP_JSON json_t *head = json_copy(rule->source.json);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        json_object_del(head, rest[i]);
    return json_dumps(head, JSON_COMPACT);
}

/* The image holds the checks as files, so that opening it parses them as it would a folder. Their
 * names are relative: an image must not depend on where it was made. */
static int store_rules(struct engine *engine, const char *dir, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    size_t skip = strlen(dir);
    int code = engine_prepare(engine, "INSERT OR REPLACE INTO rule_file VALUES (?1, ?2, ?3, ?4)",
                              &insert, err);
    for (size_t i = 0; !code && i < engine->rule_count; i++) {
        const struct rule *rule = engine->rules[i];
        const char *file = rule->info.file;
        if (rule->from_image)
            continue;
        if (text_starts(file, dir) && file[skip] == '/')
            file += skip + 1;
        sqlite3_bind_text(insert, 1, rule->info.id, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, file, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, rule->source.text, (int)rule->source.length, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, head_of(rule), -1, free);
        if (sqlite3_step(insert) != SQLITE_DONE)
            code = error_set(err, -EIO, "%s: %s", rule->info.file, sqlite3_errmsg(engine->db));
        sqlite3_reset(insert);
    }
    return code;
}

static int check_all(struct engine *engine, const char *views, struct error *err)
{
    int code = check_views(engine, views, err);
    for (size_t i = 0; !code && i < engine->rule_count; i++)
        code = rule_compile(engine, engine->rules[i], err);
    if (!code)
        code = check_causes(engine, err);
    return code ? code : catalogue_fill(engine, err);
}

static int load_all(struct engine *engine, const char *dir, struct error *err)
{
    CLEANUP_TEXT struct text views = {0};
    CLEANUP_TEXT struct text version = {0};
    text_printf(&views, "%s/views.sql", dir);
    text_printf(&version, "%s/version.json", dir);
    bool has_views = exists(text_get(&views));
    int code = exists(text_get(&version)) ? load_version(engine, text_get(&version), err) : 0;
    if (!code)
        code = load_part(engine, dir, "matrix", load_matrix, err);
    if (!code)
        code = load_part(engine, dir, "frameworks", load_descriptor, err);
    if (!code)
        code = load_part(engine, dir, "libraries", load_library, err);
    if (!code && has_views)
        code = load_views(engine, text_get(&views), err);
    if (!code)
        code = load_part(engine, dir, "checks", load_check, err);
    if (!code)
        code = load_each(engine, dir, load_check, err);
    if (!code)
        code = check_all(engine, has_views ? text_get(&views) : NULL, err);
    if (!code)
        code = store_rules(engine, dir, err);
    return code ? code : engine_refresh(engine, err);
}

int engine_load_dir(struct engine *engine, const char *dir, struct error *err)
{
    int code = engine_exec(engine, "SAVEPOINT load", err);
    if (code)
        return code;
    code = load_all(engine, dir, err);
    if (code) {
        engine_exec(engine, "ROLLBACK TO load", NULL);
        engine_exec(engine, "RELEASE load", NULL);
        return code;
    }
    return engine_exec(engine, "RELEASE load", err);
}
