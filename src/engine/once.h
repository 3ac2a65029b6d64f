/* Views that are evaluated once in a run: tables that stand where a view would, so that the rules
 * that read them need not unfold and run it again each time. views.sql declares one as
 * CREATE TABLE name AS SELECT ...; what its reader reads is what its query reads. Each is evaluated
 * when something that reads it is about to run, and not at all where nothing does. */
#ifndef ENGINE_ONCE_H
#define ENGINE_ONCE_H

#include "base/error.h"
#include "engine/guard.h"

struct engine;

enum once_state { ONCE_STALE, ONCE_FILLING, ONCE_FILLED, ONCE_FAILED };

struct once {
    struct known_reads known; /* its name, and what its query reads */
    const char *query;
    sqlite3_stmt *fill; /* NULL until it is needed */
    enum once_state state;
    bool is_constant; /* holds what its query gives where there are no facts, out of the image */
    bool is_empty;    /* known to hold no row */
    const char *failure;
};

/* Whether the name is that of such a view. */
bool once_is(struct engine *engine, const char *name);
/* Makes the table and keeps its query, or takes both away; the name's own quoting is done here. */
int once_create(struct engine *engine, const char *name, const char *query, struct error *err);
int once_drop(struct engine *engine, const char *name, struct error *err);
/* Finds out what each reads and writes that down, for an image: after all of them are there. */
int once_learn(struct engine *engine, struct error *err);
/* Fills all of them without any facts, for an image: those whose facts are not there when the image
 * is used need not be evaluated. */
int once_fill_constant(struct engine *engine, struct error *err);

/* Lists them, if that was not done: before anything that reads them is compiled. */
int once_list(struct engine *engine, struct error *err);
/* Fills those that these reads name, and those that they read themselves, unless they hold what
 * the facts give now. A view that fails does so for all its readers, with one sentence. */
int once_need(struct engine *engine, const struct reads *reads, struct error *err);
/* Prepares what once_need() would fill. */
void once_warm_up(struct engine *engine, const struct reads *reads);
/* Forgets what once_list() has made. */
void once_done(struct engine *engine);

#endif
