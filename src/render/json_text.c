#include "render/json_text.h"

#include <string.h>

#include "base/json_bytes.h"

json_t *json_text(const char *text)
{
    return json_bytes(text, strlen(text));
}

json_t *json_text_or_null(const char *text)
{
    return text ? json_text(text) : json_null();
}
