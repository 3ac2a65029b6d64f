/* views.sql: CREATE VIEW, and CREATE TABLE ... AS for a view that is evaluated once in a run. One
 * that is there already is replaced. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "engine/internal.h"
#include "engine/sql_text.h"

enum { VIEWS_FILE_MAX = 1024 * 1024, VIEW_NAME_MAX = 60 };

/* One statement of the file. */
struct view {
    const char *start, *body, *end; /* body: past AS; end: past the last byte, before ';' */
    char name[VIEW_NAME_MAX + 1];
    bool once; /* CREATE TABLE */
};

static bool take_word(const char **at, const char *word)
{
    const char *start = sql_skip_space(*at, "");
    const char *end = sql_skip_token(start);
    if ((size_t)(end - start) != strlen(word) || strncasecmp(start, word, strlen(word)) != 0)
        return false;
    *at = end;
    return true;
}

static bool take_name(const char **at, char *ret)
{
    const char *start = sql_skip_space(*at, "");
    const char *end = sql_skip_token(start);
    size_t length = (size_t)(end - start);
    if (!length || length > VIEW_NAME_MAX || isdigit((unsigned char)*start) ||
        strspn(start, "abcdefghijklmnopqrstuvwxyz0123456789_") < length)
        return false;
    memcpy(ret, start, length);
    ret[length] = '\0';
    *at = end;
    return true;
}

static const char *statement_end(const char *at)
{
    while (*(at = sql_skip_space(at, "")) && *at != ';')
        at = sql_skip_token(at);
    return at;
}

/* "CREATE VIEW name [(columns)] AS body", "CREATE TABLE name AS body" */
static int split(const struct source *source, const char *start, struct view *ret,
                 struct error *err)
{
    const char *at = start;
    size_t offset = (size_t)(start - source->text);
    *ret = (struct view){.start = start, .end = statement_end(start)};
    bool create = take_word(&at, "CREATE");
    ret->once = create && take_word(&at, "TABLE");
    if (!create || (!ret->once && !take_word(&at, "VIEW")))
        return source_error_offset(source, err, offset,
                                   "only CREATE VIEW and CREATE TABLE ... AS are allowed here");
    if (!take_name(&at, ret->name))
        return source_error_offset(source, err, offset,
                                   "a view's name is made of lower-case letters, digits and _");
    if (text_starts(ret->name, "m_") || text_starts(ret->name, "sqlite_") ||
        facts_table_named(ret->name))
        return source_error_offset(source, err, offset, "%s is the name of a table", ret->name);
    bool as = false;
    while (at < ret->end && !(as = take_word(&at, "AS")) && !ret->once)
        at = sql_skip_token(sql_skip_space(at, ""));
    if (ret->once && !as)
        return source_error_offset(source, err, offset, "table %s: AS and a query must follow",
                                   ret->name);
    ret->body = at;
    return 0;
}

static int create_once(struct engine *engine, const struct source *source, struct arena *arena,
                       const struct view *view, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    struct error reason;
    int offset;
    size_t body = (size_t)(view->body - source->text);
    const char *sql = arena_strndup(arena, view->body, (size_t)(view->end - view->body));
    /* prepared as what it must be, a query; its mistakes have a place there */
    if (guard_prepare(&engine->guard, engine->db, GUARD_QUERY, sql, NULL, &select, &offset,
                      &reason) < 0)
        return source_error_offset(source, err, body + (size_t)(offset > 0 ? offset : 0),
                                   "view %s: %s", view->name, reason.text);
    if (once_create(engine, view->name, sql, &reason) < 0)
        return source_error_offset(source, err, body, "view %s: %s", view->name, reason.text);
    return 0;
}

static int drop_old(struct engine *engine, struct arena *arena, const char *name, struct error *err)
{
    if (engine_has_table(engine, name, "view"))
        return engine_exec(engine, arena_printf(arena, "DROP VIEW \"%s\"", name), err);
    return once_is(engine, name) ? once_drop(engine, name, err) : 0;
}

