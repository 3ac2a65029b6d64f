/* Rows of a lazy table that no statement has asked for yet; for the files of this room. */
#ifndef FACTS_KEPT_H
#define FACTS_KEPT_H

#include "facts/facts.h"

struct kept_rows {
    char *rows; /* structs, one behind the other; their texts are valid UTF-8 */
    size_t count, capacity;
};

/* Copies a row; its texts go to the arena. */
void kept_rows_add(struct kept_rows *kept, const struct table_spec *table, struct arena *arena,
                   const void *row);
static inline const void *kept_row(const struct kept_rows *kept, const struct table_spec *table,
                                   size_t at)
{
    return kept->rows + at * table->row_size;
}
void kept_rows_done(struct kept_rows *kept);

/* Those of a table; none once the table is made. */
const struct kept_rows *facts_kept(const struct facts *facts, enum table_id id);

#endif
