/* What a typed slot of a command may hold. */
#ifndef ENGINE_SLOT_TYPE_H
#define ENGINE_SLOT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "engine/template.h"

bool slot_type_named(const char *name, size_t length, enum slot_type *ret);
/* Whether the value is of the type; SLOT_TEXT and SLOT_LINE never fit. */
bool slot_fits(enum slot_type type, const char *value);
/* Whether a shell takes the word as it stands. */
bool shell_plain(const char *word);
/* Appends one shell word, quoted only where a shell would see more in it. */
void shell_quote(struct text *out, const char *word);

#endif
