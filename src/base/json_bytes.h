/* Any bytes as a string of JSON. */
#ifndef BASE_JSON_BYTES_H
#define BASE_JSON_BYTES_H

#include <jansson.h>
#include <stddef.h>

/* A new reference. What JSON cannot hold is made visible, as
 * text_add_bytes_named() does it. */
json_t *json_bytes(const char *data, size_t length);

#endif
