#include "library/fill.h"

#include <string.h>

#include "base/text.h"

const char *fill_token(struct arena *arena, const char *text, const char *token, const char *value)
{
    CLEANUP_TEXT struct text out = {0};
    for (const char *at; (at = strstr(text, token)); text = at + strlen(token)) {
        text_add_bytes(&out, text, (size_t)(at - text));
        text_add(&out, value);
    }
    text_add(&out, text);
    return arena_strdup(arena, text_get(&out));
}

const char *cuda_major_of(struct arena *arena, const char *cuda)
{
    size_t n = cuda ? strspn(cuda, "0123456789") : 0;
    return n ? arena_strndup(arena, cuda, n) : NULL;
}

const char *fill_cuda_major(struct arena *arena, const char *path, const char *major)
{
    static const char token[] = "{cuda_major}";
    if (!strstr(path, token))
        return path;
    return major ? fill_token(arena, path, token, major) : NULL;
}
