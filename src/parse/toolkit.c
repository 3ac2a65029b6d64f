#include "parse/toolkit.h"

#include <string.h>

#include "base/json_file.h"
#include "base/text.h"
#include "base/version.h"
#include "parse/number.h"

/* The longest run of digits and dots at the start, as a version with at least one dot. */
static char *version_at(struct span span, struct arena *arena)
{
    size_t n = 0;
    while (n < span.length && ((span.data[n] >= '0' && span.data[n] <= '9') || span.data[n] == '.'))
        n++;
    while (n && span.data[n - 1] == '.')
        n--;
    if (n == 0 || n > 24 || !memchr(span.data, '.', n))
        return NULL;
    char *text = arena_strndup(arena, span.data, n);
    int64_t key;
    return version_key(VERSION_CUDA, text, &key) ? text : NULL;
}

static char *version_member(const json_t *root, const char *name, struct arena *arena)
{
    const char *text = json_string_value(json_object_get(json_object_get(root, name), "version"));
    return text ? version_at((struct span){text, strlen(text)}, arena) : NULL;
}

bool parse_version_json(const char *data, size_t size, struct arena *arena,
                        struct toolkit_versions *ret)
{
    CLEANUP_JSON json_t *root = json_loadb(data, size, 0, NULL);
    ret->cuda = version_member(root, "cuda", arena);
    ret->nvcc = version_member(root, "cuda_nvcc", arena);
    return ret->cuda != NULL;
}

char *parse_version_txt(const char *data, size_t size, struct arena *arena)
{
    struct span text = {data, size};
    return span_cut_after(&text, "CUDA Version ") ? version_at(text, arena) : NULL;
}

char *parse_cuda_h(const char *data, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct span line, word;
    while (span_line(data, size, &cursor, &line)) {
        if (!span_word(&line, &word) || !span_equal(word, "#define") || !span_word(&line, &word) ||
            !span_equal(word, "CUDA_VERSION") || !span_word(&line, &word))
            continue;
        struct opt number = parse_number(word);
        if (!number.known || number.value < 1000 || number.value >= 1000000)
            return NULL;
        return arena_printf(arena, "%d.%d", (int)(number.value / 1000),
                            (int)(number.value % 1000 / 10));
    }
    return NULL;
}

char *parse_nvcc_literal(const char *data, size_t size, struct arena *arena)
{
    struct span rest = {data, size};
    while (span_cut_after(&rest, "Cuda compilation tools, release ")) {
        struct span literal = {rest.data, strnlen(rest.data, rest.length)};
        if (literal.length == rest.length)
            return NULL; /* cut by the end of the chunk */
        if (literal.length < NVCC_LITERAL_MAX && span_cut_after(&literal, ", V")) {
            char *version = version_at(literal, arena);
            if (version)
                return version;
        }
    }
    return NULL;
}

char *parse_cudart_name(const char *name, struct arena *arena)
{
    struct span rest = {name, strlen(name)};
    if (!span_cut_prefix(&rest, "libcudart.so."))
        return NULL;
    char *version = version_at(rest, arena);
    /* libcudart.so.11.0 is the soname of all of CUDA 11, so only a name with a build number counts
     */
    char *dot = version ? strchr(version, '.') : NULL;
    char *second = dot ? strchr(dot + 1, '.') : NULL;
    if (!second)
        return NULL;
    *second = '\0';
    return version;
}

char *parse_glibc_literal(const char *data, size_t size, struct arena *arena)
{
    struct span rest = {data, size};
    if (!span_cut_after(&rest, "GNU C Library ") ||
        !span_cut_after(&rest, "stable release version "))
        return NULL;
    return version_at(rest, arena);
}
