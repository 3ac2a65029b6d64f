#include "engine/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_file.h"
#include "base/json_position.h"
#include "base/text.h"

int source_read(struct arena *arena, const char *path, size_t limit, struct source *ret,
                struct error *err)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    int code = file_read(path, limit, &bytes, err);
    if (code)
        return code;
    *ret = (struct source){.path = arena_strdup(arena, path),
                           .text = arena_strndup(arena, bytes.data, bytes.length),
                           .length = bytes.length};
    return 0;
}

int source_parse(struct source *source, struct error *err)
{
    json_error_t problem;
    source->json = json_loadb(source->text, source->length, JSON_REJECT_DUPLICATES, &problem);
    if (!source->json)
        return error_set(err, -EINVAL, "%s:%d:%d: %s", source->path, problem.line, problem.column,
                         problem.text);
    if (!json_is_object(source->json)) {
        source_done(source);
        return source_error(source, err, "", "must be an object");
    }
    return 0;
}

int source_load(struct arena *arena, const char *path, size_t limit, struct source *ret,
                struct error *err)
{
    int code = source_read(arena, path, limit, ret, err);
    return code ? code : source_parse(ret, err);
}

void source_done(struct source *source)
{
    json_decref(source->json);
    source->json = NULL;
}

/* --- errors --- */

static int report(const struct source *source, struct error *err, size_t offset, const char *key,
                  const char *format, va_list args)
{
    char sentence[sizeof err->text];
    size_t line, column;
    vsnprintf(sentence, sizeof sentence, format, args);
    json_line_column(source->text, source->length, offset, &line, &column);
    return error_set(err, -EINVAL, "%s:%zu:%zu: %s%s%s", source->path, line, column, key,
                     *key ? ": " : "", sentence);
}

int source_error(const struct source *source, struct error *err, const char *key,
                 const char *format, ...)
{
    size_t offset;
    json_position(source->text, source->length, key, &offset);
    va_list args;
    va_start(args, format);
    int code = report(source, err, offset, key, format, args);
    va_end(args);
    return code;
}

int source_error_key(const struct source *source, struct error *err, const char *key,
                     const char *format, ...)
{
    size_t offset;
    json_position_key(source->text, source->length, key, &offset);
    va_list args;
    va_start(args, format);
    int code = report(source, err, offset, key, format, args);
    va_end(args);
    return code;
}

int source_error_offset(const struct source *source, struct error *err, size_t offset,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int code = report(source, err, offset, "", format, args);
    va_end(args);
    return code;
}

/* The line of an array that holds byte `*at` of the joined text; *at becomes the byte in it. */
static size_t line_of(const struct source *source, const char *key, size_t *at)
{
    for (size_t i = 0;; i++) {
        char path[300];
        size_t offset, next, length = 0;
        snprintf(path, sizeof path, "%s[%zu]", key, i + 1);
        bool last = !json_position(source->text, source->length, path, &next);
        snprintf(path, sizeof path, "%s[%zu]", key, i);
        if (last || !json_position(source->text, source->length, path, &offset))
            return i;
        /* the value's length: as many decoded bytes as still move the place */
        while (json_string_position(source->text, source->length, offset, length + 1) !=
               json_string_position(source->text, source->length, offset, length))
            length++;
        if (*at <= length)
            return i;
        *at -= length + 1;
    }
}

int source_error_in(const struct source *source, struct error *err, const char *key, long at,
                    const char *format, ...)
{
    char path[300];
    size_t offset, byte = at < 0 ? 0 : (size_t)at;
    snprintf(path, sizeof path, "%s", key);
    json_position(source->text, source->length, path, &offset);
    if (at >= 0 && offset < source->length && source->text[offset] == '[') {
        snprintf(path, sizeof path, "%s[%zu]", key, line_of(source, key, &byte));
        json_position(source->text, source->length, path, &offset);
    }
    if (at >= 0 && offset < source->length && source->text[offset] == '"')
        offset = json_string_position(source->text, source->length, offset, byte);
    va_list args;
    va_start(args, format);
    int code = report(source, err, offset, path, format, args);
    va_end(args);
    return code;
}

/* --- members --- */

char *member_path(const struct member *at, struct arena *arena, const char *key)
{
    return arena_printf(arena, "%s%s%s", at->base, *at->base ? "." : "", key);
}

static const json_t *member_get(const struct member *at, const char *key)
{
    return json_object_get(at->object, key);
}

static int missing(const struct member *at, struct error *err, const char *key)
{
    return source_error(at->source, err, at->base, "the key \"%s\" is missing", key);
}

int get_text(const struct member *at, struct arena *arena, const char *key, bool required,
             const char **ret, struct error *err)
{
    const json_t *value = member_get(at, key);
    *ret = NULL;
    if (!value || (!required && json_is_null(value)))
        return required ? missing(at, err, key) : 0;
    if (!json_is_string(value))
        return source_error(at->source, err, member_path(at, arena, key), "must be text");
    if (json_string_length(value) == 0)
        return source_error(at->source, err, member_path(at, arena, key), "must not be empty");
    *ret = json_string_value(value);
    return 0;
}

int get_lines(const struct member *at, struct arena *arena, const char *key, bool required,
              const char **ret, struct error *err)
{
    const json_t *value = member_get(at, key), *line;
    size_t i;
    if (!json_is_array(value))
        return get_text(at, arena, key, required, ret, err);
    CLEANUP_TEXT struct text joined = {0};
    json_array_foreach (value, i, line) {
        if (!json_is_string(line))
            return source_error(at->source, err,
                                arena_printf(arena, "%s[%zu]", member_path(at, arena, key), i),
                                "must be text");
        if (i)
            text_add_char(&joined, '\n');
        text_add(&joined, json_string_value(line));
    }
    *ret = arena_strndup(arena, text_get(&joined), joined.length);
    return 0;
}

int get_flag(const struct member *at, struct arena *arena, const char *key, bool *ret,
             struct error *err)
{
    const json_t *value = member_get(at, key);
    *ret = json_is_true(value);
    if (value && !json_is_boolean(value))
        return source_error(at->source, err, member_path(at, arena, key), "must be true or false");
    return 0;
}

int get_array(const struct member *at, struct arena *arena, const char *key, bool required,
              const json_t **ret, struct error *err)
{
    *ret = member_get(at, key);
    if (!*ret)
        return required ? missing(at, err, key) : 0;
    if (!json_is_array(*ret))
        return source_error(at->source, err, member_path(at, arena, key), "must be an array");
    return 0;
}

int get_texts(const struct member *at, struct arena *arena, const char *key,
              const char *const **ret, size_t *ret_count, struct error *err)
{
    const json_t *array, *item;
    size_t i;
    int code = get_array(at, arena, key, false, &array, err);
    *ret = NULL;
    *ret_count = 0;
    if (code || !array)
        return code;
    const char **texts = arena_alloc(arena, json_array_size(array) * sizeof *texts);
    json_array_foreach (array, i, item) {
        if (!json_is_string(item) || json_string_length(item) == 0)
            return source_error(at->source, err,
                                arena_printf(arena, "%s[%zu]", member_path(at, arena, key), i),
                                "must be text");
        texts[i] = json_string_value(item);
    }
    *ret = texts;
    *ret_count = json_array_size(array);
    return 0;
}

int check_keys(const struct member *at, struct arena *arena, const char *const *known,
               struct error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)at->object, key, value) {
        const char *const *name = known;
        while (*name && strcmp(*name, key) != 0)
            name++;
        if (!*name)
            return source_error_key(at->source, err, member_path(at, arena, key), "unknown key");
    }
    return 0;
}
