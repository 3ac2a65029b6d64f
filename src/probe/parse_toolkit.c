#include "probe/parse_toolkit.h"

#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/version.h"
#include "probe/parse_piece.h"

/* The longest run of digits and dots at the start, as a version with at least one dot. */
static char *version_at(struct piece piece, struct arena *arena)
{
    size_t n = 0;
    while (n < piece.length &&
           ((piece.data[n] >= '0' && piece.data[n] <= '9') || piece.data[n] == '.'))
        n++;
    while (n && piece.data[n - 1] == '.')
        n--;
    if (n == 0 || n > 24 || !memchr(piece.data, '.', n))
        return NULL;
    char *text = arena_strndup(arena, piece.data, n);
    int64_t key;
    return version_key(VERSION_CUDA, text, &key) ? text : NULL;
}

static void drop_json(json_t **json)
{
    json_decref(*json);
}

static char *version_member(const json_t *root, const char *name, struct arena *arena)
{
    const char *text = json_string_value(json_object_get(json_object_get(root, name), "version"));
    return text ? version_at((struct piece){text, strlen(text)}, arena) : NULL;
}

bool parse_version_json(const char *data, size_t size, struct arena *arena,
                        struct toolkit_versions *ret)
{
    CLEANUP(drop_json) json_t *root = json_loadb(data, size, 0, NULL);
    ret->cuda = version_member(root, "cuda", arena);
    ret->nvcc = version_member(root, "cuda_nvcc", arena);
    return ret->cuda != NULL;
}

char *parse_version_txt(const char *data, size_t size, struct arena *arena)
{
    struct piece text = {data, size};
    return piece_cut_after(&text, "CUDA Version ") ? version_at(text, arena) : NULL;
}

char *parse_cuda_h(const char *data, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct piece line, word;
    while (piece_line(data, size, &cursor, &line)) {
        if (!piece_word(&line, &word) || !piece_is(word, "#define") || !piece_word(&line, &word) ||
            !piece_is(word, "CUDA_VERSION") || !piece_word(&line, &word))
            continue;
        struct opt number = piece_number(word);
        if (!number.known || number.value < 1000 || number.value >= 1000000)
            return NULL;
        return arena_printf(arena, "%d.%d", (int)(number.value / 1000),
                            (int)(number.value % 1000 / 10));
    }
    return NULL;
}

char *parse_nvcc_literal(const char *data, size_t size, struct arena *arena)
{
    struct piece rest = {data, size};
    while (piece_cut_after(&rest, "Cuda compilation tools, release ")) {
        struct piece literal = {rest.data, strnlen(rest.data, rest.length)};
        if (literal.length == rest.length)
            return NULL; /* cut by the end of the chunk */
        if (literal.length < NVCC_LITERAL_MAX && piece_cut_after(&literal, ", V")) {
            char *version = version_at(literal, arena);
            if (version)
                return version;
        }
    }
    return NULL;
}

char *parse_cudart_name(const char *name, struct arena *arena)
{
    struct piece rest = {name, strlen(name)};
    if (!piece_cut_prefix(&rest, "libcudart.so."))
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
    struct piece rest = {data, size};
    if (!piece_cut_after(&rest, "GNU C Library ") ||
        !piece_cut_after(&rest, "stable release version "))
        return NULL;
    return version_at(rest, arena);
}
