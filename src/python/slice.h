/* Where the rows of each environment lie in a table. Rows of one environment are inserted together,
 * so a range of rowids finds them without a scan of all environments' rows, and without an index,
 * which would cost more memory than it is worth. */
#ifndef PYTHON_SLICE_H
#define PYTHON_SLICE_H

#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"

struct slice {
    const char *environment_id;
    int64_t first, last; /* rowids; rows of others may lie between them */
};

struct slices {
    struct slice *items;
    size_t count, capacity;
};

/* Reads them once; `table` has an environment_id. Names come from the context's arena. */
void slices_load(struct probe_context *context, const char *table, struct slices *ret);
void slices_done(struct slices *slices);
/* Of an environment without rows an empty one (first > last). */
struct slice slices_find(const struct slices *slices, const char *environment_id);

#endif
