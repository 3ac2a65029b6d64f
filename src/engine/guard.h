/* What SQL of rules and of users may do: read, within limits. */
#ifndef ENGINE_GUARD_H
#define ENGINE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "facts/facts.h"

/* A column of a matrix table that a statement reads; names have at most this many bytes. */
struct matrix_column {
    char table[64], column[64];
};

/* What a statement reads, through views too. */
struct reads {
    bool facts[TABLE_COUNT];
    struct matrix_column *matrix; /* owned: reads_done() */
    size_t matrix_count, matrix_capacity;
    size_t *known; /* owned; places in the guard's `known` */
    size_t known_count, known_capacity;
};
void reads_done(struct reads *reads);
/* Whatever `more` reads of facts and matrix. */
void reads_add(struct reads *reads, const struct reads *more);
/* A column of a matrix table; `column` NULL: only the table. */
void reads_add_matrix(struct reads *reads, const char *table, const char *column);
/* As text and back, without `known`: "gpu host ", "m_gpu.cc m_gpu.cc_key ". */
void reads_write(const struct reads *reads, struct text *facts, struct text *matrix);
void reads_read(struct reads *reads, const char *facts, const char *matrix);

/* A table that stands for a query: whoever reads it reads what the query reads. */
struct known_reads {
    const char *table;
    struct reads reads;
};

enum guard_mode {
    GUARD_OPEN,  /* the engine's own statements */
    GUARD_QUERY, /* rules and users: SELECT alone */
    GUARD_VIEW,  /* CREATE VIEW alone */
    GUARD_FILL,  /* INSERT of a SELECT */
};

enum { GUARD_LAST = 32 };

/* Lives as long as the connection: installing another authorizer would expire every prepared
 * statement, so one is installed for good and looks at the mode. */
struct guard {
    enum guard_mode mode;
    struct reads *reads;              /* NULL: nobody wants to know */
    const struct known_reads **known; /* borrowed items; as many as known_count */
    size_t known_count, known_capacity;
    char last[GUARD_LAST][64]; /* tables that were looked up: a query reads many columns of each */
    char denied[200];          /* the sentence of the first refusal */
    char word[64];             /* what was refused, to be found in the text */
    int64_t steps_left, deadline_ns; /* 0: no limit */
    const char *stopped;             /* the limit that stopped a statement */
};

void guard_install(struct guard *guard, sqlite3 *db);
/* What it installs: SQLite's question about one action of a statement, answered by the mode. */
int guard_authorize(void *context, int action, const char *a, const char *b, const char *database,
                    const char *inner);

/* Limits for what runs until guard_unlimit(): virtual machine steps and, unless 0, milliseconds. */
void guard_limit(struct guard *guard, int64_t steps, int64_t ms);
void guard_unlimit(struct guard *guard);

/* Prepares the one statement of `sql`. On error err holds what is wrong and *ret_offset where in
 * `sql`, or -1. `reads` may be NULL. */
int guard_prepare(struct guard *guard, sqlite3 *db, enum guard_mode mode, const char *sql,
                  struct reads *reads, sqlite3_stmt **ret, int *ret_offset, struct error *err);

/* The reason why a step failed: the limit, or SQLite's words. */
const char *guard_reason(const struct guard *guard, sqlite3 *db);

#endif
