/* Members of a descriptor, checked. Functions return 0, or -EINVAL with a sentence. */
#ifndef LIBRARY_JSON_GET_H
#define LIBRARY_JSON_GET_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

/* Parses a text that must be an object. The caller owns *ret. */
int json_get_root(const char *text, json_t **ret, struct error *err);
/* Every key is one of these, which end with NULL. */
int json_get_only(json_t *object, const char *const *keys, struct error *err);
/* A text that is not empty; NULL where it is missing, unless it is needed. */
int json_get_text(const json_t *object, const char *key, bool is_needed, struct arena *arena,
                  const char **ret, struct error *err);
/* A list of such texts, or one alone where `may_be_one`; none where it is missing. The array ends
 * with NULL. */
int json_get_texts(const json_t *object, const char *key, bool may_be_one, struct arena *arena,
                   const char ***ret, size_t *ret_count, struct error *err);
/* false where it is missing. */
int json_get_bool(const json_t *object, const char *key, bool *ret, struct error *err);

#endif
