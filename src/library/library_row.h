/* Rows of the table library. */
#ifndef LIBRARY_LIBRARY_ROW_H
#define LIBRARY_LIBRARY_ROW_H

#include "base/pattern.h"
#include "library/scene.h"
#include "library/string_set.h"

struct library_rows {
    struct scene *scene;
    const struct place *place; /* whose rows are added at present; NULL: of no environment */
    struct string_set seen;    /* paths of it */
    struct pattern **patterns; /* "literal" of each known library; NULL: not compiled yet */
    struct literal *literals;  /* what the files said that were searched */
    size_t literal_count, literal_capacity;
};

void library_rows_start(struct library_rows *rows, struct scene *scene);
void library_rows_done(struct library_rows *rows);
/* From now on rows are of this environment. */
void library_rows_enter(struct library_rows *rows, const struct place *place);
/* Adds a row for this path, once. `path` is the context's arena's. */
void library_rows_add(struct library_rows *rows, const char *path, const struct loader_file *file);

#endif
