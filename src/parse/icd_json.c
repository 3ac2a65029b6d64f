#include "parse/icd_json.h"

#include <string.h>

#include "base/json_file.h"
#include "base/span.h"
#include "base/text.h"

enum { LIBRARY_MAX = 1024 };

static char *keep(struct span library, struct arena *arena)
{
    library = span_trim(library);
    if (library.length == 0 || library.length > LIBRARY_MAX ||
        !utf8_valid(library.data, library.length))
        return NULL;
    return arena_strndup(arena, library.data, library.length);
}

char *parse_icd_json(const char *data, size_t size, struct arena *arena)
{
    CLEANUP_JSON json_t *root = json_loadb(data, size, 0, NULL);
    const char *library =
        json_string_value(json_object_get(json_object_get(root, "ICD"), "library_path"));
    return library ? keep((struct span){library, strlen(library)}, arena) : NULL;
}

char *parse_icd_line(const char *data, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct span line;
    return span_line(data, size, &cursor, &line) ? keep(line, arena) : NULL;
}
