/* Opening and closing: one SQLite database holds knowledge and facts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/functions.h"
#include "engine/image_file.h"
#include "engine/internal.h"

static const char knowledge_tables[] =
    /* see rule_image.c; json comes last, so that the others are read without it */
    "CREATE TABLE rule_file (id TEXT PRIMARY KEY, file TEXT NOT NULL, title TEXT NOT NULL,"
    " severity TEXT NOT NULL, summary TEXT NOT NULL, subject TEXT NOT NULL, ok TEXT,"
    " why TEXT NOT NULL, query TEXT NOT NULL, applies TEXT, links TEXT, caused_by TEXT,"
    " json TEXT NOT NULL) STRICT;"
    "CREATE TABLE descriptor_file (name TEXT PRIMARY KEY, file TEXT NOT NULL, json TEXT NOT NULL)"
    " STRICT;"
    "CREATE TABLE framework_descriptor (name TEXT PRIMARY KEY, title TEXT, companion_of TEXT,"
    " homepage TEXT, device_code TEXT, cpu_build TEXT, run_time_code TEXT,"
    " ignores_wheels INTEGER) STRICT;"
    "CREATE TABLE library_file (name TEXT PRIMARY KEY, file TEXT NOT NULL, json TEXT NOT NULL)"
    " STRICT;"
    "CREATE TABLE library_descriptor (name TEXT PRIMARY KEY, title TEXT, origin TEXT) STRICT;"
    "CREATE TABLE matrix_source (file TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,"
    " url TEXT, PRIMARY KEY (file, id)) STRICT;"
    "CREATE TABLE catalogue (name TEXT PRIMARY KEY, kind TEXT NOT NULL, columns TEXT NOT NULL)"
    " STRICT;"
    "CREATE TABLE once_view (name TEXT NOT NULL UNIQUE, query TEXT NOT NULL,"
    " facts TEXT, matrix TEXT, is_empty INTEGER) STRICT;"
    "CREATE TABLE rules_meta (key TEXT PRIMARY KEY, value TEXT) STRICT;";

int engine_exec(struct engine *engine, const char *sql, struct error *err)
{
    if (sqlite3_exec(engine->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "%s", sqlite3_errmsg(engine->db));
    return 0;
}

int engine_prepare(struct engine *engine, const char *sql, sqlite3_stmt **ret, struct error *err)
{
    if (sqlite3_prepare_v2(engine->db, sql, -1, ret, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "%s", sqlite3_errmsg(engine->db));
    return 0;
}

bool engine_has_table(struct engine *engine, const char *name, const char *type)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    if (engine_prepare(engine, "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND type = ?2", &select,
                       NULL) < 0)
        return false;
    sqlite3_bind_text(select, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(select, 2, type, -1, SQLITE_STATIC);
    return sqlite3_step(select) == SQLITE_ROW;
}

int engine_configure(struct engine *engine, struct error *err)
{
    static const char *const modules[] = {"json_each", "json_tree", NULL};
    sqlite3 *db = engine->db;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, CHECK_FILE_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 200);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 100);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 200);
    sqlite3_drop_modules(db, (const char **)modules);
    if (functions_register(db) != SQLITE_OK)
        return error_set(err, -EIO, "%s", sqlite3_errmsg(db));
    guard_install(&engine->guard, db);
    /* These tables come into being when they are first named, which only we may do. */
    sqlite3_stmt *json = NULL;
    int code = engine_prepare(engine, "SELECT 1 FROM json_each('[]'), json_tree('[]')", &json, err);
    sqlite3_finalize(json);
    if (code)
        return code;
    /* nothing may reach the disk: neither a journal nor a sorter's temporary file */
    return engine_exec(engine,
                       "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;"
                       "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY",
                       err);
}

int engine_new(const void *image, size_t size, struct engine **ret, struct error *err)
{
    struct engine *engine = xcalloc(1, sizeof *engine);
    int code = 0;
    engine->version = xstrdup("0");
    /* A query that piles up rows must fail, not the machine. The limit is SQLite's own for the
     * process; it has no other for the tables that a query makes on its way. */
    sqlite3_hard_heap_limit64(HEAP_MAX);
    /* one thread at a time uses an engine: no mutexes */
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int rc = image ? image_file_open(image, size, &engine->image, &engine->db)
                   : sqlite3_open_v2(":memory:", &engine->db, flags, NULL);
    if (rc != SQLITE_OK)
        code = error_set(err, -EIO, "cannot open a database in memory: %s",
                         engine->db ? sqlite3_errmsg(engine->db) : "no memory");
    if (code) {
        engine_free(engine);
        return code;
    }
    *ret = engine;
    return 0;
}

int engine_open_empty(struct engine **ret, struct error *err)
{
    struct engine *engine;
    int code = engine_new(NULL, 0, &engine, err);
    if (code)
        return code;
    code = engine_configure(engine, err);
    if (!code)
        code = engine_exec(engine, knowledge_tables, err);
    if (!code)
        code = facts_open(engine->db, &engine->facts, err);
    if (code)
        engine_free(engine);
    else
        *ret = engine;
    return code;
}

/* --- from an image --- */

static int not_readable(struct engine *engine, struct error *err)
{
    return error_set(err, -EIO, "cannot read the rules: %s", sqlite3_errmsg(engine->db));
}

