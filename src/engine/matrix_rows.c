/* The rows of a matrix file: every cell is checked against its column. */
#include <string.h>

#include "base/pep440.h"
#include "base/text.h"
#include "engine/matrix.h"

static bool has_source(const struct matrix *m, const char *id)
{
    json_t *entry;
    size_t i;
    json_array_foreach ((json_t *)m->sources, i, entry) {
        if (text_equal(json_string_value(json_object_get(entry, "id")), id))
            return true;
    }
    return false;
}

/* What is wrong with a text cell, or NULL. */
static const char *check_text(struct matrix *m, const struct column *c, const char *value)
{
    struct template template;
    struct error reason;
    size_t offset;
    if (strcmp(c->name, "confidence") == 0 && strcmp(value, "high") != 0 &&
        strcmp(value, "medium") != 0 && strcmp(value, "low") != 0)
        return "must be high, medium or low";
    if (strcmp(c->name, "source") == 0 && !has_source(m, value))
        return "is not among the sources";
    if (c->type->cell == CELL_PEP440 && !pep440_valid(value))
        return "is not a PEP 440 version";
    /* a command is a template that steps fill in: {"command": "{command:line}"} */
    if (strcmp(c->name, "command") != 0)
        return NULL;
    if (template_parse(&m->arena, value, TEMPLATE_COMMAND, &template, &offset, &reason) < 0)
        return arena_strdup(&m->arena, reason.text);
    return template_is_line(&template) ? "may not be a line itself" : NULL;
}

static const char *bind_cell(struct matrix *m, sqlite3_stmt *insert, int at, const struct column *c,
                             const json_t *value)
{
    static const char *const wanted[] = {
        [CELL_TEXT] = "must be text",     [CELL_INTEGER] = "must be an integer",
        [CELL_REAL] = "must be a number", [CELL_BOOLEAN] = "must be true or false",
        [CELL_VERSION] = "must be text",  [CELL_PEP440] = "must be text",
    };
    const char *text = json_string_value(value), *wrong;
    int64_t key;
    if (!value || json_is_null(value))
        return c->nullable ? NULL : "is missing, and the column does not say what null means";
    switch (c->type->cell) {
    case CELL_INTEGER:
        sqlite3_bind_int64(insert, at, json_integer_value(value));
        return json_is_integer(value) ? NULL : wanted[c->type->cell];
    case CELL_REAL:
        sqlite3_bind_double(insert, at, json_number_value(value));
        return json_is_number(value) ? NULL : wanted[c->type->cell];
    case CELL_BOOLEAN:
        sqlite3_bind_int(insert, at, json_is_true(value));
        return json_is_boolean(value) ? NULL : wanted[c->type->cell];
    case CELL_TEXT:
    case CELL_PEP440:
    case CELL_VERSION:
        break;
    }
    if (!text)
        return wanted[c->type->cell];
    if ((wrong = check_text(m, c, text)))
        return wrong;
    sqlite3_bind_text(insert, at, text, -1, SQLITE_STATIC);
    if (c->type->cell == CELL_VERSION) {
        if (!version_key(c->type->version, text, &key))
            return "is not a version of its kind";
        sqlite3_bind_int64(insert, at + 1, key);
    }
    return NULL;
}

static int store_row(struct matrix *m, sqlite3_stmt *insert, const json_t *row, size_t i,
                     struct error *err)
{
    char *base = arena_printf(&m->arena, "rows[%zu]", i);
    const char *name;
    json_t *value;
    int at = 1;
    if (!json_is_object(row))
        return source_error(&m->source, err, base, "must be an object");
    json_object_foreach ((json_t *)row, name, value) {
        if (!matrix_column_named(m, name))
            return source_error(&m->source, err, base, "there is no column \"%s\"", name);
    }
    for (size_t k = 0; k < m->column_count; k++) {
        const struct column *c = &m->columns[k];
        const char *wrong = bind_cell(m, insert, at, c, json_object_get(row, c->name));
        if (wrong)
            return source_error(&m->source, err, arena_printf(&m->arena, "%s.%s", base, c->name),
                                "%s", wrong);
        at += c->type->cell == CELL_VERSION ? 2 : 1;
    }
    int rc = sqlite3_step(insert);
    if (rc != SQLITE_DONE)
        return source_error(&m->source, err, base, "%s",
                            rc == SQLITE_CONSTRAINT ? "its key occurs a second time"
                                                    : sqlite3_errmsg(m->engine->db));
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    return 0;
}

int matrix_store_rows(struct matrix *m, struct error *err)
{
    struct member root = {&m->source, m->source.json, ""};
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    CLEANUP_TEXT struct text sql = {0};
    const json_t *rows, *row;
    size_t i;
    int code = get_array(&root, &m->arena, "rows", true, &rows, err);
    if (code)
        return code;
    text_printf(&sql, "INSERT INTO \"m_%s\" VALUES (", m->base);
    for (i = 0; i < m->column_count; i++)
        text_printf(&sql, "%s%s", i ? "," : "",
                    m->columns[i].type->cell == CELL_VERSION ? "?,?" : "?");
    text_add(&sql, ")");
    code = engine_prepare(m->engine, text_get(&sql), &insert, err);
    if (code)
        return error_prefix(err, code, "%s", m->source.path);
    json_array_foreach (rows, i, row) {
        code = store_row(m, insert, row, i, err);
        if (code)
            return code;
    }
    return 0;
}
