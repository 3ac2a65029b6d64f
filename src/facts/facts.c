#include "facts/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "facts/insert.h"
#include "facts/kept.h"
#include "facts/schema.h"

struct facts {
    sqlite3 *db;
    sqlite3_stmt *inserts[TABLE_COUNT];
    int failure;
    struct error error;
    size_t rows_max, bytes_max; /* 0: no limit */
    size_t rows[TABLE_COUNT], bytes_of[TABLE_COUNT], bytes;
    bool is_cut[TABLE_COUNT], has_rows[TABLE_COUNT];
    bool is_lazy, is_made[TABLE_COUNT]; /* lazy: a table is made when a statement names it */
    struct kept_rows kept[TABLE_COUNT]; /* of tables that are not made */
    struct arena arena;                 /* their texts */
};

static void remember_failure(struct facts *facts, const struct table_spec *table)
{
    if (!facts->failure)
        facts->failure = error_set(&facts->error, -EIO, "cannot add a row to %s: %s", table->name,
                                   sqlite3_errmsg(facts->db));
}

static void put_row(struct facts *facts, enum table_id id, const void *row)
{
    const struct table_spec *table = facts_table(id);
    sqlite3_stmt **insert = &facts->inserts[id];
    if ((!*insert && insert_prepare(facts->db, table, insert) < 0) ||
        insert_put(*insert, table, row) < 0)
        remember_failure(facts, table);
}

/* --- making tables --- */

/* The table is made: what was kept of it goes there, in one transaction. */
static int put_kept(struct facts *facts, enum table_id id, struct error *err)
{
    struct kept_rows *kept = &facts->kept[id];
    if (!kept->count)
        return 0;
    bool is_own = sqlite3_get_autocommit(facts->db) &&
                  sqlite3_exec(facts->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; i < kept->count; i++)
        put_row(facts, id, kept_row(kept, facts_table(id), i));
    kept_rows_done(kept);
    if (is_own && sqlite3_exec(facts->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        remember_failure(facts, facts_table(id));
    return facts_failed(facts, err);
}

static int make_table(struct facts *facts, enum table_id id, struct error *err)
{
    CLEANUP_TEXT struct text sql = {0};
    schema_statement(facts_table(id), &sql);
    facts->is_made[id] = true;
    if (sqlite3_exec(facts->db, text_get(&sql), NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "cannot make table %s: %s", facts_table(id)->name,
                         sqlite3_errmsg(facts->db));
    return put_kept(facts, id, err);
}

int facts_open(sqlite3 *db, struct facts **ret, struct error *err)
{
    struct facts *facts = xcalloc(1, sizeof *facts);
    facts->db = db;
    int code = 0;
    if (!schema_is_there(db)) {
        for (size_t i = 0; !code && i < TABLE_COUNT; i++)
            code = make_table(facts, (enum table_id)i, err);
        if (!code)
            code = schema_note(db, err);
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

static void take_table(struct facts *facts, struct facts *from, enum table_id id)
{
    struct arena arena = {0};
    const void *rows;
    size_t count;
    int code = facts_rows(from, id, NULL, NULL, &arena, &rows, &count, &from->error);
    from->failure = from->failure ? from->failure : code;
    for (size_t i = 0; i < count; i++)
        facts_insert(facts, id, (const char *)rows + i * facts_table(id)->row_size);
    arena_done(&arena);
}

void facts_take(struct facts *facts, struct facts *from)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (from->has_rows[i])
            take_table(facts, from, (enum table_id)i);
        facts->is_cut[i] |= from->is_cut[i];
    }
    if (from->failure && !facts->failure) {
        facts->failure = from->failure;
        facts->error = from->error;
    }
}

int facts_make(struct facts *facts, enum table_id id, struct error *err)
{
    return facts->is_lazy && !facts->is_made[id] ? make_table(facts, id, err) : 0;
}

int facts_make_all(struct facts *facts, struct error *err)
{
    int code = 0;
    for (size_t i = 0; !code && i < TABLE_COUNT; i++)
        code = facts_make(facts, (enum table_id)i, err);
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
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        sqlite3_finalize(facts->inserts[i]);
        kept_rows_done(&facts->kept[i]);
    }
    arena_done(&facts->arena);
    free(facts);
}

sqlite3 *facts_db(const struct facts *facts)
{
    return facts->db;
}

/* A quarter is for the machine's own tables, and of what others left free a table takes half: none
 * crowds out the rest. */
static size_t bytes_allowed(const struct facts *facts, enum table_id id)
{
    size_t most = facts->bytes_max - (facts_table(id)->per_environment ? facts->bytes_max / 4 : 0);
    size_t others = facts->bytes - facts->bytes_of[id];
    return others < most ? (most - others) / 2 : 0;
}

static bool has_room(struct facts *facts, enum table_id id, const void *row)
{
    if (!facts->rows_max)
        return true;
    size_t bytes = insert_bytes(facts_table(id), row);
    if (facts->rows[id] >= facts->rows_max ||
        facts->bytes_of[id] + bytes > bytes_allowed(facts, id)) {
        facts->is_cut[id] = true;
        return false;
    }
    facts->rows[id]++;
    facts->bytes_of[id] += bytes;
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
    if (!has_room(facts, id, row))
        return;
    facts->has_rows[id] = true;
    if (facts->is_lazy && !facts->is_made[id])
        kept_rows_add(&facts->kept[id], facts_table(id), &facts->arena, row);
    else
        put_row(facts, id, row);
}

const struct kept_rows *facts_kept(const struct facts *facts, enum table_id id)
{
    return &facts->kept[id];
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
    if (facts->is_lazy && !facts->is_made[id]) {
        kept_rows_done(&facts->kept[id]);
        facts->has_rows[id] = false;
        return 0;
    }
    text_printf(&sql, "DELETE FROM \"%s\"", facts_table(id)->name);
    if (sqlite3_exec(facts->db, text_get(&sql), NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, -EIO, "cannot empty %s: %s", facts_table(id)->name,
                         sqlite3_errmsg(facts->db));
    facts->has_rows[id] = false;
    return 0;
}
