/* Which objects' symbols were found to fit, and with what. */
#ifndef LIBRARY_SYMBOL_MEMO_H
#define LIBRARY_SYMBOL_MEMO_H

#include "library/simulate.h"

struct symbol_memo;
struct symbol_memo *symbol_memo_new(struct arena *arena);
void symbol_memo_free(struct symbol_memo *memo);

/* The providers that count in a process: the files of all known libraries that are loaded. Makes
 * them the memo's present set. */
void symbol_memo_enter(struct symbol_memo *memo, const struct simulation *simulation);

/* Whether nothing was missing when this object was looked at before: with the same files for what
 * it needs by name, and with known libraries that are all loaded now as well. *ret_checked is how
 * many references that were. */
bool symbol_memo_find(const struct symbol_memo *memo, const struct simulation *simulation,
                      size_t object, size_t *ret_checked);
/* Remembers an object where nothing is missing. */
void symbol_memo_add(struct symbol_memo *memo, const struct simulation *simulation, size_t object,
                     size_t checked);

#endif
