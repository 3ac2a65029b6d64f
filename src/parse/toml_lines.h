/* TOML, as far as settings need it: the values one by one, each with its dotted name. */
#ifndef PARSE_TOML_LINES_H
#define PARSE_TOML_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct toml_value {
    const char *name; /* "tool.uv.index.url"; tables in arrays do not count their elements */
    const char *text; /* a string's value; of numbers, booleans and dates the word */
    bool is_string;
};

/* Calls back for each value in order; elements of an array have the array's name. Names and texts
 * are good until the call ends. True when all was read; at what cannot be read it ends, and what
 * came before has been handed on. */
bool toml_each(const char *data, size_t length,
               void (*each)(void *context, const struct toml_value *value), void *context);

#endif
