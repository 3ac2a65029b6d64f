#include "render/json_text.h"

#include <string.h>

#include "base/text.h"

json_t *json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, text, strlen(text), true);
    return json_string(text_get(&safe));
}

json_t *json_text_or_null(const char *text)
{
    return text ? json_text(text) : json_null();
}
