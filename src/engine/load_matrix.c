/* A matrix file (matrix/NAME.json) to the table m_NAME. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/matrix.h"

static const struct cell_type cell_types[] = {
    {"text", CELL_TEXT, 0},
    {"integer", CELL_INTEGER, 0},
    {"real", CELL_REAL, 0},
    {"boolean", CELL_BOOLEAN, 0},
    {"pep440", CELL_PEP440, 0},
    {"driver", CELL_VERSION, VERSION_DRIVER},
    {"cuda", CELL_VERSION, VERSION_CUDA},
    {"cc", CELL_VERSION, VERSION_CC},
    {"glibc", CELL_VERSION, VERSION_GLIBC},
};

static bool is_sql_name(const char *name)
{
    size_t length = strlen(name);
    return length && length < 60 && name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

/* --- columns --- */

static int parse_column(struct matrix *m, const char *name, const json_t *spec, struct column *ret,
                        struct error *err)
{
    static const char *const keys[] = {"type", "doc", "null", NULL};
    const char *base = arena_printf(&m->arena, "columns.%s", name);
    struct member at = {&m->source, spec, base};
    const char *type, *doc, *null;
    if (!is_sql_name(name))
        return source_error(&m->source, err, "columns", "\"%s\" is no name of a column", name);
    if (!json_is_object(spec))
        return source_error(&m->source, err, base, "must be an object");
    int code;
    if ((code = check_keys(&at, &m->arena, keys, err)) ||
        (code = get_text(&at, &m->arena, "type", true, &type, err)) ||
        (code = get_text(&at, &m->arena, "doc", true, &doc, err)) ||
        (code = get_text(&at, &m->arena, "null", false, &null, err)))
        return code;
    *ret = (struct column){name, NULL, null != NULL};
    for (size_t i = 0; i < sizeof cell_types / sizeof *cell_types; i++)
        if (strcmp(cell_types[i].name, type) == 0)
            ret->type = &cell_types[i];
    if (!ret->type)
        return source_error(&m->source, err, arena_printf(&m->arena, "%s.type", base),
                            "unknown type \"%s\"", type);
    return 0;
}

const struct column *matrix_column_named(const struct matrix *m, const char *name)
{
    for (size_t i = 0; i < m->column_count; i++)
        if (strcmp(m->columns[i].name, name) == 0)
            return &m->columns[i];
    return NULL;
}

static int parse_columns(struct matrix *m, struct error *err)
{
    json_t *specs = json_object_get(m->source.json, "columns"), *spec;
    const char *name;
    if (!json_is_object(specs))
        return source_error(&m->source, err, specs ? "columns" : "",
                            "\"columns\" must be an object");
    m->columns = arena_alloc(&m->arena, json_object_size(specs) * sizeof *m->columns);
    json_object_foreach (specs, name, spec) {
        int code = parse_column(m, name, spec, &m->columns[m->column_count], err);
        if (code)
            return code;
        m->column_count++;
    }
    if (!matrix_column_named(m, "confidence") || !matrix_column_named(m, "source"))
        return source_error(&m->source, err, "columns", "confidence and source are mandatory");
    return 0;
}

/* --- the table --- */

static int run(struct matrix *m, const struct text *sql, struct error *err)
{
    int code = engine_exec(m->engine, text_get(sql), err);
    return code ? error_prefix(err, code, "%s", m->source.path) : 0;
}

static int create_table(struct matrix *m, struct error *err)
{
    static const char *const sql_types[] = {
        [CELL_TEXT] = "TEXT",       [CELL_INTEGER] = "INTEGER", [CELL_REAL] = "REAL",
        [CELL_BOOLEAN] = "INTEGER", [CELL_VERSION] = "TEXT",    [CELL_PEP440] = "TEXT",
    };
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql, "DROP TABLE IF EXISTS \"m_%s\"; CREATE TABLE \"m_%s\" (", m->base, m->base);
    for (size_t i = 0; i < m->column_count; i++) {
        const struct column *c = &m->columns[i];
        text_printf(&sql, "%s\"%s\" %s%s", i ? ", " : "", c->name, sql_types[c->type->cell],
                    c->nullable ? "" : " NOT NULL");
        if (c->type->cell == CELL_VERSION)
            text_printf(&sql, ", \"%s_key\" INTEGER", c->name);
    }
    text_add(&sql, ") STRICT");
    return run(m, &sql, err);
}

