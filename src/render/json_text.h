/* Text in JSON documents. */
#ifndef RENDER_JSON_TEXT_H
#define RENDER_JSON_TEXT_H

#include <jansson.h>

/* A string of any bytes, new reference: what JSON cannot hold is escaped, else jansson would refuse
 * it, and with it the whole object. */
json_t *json_text(const char *text);
/* The same; null for NULL. */
json_t *json_text_or_null(const char *text);

#endif
