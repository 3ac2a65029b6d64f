#include "facts/facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"

struct facts {
    sqlite3 *db;
    sqlite3_stmt *inserts[TABLE_COUNT];
    int failure;
    struct error error;
    size_t rows_max, bytes_max; /* 0: no limit */
    size_t rows[TABLE_COUNT], bytes;
    bool is_cut[TABLE_COUNT], has_rows[TABLE_COUNT];
    bool is_lazy, is_made[TABLE_COUNT]; /* lazy: a table is made when it is first used */
};

static void create_statement(const struct table_spec *table, struct text *sql)
{
    text_printf(sql, "CREATE TABLE IF NOT EXISTS \"%s\" (", table->name);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        text_printf(sql, "%s\"%s\" %s", i ? ", " : "", c->name,
                    c->type == COLUMN_INT ? "INTEGER" : "TEXT");
        if (c->type == COLUMN_VERSION)
            text_printf(sql, ", \"%s_key\" INTEGER", c->name);
    }
    text_add(sql, ") STRICT");
}

static void insert_statement(const struct table_spec *table, struct text *sql)
{
    size_t values = 0;
    text_printf(sql, "INSERT INTO \"%s\" VALUES (", table->name);
    for (size_t i = 0; i < table->column_count; i++)
        values += table->columns[i].type == COLUMN_VERSION ? 2 : 1;
    for (size_t i = 0; i < values; i++)
        text_add(sql, i ? ",?" : "?");
    text_add(sql, ")");
}

static int make_table(struct facts *facts, enum table_id id, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    create_statement(facts_table(id), &sql);
    facts->is_made[id] = true;
    if (sqlite3_exec(facts->db, text_get(&sql), NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "cannot make table %s: %s", facts_table(id)->name,
                         sqlite3_errmsg(facts->db));
    return 0;
}

/* Whether the tables are those of an image that this very build made. */
static bool has_tables(sqlite3 *db, uint64_t print)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    return sqlite3_prepare_v2(db, "SELECT print FROM fact_tables", -1, &select, NULL) ==
               SQLITE_OK &&
           sqlite3_step(select) == SQLITE_ROW && (uint64_t)sqlite3_column_int64(select, 0) == print;
}

/* FNV-1a of all that a CREATE TABLE is made of. */
static uint64_t print_of_tables(void)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        for (const char *c = table->name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        for (size_t k = 0; k < table->column_count; k++) {
            hash = (hash ^ (0x80u + table->columns[k].type)) * 1099511628211u;
            for (const char *c = table->columns[k].name; *c; c++)
                hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        }
    }
    return hash;
}

static int note_tables(sqlite3 *db, uint64_t print, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql,
                "CREATE TABLE IF NOT EXISTS fact_tables (print INTEGER) STRICT;"
                "DELETE FROM fact_tables; INSERT INTO fact_tables VALUES (%" PRId64 ")",
                (int64_t)print);
    return sqlite3_exec(db, text_get(&sql), NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : error_set(err, -EIO, "cannot note the tables: %s", sqlite3_errmsg(db));
}

int facts_open(sqlite3 *db, struct facts **ret, struct error *err)
{
    uint64_t print = print_of_tables();
    struct facts *facts = xcalloc(1, sizeof *facts);
    facts->db = db;
    int code = 0;
    if (!has_tables(db, print)) {
        for (size_t i = 0; !code && i < TABLE_COUNT; i++)
            code = make_table(facts, (enum table_id)i, err);
        if (!code)
            code = note_tables(db, print, err);
    }
    if (code)
        facts_free(facts);
    else
        *ret = facts;
    return code;
}

struct facts *facts_open_lazy(sqlite3 *db)
{
    struct facts *facts = xcalloc(1, sizeof *facts);
    facts->db = db;
    facts->is_lazy = true;
    return facts;
}

int facts_make_all(struct facts *facts, struct error *err)
{
    int code = 0;
    for (size_t i = 0; facts->is_lazy && !code && i < TABLE_COUNT; i++)
        if (!facts->is_made[i])
            code = make_table(facts, (enum table_id)i, err);
    return code;
}

/* Makes the table that a statement did not find; false where that was not its trouble. */
static bool make_missing_table(struct facts *facts)
{
    static const char words[] = "no such table: ";
    const char *message = sqlite3_errmsg(facts->db);
    if (!facts->is_lazy || !text_starts(message, words))
        return false;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (!facts->is_made[i] &&
            strcmp(facts_table((enum table_id)i)->name, message + strlen(words)) == 0)
            return make_table(facts, (enum table_id)i, NULL) == 0;
    return false;
}

void facts_free(struct facts *facts)
{
    if (!facts)
        return;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        sqlite3_finalize(facts->inserts[i]);
    free(facts);
}

sqlite3 *facts_db(const struct facts *facts)
{
    return facts->db;
}

