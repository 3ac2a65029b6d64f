/* Renderers: a result becomes text or JSON. They put words together; they decide nothing. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include <jansson.h>

#include "engine/engine.h"
#include "render/style.h"
#include "render/summary.h"

struct report {
    const struct result *result;
    const struct summary *summary;
    const char *program_version, *rules_version;
};

/* For people: the verdict in the first line, then findings by cause, what is not known, and what
 * is in order. */
void render_text(struct text *out, const struct style *style, const struct report *report);

enum { REPORT_SCHEMA = 1 };
/* For programs; a new reference. */
json_t *render_json(const struct report *report);

/* A query's rows as a table; *ret_rows counts them. Negative with a sentence when a step fails. */
int render_table(struct text *out, const struct style *style, sqlite3_stmt *query, size_t *ret_rows,
                 struct error *err);
/* The same as a JSON array of objects; NULL on error. */
json_t *render_rows_json(sqlite3_stmt *query, struct error *err);

/* What was seen on one screen, from the fact tables and the rules' views. */
int render_overview(struct text *out, const struct style *style, struct engine *engine,
                    struct error *err);

/* Whether neither driver nor GPU nor framework could be judged. */
bool report_nothing_checked(const struct report *report);

#endif
