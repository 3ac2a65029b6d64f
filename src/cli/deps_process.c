/* A framework's process, or a file's. */
#include "cli/deps_process.h"

#include <string.h>

#include "cli/command.h"

/* --- a framework --- */

/* The environment that is meant: what --env names, else the active one, else the first that has
 * it. --env may name one that was found in another way as well. */
static const char environment_sql[] =
    "SELECT environment_id FROM environment WHERE depth = 'read' AND (?2 OR environment_id IN"
    " (SELECT environment_id FROM framework WHERE name = ?1))"
    " ORDER BY ?2 AND prefix = rtrim(?3, '/') DESC, ?2 AND found_by = '--env' DESC, active = 1 "
    "DESC,"
    " prefix LIMIT 1";

static const char *choose_environment(struct facts *facts, struct arena *arena,
                                      const struct options *o, const char *framework)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(facts, environment_sql);
    bool is_named = o->environments.count;
    const char *path = is_named ? path_in_machine(arena, o, o->environments.items[0]) : "";
    if (!query)
        return NULL;
    sqlite3_bind_text(query, 1, framework, -1, SQLITE_STATIC);
    sqlite3_bind_int(query, 2, is_named);
    sqlite3_bind_text(query, 3, path, -1, SQLITE_STATIC);
    return sqlite3_step(query) == SQLITE_ROW ? facts_text(query, 0, arena) : NULL;
}

static int tell_not_installed(struct facts *facts, const char *framework, const char *environment)
{
    enum { SHOWN = 6 };
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(facts, "SELECT prefix, count(*) OVER () FROM environment WHERE depth = 'read'"
                           " AND (?1 IS NULL OR environment_id = ?1)"
                           " ORDER BY active = 1 DESC, prefix");
    CLEANUP_TEXT struct text places = {0};
    int shown = 0, count = 0;
    if (query)
        sqlite3_bind_text(query, 1, environment, -1, SQLITE_STATIC);
    for (; query && sqlite3_step(query) == SQLITE_ROW && shown < SHOWN; shown++) {
        count = sqlite3_column_int(query, 1);
        text_printf(&places, "%s%s", shown ? ", " : "",
                    (const char *)sqlite3_column_text(query, 0));
    }
    if (count > shown)
        text_printf(&places, " and %d more", count - shown);
    if (!places.length)
        return complain(STATUS_USAGE, "deps: %s is not installed: no Python environment was found",
                        framework);
    return complain(STATUS_USAGE,
                    "deps: %s is not installed in %s; --env PATH looks into another environment",
                    framework, text_get(&places));
}

static void find_elsewhere(struct facts *facts, struct arena *arena, const char *framework,
                           const char *environment, struct deps *deps)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(facts, "SELECT DISTINCT environment_id FROM framework WHERE name = ?1 AND"
                           " environment_id <> ?2 ORDER BY 1 LIMIT 20");
    const char **items = arena_alloc(arena, 20 * sizeof *items);
    deps->elsewhere = items;
    if (!query)
        return;
    sqlite3_bind_text(query, 1, framework, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, environment, -1, SQLITE_STATIC);
    while (sqlite3_step(query) == SQLITE_ROW)
        items[deps->elsewhere_count++] = facts_text(query, 0, arena);
}

int deps_of_framework(struct facts *facts, struct arena *arena, const struct options *o,
                      const struct deps_question *q, struct deps *ret)
{
    const char *environment = choose_environment(facts, arena, o, q->framework);
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        facts, "SELECT (SELECT process_id FROM process p WHERE p.framework_id = f.framework_id)"
               " FROM framework f WHERE name = ?1 AND environment_id = ?2");
    struct error err;
    if (query) {
        sqlite3_bind_text(query, 1, q->framework, -1, SQLITE_STATIC);
        sqlite3_bind_text(query, 2, environment, -1, SQLITE_STATIC);
    }
    if (!query || sqlite3_step(query) != SQLITE_ROW)
        return tell_not_installed(facts, q->framework, o->environments.count ? environment : NULL);
    const char *process = facts_text(query, 0, arena);
    if (!process && o->facts)
        return complain(STATUS_USAGE, "deps: the snapshot does not tell what %s in %s loads",
                        q->framework, environment);
    if (!process)
        return complain(STATUS_USAGE,
                        "deps: what %s in %s loads is not known; give one of its files instead",
                        q->framework, environment);
    if (deps_read(facts, process, arena, ret, &err) < 0)
        return complain(o->facts ? STATUS_USAGE : STATUS_BROKEN, "%s", err.text);
    find_elsewhere(facts, arena, q->framework, environment, ret);
    return STATUS_OK;
}

