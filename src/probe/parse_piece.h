/* Pieces of a buffer that is not NUL-terminated, for the parsers of this room. */
#ifndef PROBE_PARSE_PIECE_H
#define PROBE_PARSE_PIECE_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"

struct piece {
    const char *data;
    size_t length;
};

/* The next line, without its end; false at the end of the data. */
bool piece_line(const char *data, size_t size, size_t *cursor, struct piece *ret);
/* The next word between blanks; `rest` is advanced behind it. */
bool piece_word(struct piece *rest, struct piece *ret);
bool piece_is(struct piece piece, const char *text);
bool piece_has(struct piece piece, const char *text);
/* Advances over the prefix; false, and nothing changed, when it is not there. */
bool piece_cut_prefix(struct piece *piece, const char *prefix);
/* Advances behind the first occurrence of the text; false likewise. */
bool piece_cut_after(struct piece *piece, const char *text);
struct piece piece_trim_blank(struct piece piece);
bool piece_digits(struct piece piece);
/* A whole decimal number below 10^12, or unknown. */
struct opt piece_number(struct piece piece);

#endif
