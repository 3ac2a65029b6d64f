/* The parts of the overview, in the order they are shown. */
#ifndef RENDER_OVERVIEW_PARTS_H
#define RENDER_OVERVIEW_PARTS_H

#include <stddef.h>

struct overview_part {
    const char *title; /* stands before the first line */
    const char *sql;   /* a row a line; fact tables and the rules' views */
    const char *line;  /* its template, see overview.c */
    size_t lines;      /* more than these are counted only */
};

extern const struct overview_part overview_parts[];
extern const size_t overview_part_count;

#endif