static int create_index(struct matrix *m, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    struct member root = {&m->source, m->source.json, ""};
    const char *const *key;
    size_t count;
    int code = get_texts(&root, &m->arena, "key", &key, &count, err);
    if (code)
        return code;
    if (!count)
        return source_error(&m->source, err, json_object_get(m->source.json, "key") ? "key" : "",
                            "\"key\" must name columns");
    text_printf(&sql, "CREATE UNIQUE INDEX \"m_%s_key\" ON \"m_%s\" (", m->base, m->base);
    for (size_t i = 0; i < count; i++) {
        if (!matrix_column_named(m, key[i]))
            return source_error(&m->source, err, arena_printf(&m->arena, "key[%zu]", i),
                                "there is no column \"%s\"", key[i]);
        text_printf(&sql, "%s\"%s\"", i ? ", " : "", key[i]);
    }
    text_add(&sql, ")");
    return run(m, &sql, err);
}

/* --- sources --- */

static int store_source(struct matrix *m, sqlite3_stmt *insert, const json_t *entry, size_t i,
                        struct error *err)
{
    static const char *const keys[] = {"id", "title", "url", NULL};
    struct member at = {&m->source, entry, arena_printf(&m->arena, "sources[%zu]", i)};
    const char *id, *title, *url;
    int code;
    if (!json_is_object(entry))
        return source_error(&m->source, err, at.base, "must be an object");
    if ((code = check_keys(&at, &m->arena, keys, err)) ||
        (code = get_text(&at, &m->arena, "id", true, &id, err)) ||
        (code = get_text(&at, &m->arena, "title", true, &title, err)) ||
        (code = get_text(&at, &m->arena, "url", false, &url, err)))
        return code;
    sqlite3_bind_text(insert, 1, m->base, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, id, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, title, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 4, url, -1, SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE)
        return source_error(&m->source, err, at.base, "%s", sqlite3_errmsg(m->engine->db));
    sqlite3_reset(insert);
    return 0;
}

static int store_sources(struct matrix *m, struct error *err)
{
    struct member root = {&m->source, m->source.json, ""};
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    CLEANUP_TEXT struct text clear = {0};
    json_t *entry;
    size_t i;
    text_printf(&clear, "DELETE FROM matrix_source WHERE file = '%s'", m->base);
    int code = run(m, &clear, err);
    if (!code)
        code = get_array(&root, &m->arena, "sources", true, &m->sources, err);
    if (!code)
        code = engine_prepare(m->engine, "INSERT INTO matrix_source VALUES (?1, ?2, ?3, ?4)",
                              &insert, err);
    if (code)
        return code;
    json_array_foreach ((json_t *)m->sources, i, entry) {
        code = store_source(m, insert, entry, i, err);
        if (code)
            return code;
    }
    return 0;
}

static int store(struct matrix *m, struct error *err)
{
    static const char *const keys[] = {"schema", "title", "sources", "columns",
                                       "key",    "rows",  NULL};
    struct member root = {&m->source, m->source.json, ""};
    const char *title;
    int code;
    if ((code = check_keys(&root, &m->arena, keys, err)) ||
        (code = get_text(&root, &m->arena, "title", true, &title, err)))
        return code;
    if (json_integer_value(json_object_get(m->source.json, "schema")) != 1)
        return source_error(&m->source, err,
                            json_object_get(m->source.json, "schema") ? "schema" : "",
                            "\"schema\" must be 1");
    if ((code = parse_columns(m, err)) || (code = store_sources(m, err)) ||
        (code = create_table(m, err)) || (code = create_index(m, err)))
        return code;
    return matrix_store_rows(m, err);
}

int load_matrix(struct engine *engine, const char *path, const char *base, struct error *err)
{
    struct matrix m = {.engine = engine, .base = base};
    if (!is_sql_name(base))
        return error_set(err, -EINVAL, "%s: a matrix file's name is made of a-z, 0-9 and _", path);
    int code = source_load(&m.arena, path, MATRIX_FILE_MAX, &m.source, err);
    if (!code)
        code = store(&m, err);
    source_done(&m.source);
    arena_done(&m.arena);
    return code;
}
