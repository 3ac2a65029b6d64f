/* What probes share: reading a place and noting what became of it, and asking the facts
 * that are there already. */
#ifndef PROBE_LOOK_H
#define PROBE_LOOK_H

#include "probe/probe.h"

/* Reads the file; notes a failure under the probe's name (success is the caller's to note, who
 * knows whether the text makes sense). 0 or a negative errno. */
int look_read(struct probe_context *context, const char *name, const char *path, size_t cap,
              const char *fills, struct bytes *ret);

/* One line of a file that may well be missing; NULL then. Other failures are noted. */
char *look_line(struct probe_context *context, const char *name, const char *path,
                const char *fills);

/* What the device tree calls the machine; NULL where it has none, or does not say. Failures other
 * than absence are noted. */
char *look_tree_model(struct probe_context *context, const char *name, const char *fills);

/* Whether the query gives a row. */
bool ask(const struct probe_context *context, const char *sql);
/* First column of the first row, from the context's arena; NULL where there is none. */
char *ask_text(const struct probe_context *context, const char *sql);

/* Text of a column of the row at hand, from the context's arena; NULL for NULL. */
char *ask_column(const struct probe_context *context, sqlite3_stmt *query, int at);

#endif