/* Names in files may be any bytes; the database holds UTF-8 only. */
static void bind_text(sqlite3_stmt *insert, int at, const char *value)
{
    size_t length = strlen(value);
    if (utf8_valid(value, length)) {
        /* borrowed: bindings are cleared before facts_insert() returns */
        sqlite3_bind_text(insert, at, value, (int)length, SQLITE_STATIC);
        return;
    }
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, value, length, true);
    sqlite3_bind_text(insert, at, text_get(&safe), (int)safe.length, SQLITE_TRANSIENT);
}

static void bind_row(sqlite3_stmt *insert, const struct table_spec *table, const void *row)
{
    int at = 1;
    for (size_t i = 0; i < table->column_count; i++, at++) {
        const struct column_spec *c = &table->columns[i];
        const char *field = (const char *)row + c->offset;
        if (c->type == COLUMN_INT) {
            struct opt number;
            memcpy(&number, field, sizeof number);
            if (number.known)
                sqlite3_bind_int64(insert, at, number.value);
            continue;
        }
        const char *value;
        memcpy(&value, field, sizeof value);
        int64_t key;
        if (value)
            bind_text(insert, at, value);
        if (c->type == COLUMN_VERSION) {
            at++;
            if (version_key(c->version, value, &key))
                sqlite3_bind_int64(insert, at, key);
        }
    }
}

static void remember_failure(struct facts *facts, const struct table_spec *table)
{
    if (!facts->failure)
        facts->failure = error_set(&facts->error, -EIO, "cannot add a row to %s: %s", table->name,
                                   sqlite3_errmsg(facts->db));
}

/* About what the row takes: its texts, and a few bytes for each column. */
static size_t row_bytes(const struct table_spec *table, const void *row)
{
    enum { COLUMN_BYTES = 8 };
    size_t bytes = table->column_count * COLUMN_BYTES;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        const char *value = NULL;
        if (c->type != COLUMN_INT)
            memcpy(&value, (const char *)row + c->offset, sizeof value);
        bytes += value ? strlen(value) : 0;
    }
    return bytes;
}

static bool has_room(struct facts *facts, enum table_id id, const void *row)
{
    if (!facts->rows_max)
        return true;
    size_t bytes = row_bytes(facts_table(id), row);
    if (facts->rows[id] >= facts->rows_max || facts->bytes + bytes > facts->bytes_max) {
        facts->is_cut[id] = true;
        return false;
    }
    facts->rows[id]++;
    facts->bytes += bytes;
    return true;
}

void facts_set_limits(struct facts *facts, size_t rows, size_t bytes)
{
    facts->rows_max = rows;
    facts->bytes_max = bytes;
}

bool facts_is_cut(const struct facts *facts, enum table_id id)
{
    return facts->is_cut[id];
}

void facts_insert(struct facts *facts, enum table_id id, const void *row)
{
    const struct table_spec *table = facts_table(id);
    sqlite3_stmt **insert = &facts->inserts[id];
    if (!has_room(facts, id, row))
        return;
    if (!*insert) {
        CLEANUP_TEXT struct text sql = {0};
        if (facts->is_lazy && !facts->is_made[id])
            make_table(facts, id, NULL); /* where that fails, so does what follows */
        insert_statement(table, &sql);
        if (sqlite3_prepare_v3(facts->db, text_get(&sql), -1, SQLITE_PREPARE_PERSISTENT, insert,
                               NULL) != SQLITE_OK) {
            remember_failure(facts, table);
            return;
        }
    }
    bind_row(*insert, table, row);
    facts->has_rows[id] = true;
    if (sqlite3_step(*insert) != SQLITE_DONE)
        remember_failure(facts, table);
    sqlite3_reset(*insert);
    sqlite3_clear_bindings(*insert);
}

sqlite3_stmt *facts_query(struct facts *facts, const char *sql)
{
    sqlite3_stmt *query = NULL;
    int rc;
    do
        rc = sqlite3_prepare_v2(facts->db, sql, -1, &query, NULL);
    while (rc != SQLITE_OK && make_missing_table(facts));
    if (rc != SQLITE_OK && !facts->failure)
        facts->failure =
            error_set(&facts->error, -EIO, "cannot ask the facts: %s", sqlite3_errmsg(facts->db));
    return query;
}

int facts_failed(const struct facts *facts, struct error *err)
{
    if (facts->failure && err)
        *err = facts->error;
    return facts->failure;
}

bool facts_is_empty(const struct facts *facts, enum table_id id)
{
    return !facts->has_rows[id];
}

bool facts_is_made(const struct facts *facts, enum table_id id)
{
    return !facts->is_lazy || facts->is_made[id];
}

int facts_clear(struct facts *facts, enum table_id id, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    if (facts->is_lazy && !facts->is_made[id])
        return 0;
    text_printf(&sql, "DELETE FROM \"%s\"", facts_table(id)->name);
    if (sqlite3_exec(facts->db, text_get(&sql), NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "cannot empty %s: %s", facts_table(id)->name,
                         sqlite3_errmsg(facts->db));
    facts->has_rows[id] = false;
    return 0;
}
