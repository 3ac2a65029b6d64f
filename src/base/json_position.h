/* Where in a JSON text a value stands: for messages with line and column. */
#ifndef BASE_JSON_POSITION_H
#define BASE_JSON_POSITION_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the value at a path such as "steps[2].command" or "query[3]" ("" is the whole) in a text
 * that a JSON parser has accepted. Keys in a path are compared as they are written, so a key with
 * '.', '[' or an escape cannot be named. Sets *ret to the value's first byte; false, with *ret at
 * the deepest value that was found, when the path leads nowhere. */
bool json_position(const char *text, size_t length, const char *path, size_t *ret);

/* As json_position, but *ret is the opening quote of the key that the path ends with. */
bool json_position_key(const char *text, size_t length, const char *path, size_t *ret);

/* `offset` is the opening quote of a string: the place of the byte `decoded` of its value. */
size_t json_string_position(const char *text, size_t length, size_t offset, size_t decoded);

/* Line and column, both from 1; the column counts characters (UTF-8). */
void json_line_column(const char *text, size_t length, size_t offset, size_t *ret_line,
                      size_t *ret_column);

#endif
