#include "parse/conda_history.h"

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "base/json_file.h"
#include "base/span.h"

enum { TEXT_MAX = 4096 };

/* The end of `set` is none of its characters. */
static bool is_among(char c, const char *set)
{
    return c && strchr(set, c) != NULL;
}

static const char *program_of(struct span rest, struct arena *arena)
{
    struct span word;
    if (!span_word(&rest, &word))
        return NULL;
    size_t start = word.length;
    while (start && word.data[start - 1] != '/')
        start--;
    size_t length = word.length - start;
    for (size_t i = start; i < word.length; i++)
        if (!is_among(word.data[i], "abcdefghijklmnopqrstuvwxyz0123456789_.-"))
            return NULL;
    return length && length < 64 ? arena_strndup(arena, word.data + start, length) : NULL;
}

static const char *version_of(struct span rest, struct arena *arena)
{
    struct span word = span_trim(rest);
    if (!word.length || word.length > 32 || !is_among(word.data[0], "0123456789"))
        return NULL;
    for (size_t i = 0; i < word.length; i++)
        if (!is_among(word.data[i], "0123456789.abcdefghijklmnopqrstuvwxyz+"))
            return NULL;
    return arena_strndup(arena, word.data, word.length);
}

void conda_history_parse(const char *data, size_t length, struct arena *arena,
                         struct conda_history *ret)
{
    *ret = (struct conda_history){0};
    size_t cursor = 0;
    struct span line;
    while (span_line(data, length, &cursor, &line)) {
        if (!ret->program && span_cut_prefix(&line, "# cmd: "))
            ret->program = program_of(line, arena);
        else if (!ret->version && span_cut_prefix(&line, "# conda version: "))
            ret->version = version_of(line, arena);
    }
}

static const char *text_of(json_t *root, const char *key, struct arena *arena)
{
    const char *value = json_string_value(json_object_get(root, key));
    if (!value || !*value || strlen(value) > TEXT_MAX)
        return NULL;
    for (const char *at = value; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return NULL;
    return arena_strdup(arena, value);
}

void pixi_mark_parse(const char *data, size_t length, struct arena *arena, struct pixi_mark *ret)
{
    CLEANUP_JSON json_t *root = json_loadb(data, length, 0, NULL);
    *ret = (struct pixi_mark){
        .environment = text_of(root, "environment_name", arena),
        .version = text_of(root, "pixi_version", arena),
        .manifest = text_of(root, "manifest_path", arena),
    };
}
