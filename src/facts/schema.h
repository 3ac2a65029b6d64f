/* The fact tables as SQLite has them; for the files of this room. */
#ifndef FACTS_SCHEMA_H
#define FACTS_SCHEMA_H

#include "base/text.h"
#include "facts/facts.h"

/* The CREATE TABLE of a table, appended. */
void schema_statement(const struct table_spec *table, struct text *sql);
/* Whether the tables are those of an image that this very build made. */
bool schema_is_there(sqlite3 *db);
/* Notes that they are. */
int schema_note(sqlite3 *db, struct error *err);

#endif
