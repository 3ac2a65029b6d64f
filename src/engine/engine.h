/* The engine: rules over facts. It knows tables, views and SQL, but nothing of GPUs. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <sqlite3.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "facts/descriptor.h"
#include "facts/facts.h"

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };
const char *severity_name(enum severity severity); /* "error", "warning", "info" */
bool severity_from_name(const char *name, enum severity *ret);

enum verdict { VERDICT_OK, VERDICT_FAIL, VERDICT_UNKNOWN, VERDICT_SKIP };
const char *verdict_name(enum verdict verdict);

/* --- knowledge: rules, views, matrix and descriptors in one database --- */

struct engine;

/* Opens the image that was compiled into the binary, or any such image; borrowed for as long as the
 * engine lives, and never written to. */
int engine_open(const void *image, size_t size, struct engine **ret, struct error *err);
/* For work that needs no rules: descriptors alone, out of what engine_save_descriptors() made
 * (borrowed for as long as the engine lives), and tables as facts_open_lazy() has them. Opening it
 * takes a tenth of the time. No rule, view or matrix table is there. */
int engine_open_bare(const void *descriptors, size_t size, struct engine **ret, struct error *err);
/* An engine with no knowledge yet: for the compiler of images. */
int engine_open_empty(struct engine **ret, struct error *err);
void engine_free(struct engine *engine);

/* Adds or overrides by id all of DIR: matrix/, frameworks/, checks/, views.sql, each optional; or,
 * for a folder like /etc/gpudoctor/rules.d, *.json checks in it directly. Every rule is prepared
 * and checked; an error reads "file:line:column: key: what is wrong", and leaves the engine good
 * for engine_free() alone. */
int engine_load_dir(struct engine *engine, const char *dir, struct error *err);
/* Runs the examples of every rule whose file lies below DIR (NULL: of all rules). Stops at the
 * first that does not hold, with file and place. *ret_run counts the examples. */
int engine_run_examples(struct engine *engine, const char *dir, size_t *ret_run, struct error *err);
/* The database image for the build (sqlite3_serialize; free with sqlite3_free). */
int engine_save_image(struct engine *engine, unsigned char **ret, size_t *ret_size,
                      struct error *err);

/* The edition of the rules and the descriptors of frameworks and libraries for engine_open_bare():
 * files and what is in them in turn, a NUL behind each. */
void engine_save_descriptors(struct engine *engine, struct text *out);

sqlite3 *engine_db(struct engine *engine);
struct facts *engine_facts(struct engine *engine);
const char *engine_rules_version(struct engine *engine); /* of rules/version.json */
/* Framework descriptors, for the probes; borrowed from the engine. */
size_t engine_descriptors(struct engine *engine, const struct descriptor **ret);
/* Whether one of them describes a framework of that name. */
bool engine_knows_framework(struct engine *engine, const char *name);
/* The descriptor's name of what people call so: "PyTorch", "onnxruntime-gpu", "jaxlib". NULL: none.
 */
const char *engine_framework_called(struct engine *engine, const char *name, struct arena *arena);
/* The one that a wrong name begins like, for a message. NULL: none. */
const char *engine_framework_meant(struct engine *engine, const char *name, struct arena *arena);
/* Descriptors of known libraries, likewise. */
size_t engine_libraries(struct engine *engine, const struct descriptor **ret);

struct rule_info {
    const char *id, *title, *summary, *file;
    const char *why; /* "" where the file does not say */
    const char *ok;  /* how the good state reads, "the module is loaded"; NULL: not stated */
    enum severity severity;
    const char *subject;
    const char *json; /* the whole file; NULL: engine_rule_text() reads it */
    const char *const *links;
    size_t link_count;
    const char *const *caused_by;
    size_t caused_by_count;
};
size_t engine_rule_count(const struct engine *engine);
const struct rule_info *engine_rule(const struct engine *engine, size_t i); /* by id */
const struct rule_info *engine_rule_named(const struct engine *engine, const char *id);
/* The whole file of a rule; NULL where there is no such rule, or it cannot be read. */
const char *engine_rule_text(struct engine *engine, const char *id);

/* --- a run --- */

struct evidence {
    const char *what, *value, *path; /* value and path may be NULL */
};

struct step {
    const char *text;
    const char *command; /* NULL: text only */
};

struct finding {
    const struct rule_info *rule;
    enum severity severity;
    const char *kind, *key, *label; /* of the subject */
    const char *subject;            /* the value that the rule's query returned */
    const char *message;
    const char *confidence; /* "high", "medium", "low", or NULL */
    const struct evidence *evidence;
    size_t evidence_count;
    const struct step *steps;
    size_t step_count;
    const char *fingerprint;     /* 64 hexadecimal digits */
    const struct finding *cause; /* folded under it; NULL for a root */
};

struct unknown {
    const struct rule_info *rule;
    const char *kind, *key, *label, *reason;
};

struct rule_count {
    const struct rule_info *rule;
    size_t ok, fail, unknown, skip;
    double ms;
};

/* A rule that went wrong while it ran. What it is about is unknown, with this reason; where only
 * a query of its evidence or steps failed, its findings stand without that. */
struct failed_rule {
    const struct rule_info *rule;
    const char *error;
    bool is_ours; /* of the rules that the image brought */
};

struct result {
    struct arena arena;       /* owns all of it */
    struct finding *findings; /* roots by severity (error first) then rule id and key; each is
                                 followed by what is folded under it */
    size_t finding_count;
    struct unknown *unknowns;
    size_t unknown_count;
    struct rule_count *rules;
    size_t rule_count;
    struct failed_rule *failed;
    size_t failed_count;
    size_t errors, warnings, infos; /* roots */
    size_t folded, ok, unknown, skip;
};

struct engine_options {
    const char *const *only; /* rule ids; none: all */
    size_t only_count;
    const char *const *ignore;
    size_t ignore_count;
    const char *target; /* names the machine in fingerprints; NULL: this one */
};

/* Prepares the queries of all rules ahead of engine_run(), for a caller that has to wait anyway. */
void engine_warm_up(struct engine *engine);
/* Judges the facts. Ids that no rule has are ignored. A rule that fails is told in the result, and
 * the others are judged; negative only when the engine or its facts are broken (status 3). */
int engine_run(struct engine *engine, const struct engine_options *options, struct result *ret,
               struct error *err);
void result_done(struct result *result);

/* --- queries of the user --- */

/* Prepares one read-only statement on facts, matrix and views; anything else is refused with a
 * sentence. Finalize with sqlite3_finalize(), before engine_free(). Views that are kept as tables
 * are evaluated where it reads them, which who asks engine_db() directly has to do without. */
int engine_prepare_query(struct engine *engine, const char *sql, sqlite3_stmt **ret,
                         struct error *err);

/* The same for a query of our own: no limit for its steps. */
int engine_prepare_read(struct engine *engine, const char *sql, sqlite3_stmt **ret,
                        struct error *err);

#endif
