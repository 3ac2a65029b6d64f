/* Text with {named} slots. In a command a slot has a type, {name:type}: its value is checked
 * against the type and quoted for the shell. "{{" and "}}" are literal braces. */
#ifndef ENGINE_TEMPLATE_H
#define ENGINE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

enum slot_type {
    SLOT_TEXT,    /* not in a command: anything */
    SLOT_PATH,    /* a path without control characters */
    SLOT_PACKAGE, /* a PEP 503 name, perhaps with [extras] */
    SLOT_VERSION, /* PEP 440 */
    SLOT_WORD,    /* letters, digits and ._+:/@=- */
    SLOT_SPEC,    /* a package and a PEP 440 specifier: torch==2.8.0 */
    SLOT_URL,     /* https */
    SLOT_LINE,    /* a whole command out of the matrix, itself a template of a command */
};

struct piece {
    const char *literal; /* or */
    const char *slot;    /* the name of a column */
    enum slot_type type;
    bool quoted;   /* stands inside quotes of the command */
    size_t offset; /* of the slot in the template */
};

struct template
{
    const char *source;
    struct piece *pieces;
    size_t count;
};

enum template_kind { TEMPLATE_TEXT, TEMPLATE_COMMAND };

/* From the arena. On error *ret_offset is where in `source`. */
int template_parse(struct arena *arena, const char *source, enum template_kind kind,
                   struct template *ret, size_t *ret_offset, struct error *err);

/* Gives the value of a slot: NULL is unknown; false: there is no such column. */
typedef bool slot_lookup(const void *context, const char *name, const char **ret);

/* A value as a sentence shows it: UTF-8, and not all of what is very long. */
char *template_value(const char *value, struct arena *arena);

/* Fills text; NULL prints "unknown". *ret_known counts slots with a value. */
char *template_text(const struct template *template, slot_lookup *lookup, const void *context,
                    struct arena *arena, size_t *ret_known);

/* Fills a command; NULL when a slot is unknown or does not validate, or is of SLOT_LINE. */
char *template_command(const struct template *template, slot_lookup *lookup, const void *context,
                       struct arena *arena);

/* Whether the template is one {column:line} slot. */
bool template_is_line(const struct template *template);
size_t template_slot_count(const struct template *template);

#endif
