/* What the files of the engine share. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H

#include "base/cleanup.h"
#include "engine/engine.h"
#include "engine/guard.h"
#include "engine/once.h"
#include "engine/source.h"
#include "engine/template.h"

enum {
    RULE_MS_MAX = 2000,        /* a rule's time for all subjects */
    RULE_STEPS_MAX = 10000000, /* and its virtual machine steps */
    EVIDENCE_ROWS_MAX = 20,
    STEP_ROWS_MAX = 10,
    CHECK_FILE_MAX = 256 * 1024,  /* bytes */
    VALUE_SIZE_MAX = 1024 * 1024, /* of one value in the database */
    HEAP_MAX = 512 * 1024 * 1024, /* of SQLite */
    MATRIX_FILE_MAX = 16 * 1024 * 1024,
};

/* A statement of a rule. The text is borrowed from the rule; the rest is there once compiled. */
struct statement {
    const char *key; /* JSON path of its text: "steps[1].query" */
    const char *sql; /* NULL: the rule has none */
    sqlite3_stmt *stmt;
    struct reads reads;
    const char **columns;
    size_t column_count;
};

struct evidence_spec {
    const char *key;
    bool has_value, has_path;
    struct template what, value, path;
    struct statement query;
};

struct step_spec {
    const char *key;
    const char
        *only_if; /* a column of the rule's row: where it is NULL or 0, `query` is not asked */
    bool has_command, has_otherwise, optional, each, alone; /* alone: no step stands above it */
    struct template text, command, otherwise;
    struct statement query;
};

struct rule {
    struct rule_info info;
    struct arena arena;   /* owns the rest */
    struct source source; /* its JSON owns texts */
    bool from_image;      /* checked when the image was made; prepared when first needed */
    bool is_whole;        /* message, evidence, steps and examples have been read */
    bool is_broken;       /* that was tried, in vain */
    struct statement query, applies;
    struct template message;
    struct evidence_spec *evidence;
    size_t evidence_count;
    struct step_spec *steps;
    size_t step_count;
    /* columns of `query`, -1 where it has none */
    int subject_column, verdict_column, severity_column, confidence_column, reason_column;
};

struct engine {
    sqlite3 *db;
    struct image_file *image; /* what it lies on; NULL: it began empty */
    struct facts *facts;
    struct guard guard;
    struct arena arena;
    struct rule **rules; /* sorted by id */
    size_t rule_count, rule_capacity;
    struct descriptor *descriptors; /* sorted by file */
    size_t descriptor_count;
    struct descriptor *libraries; /* sorted by name */
    size_t library_count;
    char *version;
    struct once **once; /* views that are evaluated once in a run */
    size_t once_count;
    bool once_ready;
    int once_changes; /* of the database, when one was last filled */
};

/* An open database, on an image (borrowed) or, where that is NULL, with no tables. */
int engine_new(const void *image, size_t size, struct engine **ret, struct error *err);
int engine_configure(struct engine *engine, struct error *err);
/* As engine_open(); with `only` just that rule is loaded. */
int engine_open_image(const void *image, size_t size, const char *only, struct engine **ret,
                      struct error *err);
/* Runs statements of the engine's own. */
int engine_exec(struct engine *engine, const char *sql, struct error *err);
int engine_prepare(struct engine *engine, const char *sql, sqlite3_stmt **ret, struct error *err);
bool engine_has_table(struct engine *engine, const char *name, const char *type);
/* Reads rules_meta and the descriptors anew. */
int engine_refresh(struct engine *engine, struct error *err);
struct rule *engine_find_rule(const struct engine *engine, const char *id);

/* --- loading --- */

/* Lists tables, matrix and views with their columns in the table `catalogue`. */
int catalogue_fill(struct engine *engine, struct error *err);

/* `base` is the file's name without ".json", `path` where it lies, `file` how it is called in the
 * image ("matrix/x.json"). */
int load_version(struct engine *engine, const char *path, struct error *err);
int load_matrix(struct engine *engine, const char *path, const char *base, struct error *err);
int load_descriptor(struct engine *engine, const char *path, const char *base, struct error *err);
int load_library(struct engine *engine, const char *path, const char *base, struct error *err);
int load_views(struct engine *engine, const char *path, struct error *err);
/* Prepares every view; `path` (or NULL) is the views.sql that was just loaded. */
int check_views(struct engine *engine, const char *path, struct error *err);

/* Parses a check file into a rule; takes nothing of `source` but copies its text. */
int rule_parse(const char *path, const char *text, size_t length, const char *base,
               struct rule **ret, struct error *err);
/* What a start needs of the rules of an image, out of its table rule_file: no message, evidence,
 * steps or examples, which most runs need of few rules. `only` NULL: all of them. */
int rules_from_image(struct engine *engine, const char *only, struct error *err);
/* Adds the rules that were loaded from files to rule_file; their names there are relative to DIR.
 */
int rules_to_image(struct engine *engine, const char *dir, struct error *err);
/* The file's text of a rule of an image, which stays with the rule. */
int rule_read_text(struct engine *engine, struct rule *rule, struct error *err);
/* Reads what rules_from_image() has left out, unless that was done. */
int rule_read_whole(struct engine *engine, struct rule *rule, struct error *err);
void rule_free(struct rule *rule);
/* Adds the rule (owned from then on), in place of one with its id. */
void engine_add_rule(struct engine *engine, struct rule *rule);
/* Prepares all statements of the rule and checks every column, slot and parameter. Rules of an
 * image have been through this when it was made. */
int rule_compile(struct engine *engine, struct rule *rule, struct error *err);
/* Prepares the query alone and finds its columns. */
int rule_compile_query(struct engine *engine, struct rule *rule, struct error *err);
int statement_compile(struct engine *engine, const struct rule *rule, struct statement *statement,
                      struct error *err);
void statement_done(struct statement *statement);
int statement_column(const struct statement *statement, const char *name); /* or -1 */
/* Whether the statement reads a matrix table. */
bool statement_reads_matrix(const struct statement *statement);
/* caused_by: every id must be a rule's, and there must be no cycle. */
int check_causes(const struct engine *engine, struct error *err);

#endif
