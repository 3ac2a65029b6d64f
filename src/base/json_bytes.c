#include "base/json_bytes.h"

#include <string.h>

#include "base/text.h"

json_t *json_bytes(const char *data, size_t length)
{
    json_t *string = memchr(data, '\\', length) ? NULL : json_stringn(data, length);
    if (string)
        return string;
    CLEANUP_TEXT struct text named = {0};
    text_add_bytes_named(&named, data, length);
    return json_stringn(text_get(&named), named.length);
}