int engine_open_image(const void *image, size_t size, const char *only, struct engine **ret,
                      struct error *err)
{
    struct engine *engine;
    int code = engine_new(image, size, &engine, err);
    if (code)
        return code;
    code = engine_configure(engine, err);
    if (!code)
        code = facts_open(engine->db, &engine->facts, err);
    if (!code)
        code = engine_refresh(engine, err);
    if (!code)
        code = rules_from_image(engine, only, err);
    if (code)
        engine_free(engine);
    else
        *ret = engine;
    return code;
}

int engine_open(const void *image, size_t size, struct engine **ret, struct error *err)
{
    return engine_open_image(image, size, NULL, ret, err);
}

static int read_descriptors(struct engine *engine, const char *sql, struct descriptor **ret,
                            size_t *ret_count, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *files = NULL;
    int code = engine_prepare(engine, sql, &files, err);
    if (code)
        return error_prefix(err, code, "not an image of rules");
    size_t capacity = *ret_count;
    *ret_count = 0;
    int rc;
    while ((rc = sqlite3_step(files)) == SQLITE_ROW) {
        *ret = xgrow(*ret, &capacity, *ret_count + 1, sizeof **ret);
        (*ret)[(*ret_count)++] = (struct descriptor){
            arena_strdup(&engine->arena, (const char *)sqlite3_column_text(files, 0)),
            arena_strdup(&engine->arena, (const char *)sqlite3_column_text(files, 1)),
        };
    }
    return rc == SQLITE_DONE ? 0 : not_readable(engine, err);
}

int engine_refresh(struct engine *engine, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *version = NULL;
    int code =
        engine_prepare(engine, "SELECT value FROM rules_meta WHERE key = 'version'", &version, err);
    if (code)
        return error_prefix(err, code, "not an image of rules");
    if (sqlite3_step(version) == SQLITE_ROW && sqlite3_column_text(version, 0)) {
        free(engine->version);
        engine->version = xstrdup((const char *)sqlite3_column_text(version, 0));
    }
    code = read_descriptors(engine, "SELECT file, json FROM descriptor_file ORDER BY name",
                            &engine->descriptors, &engine->descriptor_count, err);
    if (!code)
        code = read_descriptors(engine, "SELECT file, json FROM library_file ORDER BY name",
                                &engine->libraries, &engine->library_count, err);
    return code;
}

/* --- the rest of a life --- */

int engine_save_image(struct engine *engine, unsigned char **ret, size_t *ret_size,
                      struct error *err)
{
    sqlite3_int64 size = 0;
    /* VACUUM attaches a database of its own */
    int attached = sqlite3_limit(engine->db, SQLITE_LIMIT_ATTACHED, 1);
    int code = once_fill_constant(engine, err);
    if (!code)
        code = engine_exec(engine, "VACUUM", err);
    sqlite3_limit(engine->db, SQLITE_LIMIT_ATTACHED, attached);
    if (code)
        return code;
    unsigned char *image = sqlite3_serialize(engine->db, "main", &size, 0);
    if (!image)
        return error_set(err, -ENOMEM, "cannot save the rules");
    *ret = image;
    *ret_size = (size_t)size;
    return 0;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    for (size_t i = 0; i < engine->rule_count; i++)
        rule_free(engine->rules[i]);
    once_done(engine);
    free(engine->rules);
    free(engine->descriptors);
    free(engine->libraries);
    free(engine->version);
    facts_free(engine->facts);
    sqlite3_close_v2(engine->db);
    image_file_free(engine->image);
    arena_done(&engine->arena);
    free(engine);
}

sqlite3 *engine_db(struct engine *engine)
{
    return engine->db;
}

struct facts *engine_facts(struct engine *engine)
{
    return engine->facts;
}

const char *engine_rules_version(struct engine *engine)
{
    return engine->version;
}

size_t engine_descriptors(struct engine *engine, const struct descriptor **ret)
{
    *ret = engine->descriptors;
    return engine->descriptor_count;
}

int engine_prepare_read(struct engine *engine, const char *sql, sqlite3_stmt **ret,
                        struct error *err)
{
    struct reads reads = {0};
    int offset = -1;
    int code = once_list(engine, err);
    if (!code)
        code =
            guard_prepare(&engine->guard, engine->db, GUARD_QUERY, sql, &reads, ret, &offset, err);
    if (code && offset >= 0)
        error_prefix(err, code, "at character %d", offset + 1);
    if (!code && (code = once_need(engine, &reads, err))) {
        sqlite3_finalize(*ret);
        *ret = NULL;
    }
    reads_done(&reads);
    return code;
}

int engine_prepare_query(struct engine *engine, const char *sql, sqlite3_stmt **ret,
                         struct error *err)
{
    enum { USER_STEPS_MAX = 400000000 }; /* some ten seconds; a clock would count a pager's time */
    int code = engine_prepare_read(engine, sql, ret, err);
    if (!code)
        guard_limit(&engine->guard, USER_STEPS_MAX, 0);
    return code;
}

size_t engine_libraries(struct engine *engine, const struct descriptor **ret)
{
    *ret = engine->libraries;
    return engine->library_count;
}
