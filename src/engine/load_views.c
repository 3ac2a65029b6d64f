/* views.sql: CREATE VIEW, and CREATE TABLE ... AS for a view that is evaluated once in a run, with
 * CREATE INDEX. One that is there already is replaced. */
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
    const char *start, *body, *end; /* body: past AS or ON; end: past the last byte, before ';' */
    char name[VIEW_NAME_MAX + 1];
    bool once;  /* CREATE TABLE */
    bool index; /* CREATE INDEX */
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

/* "CREATE VIEW name [(columns)] AS body", "CREATE TABLE name AS body", "CREATE INDEX name ON body"
 */
static int split(const struct source *source, const char *start, struct view *ret,
                 struct error *err)
{
    const char *at = start;
    size_t offset = (size_t)(start - source->text);
    *ret = (struct view){.start = start, .end = statement_end(start)};
    bool create = take_word(&at, "CREATE");
    ret->once = create && take_word(&at, "TABLE");
    ret->index = create && !ret->once && take_word(&at, "INDEX");
    if (!create || (!ret->once && !ret->index && !take_word(&at, "VIEW")))
        return source_error_offset(
            source, err, offset,
            "only CREATE VIEW, CREATE TABLE ... AS and CREATE INDEX are allowed here");
    if (!take_name(&at, ret->name))
        return source_error_offset(source, err, offset,
                                   "a view's name is made of lower-case letters, digits and _");
    if (text_starts(ret->name, "m_") || text_starts(ret->name, "sqlite_") ||
        facts_table_named(ret->name))
        return source_error_offset(source, err, offset, "%s is the name of a table", ret->name);
    bool as = false;
    while (at < ret->end && !(as = take_word(&at, ret->index ? "ON" : "AS")) && !ret->once &&
           !ret->index)
        at = sql_skip_token(sql_skip_space(at, ""));
    if (ret->once && !as)
        return source_error_offset(source, err, offset, "table %s: AS and a query must follow",
                                   ret->name);
    if (ret->index && !as)
        return source_error_offset(source, err, offset, "index %s: ON and a table must follow",
                                   ret->name);
    ret->body = at;
    return 0;
}

/* Facts may be indexed, and views that are tables; what the program keeps for itself may not. An
 * index is replaced by one of the same table alone. */
static int check_index(struct engine *engine, const struct source *source, const struct view *index,
                       const char *table, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    size_t body = (size_t)(index->body - source->text);
    if (!facts_table_named(table) && !once_is(engine, table))
        return source_error_offset(source, err, body,
                                   "index %s: %s is neither a table of facts nor one that "
                                   "CREATE TABLE has made here",
                                   index->name, table);
    if (engine_prepare(engine,
                       "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND "
                       "name = ?1 AND tbl_name <> ?2",
                       &select, err) < 0)
        return -EIO;
    sqlite3_bind_text(select, 1, index->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(select, 2, table, -1, SQLITE_STATIC);
    if (sqlite3_step(select) == SQLITE_ROW)
        return source_error_offset(source, err, body, "index %s: %s has an index of this name",
                                   index->name, (const char *)sqlite3_column_text(select, 0));
    return 0;
}

/* "table (column, column)" */
static int create_index(struct engine *engine, const struct source *source,
                        const struct view *index, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    struct error reason;
    char table[VIEW_NAME_MAX + 1], column[VIEW_NAME_MAX + 1];
    const char *at = index->body;
    size_t body = (size_t)(index->body - source->text);
    if (!take_name(&at, table))
        return source_error_offset(source, err, body, "index %s: a table's name must follow",
                                   index->name);
    int code = check_index(engine, source, index, table, err);
    if (code)
        return code;
    text_printf(&sql, "DROP INDEX IF EXISTS \"%s\"; CREATE INDEX \"%s\" ON \"%s\"", index->name,
                index->name, table);
    bool named = true;
    for (const char *before = "("; named && take_word(&at, before); before = ",") {
        named = take_name(&at, column);
        text_printf(&sql, "%s\"%s\"", before, column);
    }
    if (!named || !take_word(&at, ")") || sql_skip_space(at, "") != index->end)
        return source_error_offset(source, err, body, "index %s: columns must follow in brackets",
                                   index->name);
    text_add(&sql, ")");
    if (engine_exec(engine, text_get(&sql), &reason) < 0)
        return source_error_offset(source, err, body, "index %s: %s", index->name, reason.text);
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
            code = view.index ? create_index(engine, &source, &view, err)
                              : create_view(engine, &source, &arena, &view, err);
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
