/* The parts of a run: subjects, blindness, judgements, findings, folding. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine/internal.h"

struct subject {
    const char *name; /* what rules return as subject */
    const char *key, *label, *scope;
};

/* All subjects of a kind, in the order of their view. */
struct subjects {
    const char *kind;
    struct subject *items;
    size_t count;
    struct subject **sorted; /* by name */
    const char *failure;     /* why they could not be listed; then there are none */
};
int subjects_load(struct engine *engine, struct arena *arena, const char *kind,
                  struct subjects *ret, struct error *err);
/* Index in items, or -1. */
long subjects_find(const struct subjects *subjects, const char *name);

/* subject_parent, sorted by (kind, name). */
struct parent {
    const char *kind, *name, *parent_kind, *parent;
};
struct parents {
    struct parent *items;
    size_t count;
};
int parents_load(struct engine *engine, struct arena *arena, struct parents *ret,
                 struct error *err);

struct ancestor {
    const char *kind, *name;
};
enum { ANCESTORS_MAX = 256 };
/* The subject itself and everything above it, nearest first, at most ANCESTORS_MAX. */
size_t parents_walk(const struct parents *parents, const char *kind, const char *name,
                    struct ancestor *ret);

/* A table that is blind: see docs/rule-format.md. */
struct blind {
    enum table_id table;
    const char *scope, *reason;
};
struct blinds {
    struct blind *items;
    size_t count;
};
int blinds_load(struct engine *engine, struct arena *arena, struct blinds *ret, struct error *err);
/* Why a statement that reads these tables cannot judge a subject of the scope; NULL: it can. */
const char *blinds_reason(const struct blinds *blinds, const struct reads *reads,
                          const char *scope);

/* One row of a statement, kept. */
struct row {
    const struct statement *statement;
    sqlite3_value **values; /* owned: row_done() */
};
void row_keep(struct row *row, const struct statement *statement);
void row_done(struct row *row);
/* The text of a column, borrowed from the row; NULL is unknown. */
const char *row_text(const struct row *row, int column);

struct judgement {
    enum verdict verdict;
    const char *reason; /* of unknown */
    struct row row;     /* of fail */
    enum severity severity;
    const char *confidence;
};

struct run {
    struct engine *engine;
    const char *target;
    struct arena arena; /* what only the run needs */
    struct subjects **kinds;
    size_t kind_count, kind_capacity;
    struct parents parents;
    struct blinds blinds;
};
int run_begin(struct run *run, struct engine *engine, const char *target, struct error *err);
int run_subjects(struct run *run, const char *kind, const struct subjects **ret, struct error *err);
void run_done(struct run *run);

/* Judges every subject of the rule's kind: an array as long as *ret_subjects has items, owned by
 * the caller (judgements_free). Where the rule fails, err says how, and what it is about is
 * unknown; *ret_subjects is NULL where the subjects could not even be listed. */
int rule_judge(struct run *run, struct rule *rule, const struct subjects **ret_subjects,
               struct judgement **ret, struct error *err);
void judgements_free(struct judgement *judgements, size_t count);
/* "rule ID: what: sentence", the error of a rule that went wrong while it ran. */
int rule_error(const struct rule *rule, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Its sentence without "rule ID: ". */
const char *rule_failure(const struct rule *rule, const struct error *err);

/* What the queries of a rule's evidence and steps may cost, for all its findings together: without
 * that a rule that fails a thousand subjects with a slow step would take an hour. Findings on the
 * GPUs of one machine mostly ask the same: the last answer to each query is kept. */
struct answer {
    const struct statement *statement;
    sqlite3_value **parameters;
    int parameter_count;
    struct row *rows;
    size_t row_count, row_capacity;
};
struct words {
    int64_t steps_left; /* of SQLite's machine */
    int code;           /* of the first query that failed */
    struct error error;
    struct answer *answers;
    size_t answer_count, answer_capacity;
};
void words_begin(struct words *words);
void words_end(struct words *words);
/* The first `most` rows of a query of evidence or of a step, asked on the rule's row: compiles it
 * (where it is not yet), fills what it reads and binds :subject and :columns. The rows are borrowed
 * until the next call. Where that fails or is too much, `words` tells, and there are fewer. */
const struct row *words_ask(struct words *words, struct engine *engine, const struct rule *rule,
                            struct statement *statement, const struct row *row, size_t most,
                            size_t *ret_count);

/* Message, evidence and steps of a failing subject, from `arena`. A query of evidence or of a step
 * that fails takes its entry away, or leaves the text of the step, and is told in `words`: the
 * finding stands. Negative where the rule cannot be read at all. */
int finding_make(struct run *run, struct rule *rule, const struct subject *subject,
                 const struct judgement *judgement, struct words *words, struct arena *arena,
                 struct finding *ret, struct error *err);
void evidence_make(struct run *run, struct rule *rule, const struct row *row, struct words *words,
                   struct arena *arena, struct finding *ret);
void steps_make(struct run *run, struct rule *rule, const struct row *row, struct words *words,
                struct arena *arena, struct finding *ret);
/* Slots from up to two rows; a slot_lookup. */
struct row_pair {
    const struct row *first, *second; /* first may be NULL */
};
bool row_pair_lookup(const void *context, const char *name, const char **ret);
/* Orders the findings, folds them under their causes and counts. */
void fold(const struct run *run, struct finding *findings, size_t count, struct result *result);

#endif
