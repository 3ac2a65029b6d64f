/* Rows about one process: process, loaded, resolution, shadowed. */
#ifndef LIBRARY_PROCESS_ROWS_H
#define LIBRARY_PROCESS_ROWS_H

#include "library/library_row.h"
#include "library/simulate.h"

/* What has been written of a process: one that consists of several simulations goes on counting. */
struct process_rows {
    struct library_rows *libraries;
    size_t loaded, resolutions;
    size_t unanswered[2], left_out; /* requests: with a row (required ones in [1]), and without */
    struct string_set paths;        /* that have a row in `loaded` */
    struct string_set shadows;      /* names and paths that have a row in `shadowed` */
};

void process_rows_add(struct process_rows *rows, struct simulation *simulation);
void process_rows_done(struct process_rows *rows);

/* The row of the table process itself; how many objects it loads. */
void process_row_add(struct simulation *simulation, struct opt objects);

#endif
