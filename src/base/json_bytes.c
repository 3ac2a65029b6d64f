#include "base/json_bytes.h"

#include "base/text.h"

json_t *json_bytes(const char *data, size_t length)
{
    json_t *string = json_stringn(data, length);
    if (string)
        return string;
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, data, length, true);
    return json_stringn(text_get(&safe), safe.length);
}
