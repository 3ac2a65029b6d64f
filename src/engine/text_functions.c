#include "engine/text_functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bytes {
    const char *start; /* NULL for NULL */
    size_t length;
};

static struct bytes argument(sqlite3_value *value)
{
    struct bytes ret = {.start = (const char *)sqlite3_value_text(value)};
    ret.length = ret.start ? (size_t)sqlite3_value_bytes(value) : 0;
    return ret;
}

static void give(sqlite3_context *context, const char *start, size_t length)
{
    sqlite3_result_text64(context, start, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static bool starts(struct bytes text, struct bytes prefix)
{
    return text.length >= prefix.length && memcmp(text.start, prefix.start, prefix.length) == 0;
}

/* starts_with(text, prefix) */
static void starts_with(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes text = argument(values[0]), prefix = argument(values[1]);
    if (text.start && prefix.start)
        sqlite3_result_int(context, starts(text, prefix));
}

/* ends_with(text, suffix) */
static void ends_with(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes text = argument(values[0]), suffix = argument(values[1]);
    if (!text.start || !suffix.start)
        return;
    size_t before = text.length - suffix.length; /* wraps where it is not used */
    sqlite3_result_int(context, text.length >= suffix.length &&
                                    memcmp(text.start + before, suffix.start, suffix.length) == 0);
}

/* is_below(path, folder): a slash at the end of the folder is none of its name; NULL for no name */
static void is_below(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes path = argument(values[0]), folder = argument(values[1]);
    if (!path.start || !folder.length)
        return;
    while (folder.length && folder.start[folder.length - 1] == '/')
        folder.length--;
    sqlite3_result_int(context, path.length > folder.length + 1 &&
                                    path.start[folder.length] == '/' && starts(path, folder));
}

static const char *find(struct bytes text, struct bytes separator)
{
    return text.start && separator.length
               ? memmem(text.start, text.length, separator.start, separator.length)
               : NULL;
}

/* before_first(text, separator): NULL where it is not in the text, in the next ones too */
static void before_first(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes text = argument(values[0]);
    const char *at = find(text, argument(values[1]));
    if (at)
        give(context, text.start, (size_t)(at - text.start));
}

static void after_first(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes text = argument(values[0]), separator = argument(values[1]);
    const char *at = find(text, separator);
    if (at) {
        at += separator.length;
        give(context, at, text.length - (size_t)(at - text.start));
    }
}

static void before_last(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes text = argument(values[0]), separator = argument(values[1]), rest = text;
    const char *at, *last = NULL;
    while ((at = find(rest, separator))) {
        last = at;
        rest.length -= (size_t)(at + 1 - rest.start);
        rest.start = at + 1;
    }
    if (last)
        give(context, text.start, (size_t)(last - text.start));
}

/* folder_of(path): without its last name and the slashes before that; '' where there are none */
static void folder_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes path = argument(values[0]);
    if (!path.start)
        return;
    const char *slash = memrchr(path.start, '/', path.length);
    while (slash && slash > path.start && slash[-1] == '/')
        slash--;
    give(context, path.start, slash ? (size_t)(slash - path.start) : 0);
}

/* normal_path(path): without "." and "..", and one slash between names, as the letters of it say:
 * no link is followed. NULL for one that does not begin at the root. */
static void normal_path(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct bytes path = argument(values[0]);
    if (!path.length || path.start[0] != '/')
        return;
    char *out = sqlite3_malloc64(path.length);
    if (!out) {
        sqlite3_result_error_nomem(context);
        return;
    }
    size_t length = 0;
    for (size_t i = 0; i < path.length;) {
        const char *name = path.start + i;
        const char *end = memchr(name, '/', path.length - i);
        size_t n = end ? (size_t)(end - name) : path.length - i;
        i += n + 1;
        if (n == 2 && memcmp(name, "..", 2) == 0) {
            const char *slash = memrchr(out, '/', length);
            length = slash ? (size_t)(slash - out) : 0;
        } else if (n && !(n == 1 && *name == '.')) {
            out[length++] = '/';
            memcpy(out + length, name, n);
            length += n;
        }
    }
    if (!length)
        out[length++] = '/';
    sqlite3_result_text64(context, out, length, sqlite3_free, SQLITE_UTF8);
}

int text_functions_register(sqlite3 *db, int flags)
{
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"starts_with", 2, starts_with}, {"ends_with", 2, ends_with},
        {"is_below", 2, is_below},       {"before_first", 2, before_first},
        {"after_first", 2, after_first}, {"before_last", 2, before_last},
        {"folder_of", 1, folder_of},     {"normal_path", 1, normal_path},
    };
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, flags, NULL,
                                        functions[i].function, NULL, NULL, NULL);
    return rc;
}