/* --- a file --- */

/* The probe's own words for what is no file to be loaded. */
static int tell_unreadable(struct facts *facts, const struct deps_question *q)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        facts, "SELECT coalesce(detail, status) FROM probe WHERE path = ?1 AND status <> 'ok'"
               " ORDER BY detail IS NULL LIMIT 1");
    const char *words = NULL;
    if (query)
        sqlite3_bind_text(query, 1, q->path, -1, SQLITE_STATIC);
    if (query && sqlite3_step(query) == SQLITE_ROW)
        words = (const char *)sqlite3_column_text(query, 0);
    if (words && strcmp(words, "absent") == 0)
        words = "no such file";
    return complain(STATUS_USAGE, "deps: %s: %s", q->path,
                    words ? words : "it cannot be read as a program or shared library");
}

/* Whether the file itself is not there, or none that can be loaded. */
static bool is_no_object(const struct deps *deps)
{
    if (!text_equal(deps->process.outcome, "fails"))
        return false;
    for (size_t i = 0; i < deps->request_count; i++)
        if (deps_is_missing(&deps->requests[i]) &&
            text_equal(deps->requests[i].name, deps->process.id))
            return true;
    return !deps->object_count && !deps->request_count;
}

/* A word without '/' may be meant for a framework, or for a soname as the loader would look it up.
 */
static int tell_no_such_file(struct engine *engine, struct arena *arena, const char *name)
{
    if (strstr(name, ".so"))
        return complain(STATUS_USAGE,
                        "deps: %s: no such file here; give its path or a framework that loads it",
                        name);
    const char *meant = engine_framework_meant(engine, name, arena);
    return complain(STATUS_USAGE, "deps: %s: neither a framework that is known nor a file here%s%s",
                    name, meant ? "; did you mean " : "", meant ? meant : "");
}

static int tell_error(struct engine *engine, struct arena *arena, const struct deps_question *q,
                      const struct deps *deps)
{
    const char *words = deps->process.error ? deps->process.error : "it cannot be loaded";
    bool is_gone = strstr(words, "No such file") != NULL;
    if (is_gone && !strchr(q->name, '/'))
        return tell_no_such_file(engine, arena, q->name);
    return complain(STATUS_USAGE, "deps: %s%s", words,
                    is_gone ? "" : "; a program or a shared library is needed");
}

/* The process of the file; where it is told under another name, the one that is no framework's. */
static const char *process_of(struct facts *facts, struct arena *arena, const char *path)
{
    const void *rows;
    const char *found = NULL;
    size_t count;
    struct error err;
    if (facts_rows(facts, TABLE_process, "framework_id", NULL, arena, &rows, &count, &err) < 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *id = ((const struct row_process *)rows)[i].process_id;
        if (text_equal(id, path))
            return id;
        if (!found && id && strcmp(id, "program") != 0)
            found = id;
    }
    return found;
}

int deps_of_file(struct engine *engine, struct arena *arena, const struct deps_question *q,
                 struct deps *ret)
{
    struct facts *facts = engine_facts(engine);
    struct error err;
    const char *process = process_of(facts, arena, q->path);
    if (!process)
        return tell_unreadable(facts, q);
    if (deps_read(facts, process, arena, ret, &err) < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    return is_no_object(ret) ? tell_error(engine, arena, q, ret) : STATUS_OK;
}
