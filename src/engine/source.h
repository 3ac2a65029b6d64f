/* A file of the rules as read: its JSON, and errors that name line and column in it. */
#ifndef ENGINE_SOURCE_H
#define ENGINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/error.h"

struct source {
    const char *path; /* for messages */
    const char *text; /* NUL-terminated */
    size_t length;
    json_t *json; /* owned: source_done() */
};

/* Reads a regular file of at most `limit` bytes into the arena. */
int source_read(struct arena *arena, const char *path, size_t limit, struct source *ret,
                struct error *err);
/* Parses text that is there already (borrowed) as a JSON object. */
int source_parse(struct source *source, struct error *err);
/* Both. */
int source_load(struct arena *arena, const char *path, size_t limit, struct source *ret,
                struct error *err);
void source_done(struct source *source);

/* "path:line:column: " of a value, a key or a byte of the text, "key: " and the sentence. All
 * return -EINVAL. */
int source_error(const struct source *source, struct error *err, const char *key,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
int source_error_key(const struct source *source, struct error *err, const char *key,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* `at`: a byte of the value's text; where the value is an array of lines, of the lines joined
 * with newlines; negative: the value itself. */
int source_error_in(const struct source *source, struct error *err, const char *key, long at,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
int source_error_offset(const struct source *source, struct error *err, size_t offset,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Typed members of an object; `base` is the object's own path ("" for the root). An absent member
 * that is not required gives NULL (false for get_flag). Text is borrowed from the JSON. */
struct member {
    const struct source *source;
    const json_t *object;
    const char *base;
};
char *member_path(const struct member *at, struct arena *arena, const char *key);
int get_text(const struct member *at, struct arena *arena, const char *key, bool required,
             const char **ret, struct error *err);
/* Text, or an array of lines which is joined with newlines. */
int get_lines(const struct member *at, struct arena *arena, const char *key, bool required,
              const char **ret, struct error *err);
int get_flag(const struct member *at, struct arena *arena, const char *key, bool *ret,
             struct error *err);
int get_array(const struct member *at, struct arena *arena, const char *key, bool required,
              const json_t **ret, struct error *err);
int get_texts(const struct member *at, struct arena *arena, const char *key,
              const char *const **ret, size_t *ret_count, struct error *err);
/* Every member's key must be among `known` (ends with NULL). */
int check_keys(const struct member *at, struct arena *arena, const char *const *known,
               struct error *err);

#endif
