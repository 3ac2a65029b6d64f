/* Facts: rows of named, strictly typed tables in an SQLite database in memory. */
#ifndef FACTS_FACTS_H
#define FACTS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <sqlite3.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/version.h"

/* Row types: struct row_host, struct row_gpu, ... Text is borrowed until the insert returns, NULL
 * is unknown. */
#define TABLE(table, about, doc) struct row_##table {
#define TEXT(table, column, unit, doc) const char *column;
#define INT(table, column, unit, doc) struct opt column;
#define VERSION(table, column, kind, doc) const char *column;
#define END(table) \
    } \
    ;
#include "facts/tables.def"
#undef TABLE
#undef TEXT
#undef INT
#undef VERSION
#undef END

enum table_id {
#define TABLE(table, about, doc) TABLE_##table,
#define TEXT(table, column, unit, doc)
#define INT(table, column, unit, doc)
#define VERSION(table, column, kind, doc)
#define END(table)
#include "facts/tables.def"
#undef TABLE
#undef TEXT
#undef INT
#undef VERSION
#undef END
    TABLE_COUNT
};

enum column_type { COLUMN_TEXT, COLUMN_INT, COLUMN_VERSION };

struct column_spec {
    const char *name, *unit, *doc;
    enum column_type type;
    enum version_kind version; /* of COLUMN_VERSION */
    size_t offset;             /* in the row struct */
};

struct table_spec {
    const char *name, *doc;
    bool per_environment; /* facts of an environment; else of the machine */
    const struct column_spec *columns;
    size_t column_count;
    size_t row_size; /* of the row struct */
};

const struct table_spec *facts_table(enum table_id id);
const struct table_spec *facts_table_named(const char *name); /* NULL when there is none */

static inline void cleanup_statement(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}
#define CLEANUP_STATEMENT CLEANUP(cleanup_statement)

struct facts;

/* Makes the tables in `db` (borrowed; must outlive the facts), unless they are there already. */
int facts_open(sqlite3 *db, struct facts **ret, struct error *err);
/* The same, but a table is made when facts_query() names it, and its rows are kept outside of
 * SQLite until then: for work that needs few of them and no time to lose. Others may ask such a
 * database after facts_make_all(). */
struct facts *facts_open_lazy(sqlite3 *db);
/* Adds the rows of other facts, in the order of each table, and what failed or was left out there.
 */
void facts_take(struct facts *facts, struct facts *from);
/* Makes the table, or all of them, where they are not there yet. */
int facts_make(struct facts *facts, enum table_id id, struct error *err);
int facts_make_all(struct facts *facts, struct error *err);
void facts_free(struct facts *facts);
sqlite3 *facts_db(const struct facts *facts);

/* Adds one row of `struct row_<table>`; prefer the typed helpers below. Text is kept byte by
 * byte, since paths are opened again: who shows it makes it UTF-8. An insert that SQLite refuses is
 * remembered and told by facts_failed(). */
void facts_insert(struct facts *facts, enum table_id id, const void *row);
/* Prepares a query for a probe; finalized by its owner. NULL when SQLite refuses it, which is
 * remembered like a refused insert, so that it does not pass for a table without rows. */
sqlite3_stmt *facts_query(struct facts *facts, const char *sql);
/* A column of the row at hand: its text in memory of the arena, NULL for NULL; its number. */
static inline char *facts_text(sqlite3_stmt *row, int at, struct arena *arena)
{
    return arena_strdup(arena, (const char *)sqlite3_column_text(row, at));
}
static inline struct opt facts_number(sqlite3_stmt *row, int at)
{
    return sqlite3_column_type(row, at) == SQLITE_NULL ? UNKNOWN
                                                       : known(sqlite3_column_int64(row, at));
}
/* The rows whose text column `column` is `value` (NULL: unknown; column NULL: all rows) as an array
 * of struct row_<table> in *ret, in the order in which they were added. It is the arena's; their
 * texts are the arena's or the facts'. It asks SQLite for tables that are made, and makes none. 0,
 * or negative with a sentence. */
int facts_rows(struct facts *facts, enum table_id id, const char *column, const char *value,
               struct arena *arena, const void **ret, size_t *ret_count, struct error *err);
/* 0, or the first failure of an insert or query since facts_open(). */
int facts_failed(const struct facts *facts, struct error *err);

/* facts_add_gpu(facts, &(struct row_gpu){...}) and so on */
#define TABLE(table, about, doc) \
    static inline void facts_add_##table(struct facts *facts, const struct row_##table *row) \
    { \
        facts_insert(facts, TABLE_##table, row); \
    }
#define TEXT(table, column, unit, doc)
#define INT(table, column, unit, doc)
#define VERSION(table, column, kind, doc)
#define END(table)
#include "facts/tables.def"
#undef TABLE
#undef TEXT
#undef INT
#undef VERSION
#undef END

/* What a machine may fill, so that one that is made to harm cannot: rows of one table, and bytes of
 * all of them together, as a snapshot has them. Rows beyond are left out, which facts_is_cut()
 * tells. 0: no limit, as at first. */
void facts_set_limits(struct facts *facts, size_t rows, size_t bytes);
bool facts_is_cut(const struct facts *facts, enum table_id id);

/* Whether no row was added since it was opened or emptied: what other statements did to the table
 * does not count. */
bool facts_is_empty(const struct facts *facts, enum table_id id);
/* Whether the table is there: all are, unless they were opened lazily. */
bool facts_is_made(const struct facts *facts, enum table_id id);
/* Empties a table. */
int facts_clear(struct facts *facts, enum table_id id, struct error *err);

/* --- snapshots --- */

enum { FACTS_SCHEMA = 1 };

/* All tables as JSON: {"schema":1,"gpudoctor":V,"rules":V,"tables":{"host":[{...}],...}}. NULL
 * columns and keys are left out. A new reference for the caller, NULL with a sentence on error. */
json_t *facts_to_json(struct facts *facts, const char *program_version, const char *rules_version,
                      struct error *err);
/* Rows of one table as a JSON array (new reference). */
json_t *facts_table_json(struct facts *facts, const struct table_spec *table, struct error *err);
/* Loads such a document into empty tables. An unknown table or column is an error unless the
 * snapshot's schema is newer (then it is left out); a wrong type always is. */
int facts_from_json(struct facts *facts, const json_t *snapshot, struct error *err);
/* Loads {"table":[{...}]} as in a rule's example. */
int facts_rows_from_json(struct facts *facts, const json_t *tables, bool lenient,
                         struct error *err);
/* The JSON Schema of a snapshot (new reference). */
json_t *facts_json_schema(void);

#endif
