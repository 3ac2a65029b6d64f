/* PCRE2 patterns over untrusted text, with limits, so that no pattern can run away. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct pattern;

/* Compiles; 0, or -EINVAL with the reason and its offset. Patterns are UTF-8-agnostic bytes,
 * multi-line ("^" and "$" match at lines). */
int pattern_compile(const char *source, struct pattern **ret, struct error *err);
void pattern_free(struct pattern *pattern);

/* Searches; on a match, pattern_group() gives the groups until the next search. A search that hits
 * the match limit is no match. */
bool pattern_search(struct pattern *pattern, const char *data, size_t length);
/* A named group of the last match, NUL-terminated, from `arena`; NULL where it has not taken part
 * or there is none of that name. */
char *pattern_group(struct pattern *pattern, const char *name, struct arena *arena);
/* The whole match. */
char *pattern_match(struct pattern *pattern, struct arena *arena);

#endif
