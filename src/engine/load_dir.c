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

static int check_all(struct engine *engine, const char *views, struct error *err)
{
    int code = check_views(engine, views, err);
    if (!code)
        code = once_learn(engine, err);
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
        code = rules_to_image(engine, dir, err);
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
