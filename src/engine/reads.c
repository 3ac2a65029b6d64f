/* What a statement reads: kept as tables and columns, and written down for an image. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/guard.h"

void reads_done(struct reads *reads)
{
    free(reads->matrix);
    free(reads->known);
    *reads = (struct reads){0};
}

static void copy_name(char *to, size_t size, const char *name)
{
    size_t length = strnlen(name, size - 1);
    memcpy(to, name, length);
    to[length] = '\0';
}

void reads_add_matrix(struct reads *reads, const char *table, const char *column)
{
    enum { NAME = sizeof reads->matrix->table - 1 };
    column = column ? column : "";
    for (size_t i = reads->matrix_count; i-- > 0;)
        if (strncmp(reads->matrix[i].column, column, NAME) == 0 &&
            strncmp(reads->matrix[i].table, table, NAME) == 0)
            return;
    reads->matrix = xgrow(reads->matrix, &reads->matrix_capacity, reads->matrix_count + 1,
                          sizeof *reads->matrix);
    struct matrix_column *new = &reads->matrix[reads->matrix_count++];
    copy_name(new->table, sizeof new->table, table);
    copy_name(new->column, sizeof new->column, column);
}

void reads_add(struct reads *reads, const struct reads *more)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        reads->facts[i] |= more->facts[i];
    for (size_t i = 0; i < more->matrix_count; i++)
        reads_add_matrix(reads, more->matrix[i].table, more->matrix[i].column);
}

void reads_write(const struct reads *reads, struct text *facts, struct text *matrix)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (reads->facts[i])
            text_printf(facts, "%s ", facts_table((enum table_id)i)->name);
    for (size_t i = 0; i < reads->matrix_count; i++)
        text_printf(matrix, "%s.%s ", reads->matrix[i].table, reads->matrix[i].column);
}

static void read_facts(struct reads *reads, const char *facts)
{
    for (const char *at = facts, *end; (end = strchr(at, ' ')); at = end + 1)
        for (size_t i = 0; i < TABLE_COUNT; i++) {
            const char *name = facts_table((enum table_id)i)->name;
            if (name[0] == at[0] && strncmp(name, at, (size_t)(end - at)) == 0 && !name[end - at])
                reads->facts[i] = true;
        }
}

static void read_matrix(struct reads *reads, const char *matrix)
{
    struct matrix_column c;
    for (const char *at = matrix, *end; (end = strchr(at, ' ')); at = end + 1) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        if (!dot || (size_t)(dot - at) >= sizeof c.table ||
            (size_t)(end - dot - 1) >= sizeof c.column)
            continue;
        c = (struct matrix_column){0};
        memcpy(c.table, at, (size_t)(dot - at));
        memcpy(c.column, dot + 1, (size_t)(end - dot - 1));
        reads->matrix = xgrow(reads->matrix, &reads->matrix_capacity, reads->matrix_count + 1,
                              sizeof *reads->matrix);
        reads->matrix[reads->matrix_count++] = c;
    }
}

void reads_read(struct reads *reads, const char *facts, const char *matrix)
{
    read_facts(reads, facts);
    read_matrix(reads, matrix);
}
