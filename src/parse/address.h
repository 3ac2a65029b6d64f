/* Addresses in settings and records: without what is secret in them. */
#ifndef PARSE_ADDRESS_H
#define PARSE_ADDRESS_H

#include <stddef.h>

#include "base/arena.h"

/* The address without user, password, query and fragment, without the "/t/TOKEN" of conda's
 * channels and with "***" in place of a part that looks like a token (some index servers take it
 * in the path). Names of channels and folders stay as they are. From `arena`. NULL for text with
 * control bytes, or with too many addresses in it. */
char *address_clean(const char *data, size_t length, struct arena *arena);

/* A copy of a text in which every "scheme://..." up to the next blank is as address_clean() makes
 * it. */
char *address_scrub(const char *data, struct arena *arena);

/* The folder or file of a "file:" address, percent signs decoded; NULL for another address. */
char *address_path(const char *text, struct arena *arena);

#endif
