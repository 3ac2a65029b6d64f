/* Steps of a finding. A command is given only when every part of it is known and valid. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/run.h"

struct step_list {
    struct step *items;
    size_t count, capacity;
};

static void add_step(struct step_list *list, const char *text, const char *command)
{
    list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = (struct step){text, command};
}

static bool holds_line(struct engine *engine, const struct matrix_column *column, const char *line)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    CLEANUP_TEXT struct text sql = {0};
    text_printf(&sql, "SELECT 1 FROM \"%s\" WHERE \"%s\" = ?1", column->table, column->column);
    if (engine_prepare(engine, text_get(&sql), &select, NULL) < 0)
        return false;
    sqlite3_bind_text(select, 1, line, -1, SQLITE_STATIC);
    return sqlite3_step(select) == SQLITE_ROW;
}

/* Whether some matrix column that the statement reads holds exactly this text: a whole command
 * must come out of the matrix, whatever way the query took. Most are in one named so. */
static bool is_in_matrix(struct engine *engine, const struct statement *statement, const char *line)
{
    const struct reads *reads = &statement->reads;
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < reads->matrix_count; i++) {
            const struct matrix_column *c = &reads->matrix[i];
            if (c->column[0] && (strcmp(c->column, "command") != 0) == others &&
                holds_line(engine, c, line))
                return true;
        }
    return false;
}

static char *line_command(struct engine *engine, const struct step_spec *spec,
                          const struct row_pair *rows, struct arena *arena)
{
    const char *line = NULL;
    struct template template;
    size_t offset;
    int column = rows->first ? statement_column(&spec->query, spec->command.pieces[0].slot) : -1;
    if (column >= 0)
        line = row_text(rows->first, column);
    if (!line || !is_in_matrix(engine, &spec->query, line) ||
        template_parse(arena, line, TEMPLATE_COMMAND, &template, &offset, NULL) < 0)
        return NULL;
    return template_command(&template, row_pair_lookup, rows, arena);
}

/* The text of a step whose command cannot be given: it announces none. */
static const char *without_command(const char *text, struct arena *arena)
{
    size_t length = strlen(text);
    bool announces = length && text[length - 1] == ':';
    return arena_printf(arena,
                        "%.*s%s (The command is left out: a name in it is not known, or is not one "
                        "that can be handed to a shell.)",
                        (int)(length - announces), text, announces ? "." : "");
}

static void add_row(struct step_list *list, struct engine *engine, const struct step_spec *spec,
                    const struct row_pair *rows, struct arena *arena)
{
    size_t known;
    const char *command = NULL;
    const char *text = template_text(&spec->text, row_pair_lookup, rows, arena, &known);
    if (spec->has_command && template_is_line(&spec->command))
        command = line_command(engine, spec, rows, arena);
    else if (spec->has_command)
        command = template_command(&spec->command, row_pair_lookup, rows, arena);
    add_step(list, spec->has_command && !command ? without_command(text, arena) : text, command);
}

static void add_fallback(struct step_list *list, const struct step_spec *spec,
                         const struct row *row, struct arena *arena)
{
    size_t known;
    const struct template *text = spec->has_otherwise ? &spec->otherwise : &spec->text;
    if (!spec->optional)
        add_step(list,
                 template_text(text, row_pair_lookup, &(struct row_pair){NULL, row}, arena, &known),
                 NULL);
}

static bool is_wanted(const struct step_spec *spec, const struct row *row)
{
    const char *value =
        spec->only_if ? row_text(row, statement_column(row->statement, spec->only_if)) : "1";
    char *end = NULL;
    return value && (strtod(value, &end) != 0 || end == value || *end);
}

static void add_query_step(struct run *run, struct rule *rule, struct step_spec *spec,
                           const struct row *row, struct words *words, struct arena *arena,
                           struct step_list *list)
{
    size_t count = 0;
    const struct row *rows = NULL;
    if (is_wanted(spec, row))
        rows = words_ask(words, run->engine, rule, &spec->query, row,
                         spec->each ? STEP_ROWS_MAX : 1, &count);
    for (size_t i = 0; i < count; i++)
        add_row(list, run->engine, spec, &(struct row_pair){&rows[i], row}, arena);
    if (!count)
        add_fallback(list, spec, row, arena);
}

void steps_make(struct run *run, struct rule *rule, const struct row *row, struct words *words,
                struct arena *arena, struct finding *ret)
{
    struct step_list list = {0};
    for (size_t i = 0; i < rule->step_count; i++) {
        struct step_spec *spec = &rule->steps[i];
        if (spec->alone && list.count)
            continue;
        if (spec->query.sql)
            add_query_step(run, rule, spec, row, words, arena, &list);
        else
            add_row(&list, run->engine, spec, &(struct row_pair){NULL, row}, arena);
    }
    struct step *copy = arena_alloc(arena, list.count * sizeof *copy);
    if (list.count)
        memcpy(copy, list.items, list.count * sizeof *copy);
    ret->steps = copy;
    ret->step_count = list.count;
    free(list.items);
}
