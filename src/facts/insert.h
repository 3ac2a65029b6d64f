/* A row struct as values of an INSERT; for the files of this room. */
#ifndef FACTS_INSERT_H
#define FACTS_INSERT_H

#include "facts/facts.h"

/* The INSERT of a table. 0, or negative: sqlite3_errmsg() has the sentence. */
int insert_prepare(sqlite3 *db, const struct table_spec *table, sqlite3_stmt **ret);
/* Runs it for a row; errors as above. */
int insert_put(sqlite3_stmt *insert, const struct table_spec *table, const void *row);
/* About what the row takes: its texts, and a few bytes for each column. */
size_t insert_bytes(const struct table_spec *table, const void *row);

#endif
