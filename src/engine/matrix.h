/* A matrix file while it is loaded. */
#ifndef ENGINE_MATRIX_H
#define ENGINE_MATRIX_H

#include "engine/internal.h"

enum cell { CELL_TEXT, CELL_INTEGER, CELL_REAL, CELL_BOOLEAN, CELL_VERSION, CELL_PEP440 };

struct cell_type {
    const char *name;
    enum cell cell;
    enum version_kind version; /* of CELL_VERSION */
};

struct column {
    const char *name;
    const struct cell_type *type;
    bool nullable; /* the file says what null means */
};

struct matrix {
    struct engine *engine;
    struct source source;
    struct arena arena;
    const char *base;
    struct column *columns;
    size_t column_count;
    const json_t *sources;
};

/* NULL when there is none. */
const struct column *matrix_column_named(const struct matrix *m, const char *name);
/* Fills the table, which is there and empty. */
int matrix_store_rows(struct matrix *m, struct error *err);

#endif
