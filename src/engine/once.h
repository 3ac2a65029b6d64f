/* Views that are evaluated once in a run: tables that stand where a view would, so that the rules
 * that read them need not unfold and run it again each time. views.sql declares one as
 * CREATE TABLE name AS SELECT ...; what its reader reads is what its query reads. */
#ifndef ENGINE_ONCE_H
#define ENGINE_ONCE_H

#include "base/error.h"
#include "engine/guard.h"

struct engine;

struct once {
    struct known_reads known; /* its name, and what its query reads */
    sqlite3_stmt *empty, *fill;
};

/* Whether the name is that of such a view. */
bool once_is(struct engine *engine, const char *name);
/* Makes the table and keeps its query, or takes both away; the name's own quoting is done here. */
int once_create(struct engine *engine, const char *name, const char *query, struct error *err);
int once_drop(struct engine *engine, const char *name, struct error *err);

/* Prepares the queries, if they are not: before anything that reads the tables is compiled. */
int once_prepare(struct engine *engine, struct error *err);
/* Fills the tables anew from the facts, in the order of their declaration. */
int once_fill(struct engine *engine, struct error *err);
/* Forgets what once_prepare() has made. */
void once_done(struct engine *engine);

#endif