static int create_view(struct engine *engine, const struct source *source, struct arena *arena,
                       const struct view *view, struct error *err)
{
    int code = drop_old(engine, arena, view->name, err);
    if (code || view->once)
        return code ? code : create_once(engine, source, arena, view, err);
    CLEANUP_STATEMENT sqlite3_stmt *create = NULL;
    struct error reason;
    int offset;
    size_t start = (size_t)(view->start - source->text);
    const char *sql = arena_strndup(arena, view->start, (size_t)(view->end - view->start));
    if (guard_prepare(&engine->guard, engine->db, GUARD_VIEW, sql, NULL, &create, &offset,
                      &reason) < 0)
        return source_error_offset(source, err, start + (size_t)(offset > 0 ? offset : 0),
                                   "view %s: %s", view->name, reason.text);
    if (sqlite3_step(create) != SQLITE_DONE)
        return source_error_offset(source, err, start, "view %s: %s", view->name,
                                   sqlite3_errmsg(engine->db));
    return 0;
}

int load_views(struct engine *engine, const char *path, struct error *err)
{
    struct arena arena = {0};
    struct source source = {0};
    int code = source_read(&arena, path, VIEWS_FILE_MAX, &source, err);
    if (!code && strlen(source.text) != source.length)
        code = error_set(err, -EINVAL, "%s: it holds a NUL byte", path);
    const char *at = code ? "" : source.text;
    while (!code && *(at = sql_skip_space(at, ";"))) {
        struct view view;
        code = split(&source, at, &view, err);
        if (!code)
            code = create_view(engine, &source, &arena, &view, err);
        at = view.end;
    }
    arena_done(&arena);
    return code;
}

/* --- checks --- */

/* SQLite looks into a view only when it is used, and then it says where in the body it stumbled
 * of no statement of ours: prepare the body itself to find the place. */
static int locate(struct engine *engine, const char *path, const char *name, struct error *err)
{
    struct arena arena = {0};
    struct source source = {0};
    struct view view = {0};
    int code = source_read(&arena, path, VIEWS_FILE_MAX, &source, err);
    const char *at = code ? "" : source.text;
    while (*(at = sql_skip_space(at, ";")) && split(&source, at, &view, NULL) == 0 &&
           strcmp(view.name, name) != 0)
        at = view.end;
    if (*at && view.body) {
        CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
        struct error reason, found;
        int offset = -1;
        const char *body = arena_strndup(&arena, view.body, (size_t)(view.end - view.body));
        code = guard_prepare(&engine->guard, engine->db, GUARD_QUERY, body, NULL, &select, &offset,
                             &reason);
        found = code ? reason : *err;
        const char *place = code && offset >= 0 ? view.body + offset : view.start;
        source_error_offset(&source, err, (size_t)(place - source.text), "view %s: %s", name,
                            found.text);
    } else {
        error_prefix(err, -EINVAL, "view %s", name);
    }
    arena_done(&arena);
    return -EINVAL;
}

int check_views(struct engine *engine, const char *path, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *names = NULL;
    struct error ignored;
    if (!err)
        err = &ignored;
    int code = engine_prepare(
        engine, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY rowid", &names, err);
    while (!code && sqlite3_step(names) == SQLITE_ROW) {
        CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
        CLEANUP_TEXT struct text sql = {0};
        const char *name = (const char *)sqlite3_column_text(names, 0);
        int offset;
        text_printf(&sql, "SELECT * FROM \"%s\"", name);
        code = guard_prepare(&engine->guard, engine->db, GUARD_QUERY, text_get(&sql), NULL, &select,
                             &offset, err);
        if (code && path)
            code = locate(engine, path, name, err);
        else if (code)
            error_prefix(err, code, "view %s", name);
    }
    return code;
}
