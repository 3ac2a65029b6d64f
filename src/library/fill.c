#include "library/fill.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"

enum { VALUE_MAX = 64 };

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

/* --- what stands in braces --- */

enum part { PART_MAJOR, PART_MINOR, PART_DIGITS };

/* {$VARIABLE=|FRAMEWORK.PART~}: all but the part may be missing. */
struct placeholder {
    const char *variable, *framework;
    size_t variable_length, framework_length;
    enum part part;
    bool is_nearest;
    bool takes_empty; /* an empty variable is set, too */
    size_t length;    /* with its braces */
};

static size_t name_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '-')
        n++;
    return n;
}

static const char *read_part(const char *at, enum part *ret)
{
    static const char *const names[] = {
        [PART_MAJOR] = "cuda_major", [PART_MINOR] = "cuda_minor", [PART_DIGITS] = "cuda_digits"};
    size_t length = name_length(at);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(at, names[i], length)) {
            *ret = (enum part)i;
            return at + length;
        }
    return NULL;
}

static bool read_placeholder(const char *text, struct placeholder *ret)
{
    const char *at = text + 1;
    *ret = (struct placeholder){0};
    if (*at == '$') {
        ret->variable = ++at;
        ret->variable_length = name_length(at);
        at += ret->variable_length;
        ret->takes_empty = *at == '=';
        at += ret->takes_empty;
        if (!ret->variable_length || *at++ != '|')
            return false;
    }
    size_t length = name_length(at);
    if (length && at[length] == '.') {
        ret->framework = at;
        ret->framework_length = length;
        at += length + 1;
    }
    at = read_part(at, &ret->part);
    if (!at)
        return false;
    ret->is_nearest = *at == '~' && ret->part != PART_MAJOR;
    at += ret->is_nearest;
    ret->length = (size_t)(at + 1 - text);
    return *at == '}';
}

int fill_check(const char *path, struct error *err)
{
    struct placeholder found;
    const char *slash = strrchr(path, '/');
    bool has_nearest = false;
    for (const char *at = path; (at = strchr(at, '{')); at += found.length) {
        if (!read_placeholder(at, &found))
            return error_set(err, -EINVAL,
                             "\"%s\": in braces stand only {cuda_major}, {cuda_minor} and "
                             "{cuda_digits}, as {$VARIABLE=|FRAMEWORK.cuda_digits~} at most",
                             path);
        if (found.is_nearest && (has_nearest || !slash || at < slash || strchr(path, '*')))
            return error_set(err, -EINVAL,
                             "\"%s\" has a \"~\" elsewhere than once in the name of a file, and "
                             "without a \"*\"",
                             path);
        has_nearest |= found.is_nearest;
    }
    return 0;
}

/* --- what it stands for --- */

/* The variable's value, NULL where it is not set. A value that is no part of a file's name, or has
 * a meaning to those who put it into one (newer bitsandbytes: re.sub()), makes its name *ret_odd.
 */
static const char *variable_of(struct arena *arena, const struct fill_values *values,
                               const struct placeholder *placeholder, const char **ret_odd)
{
    if (!placeholder->variable)
        return NULL;
    const char *name = arena_strndup(arena, placeholder->variable, placeholder->variable_length);
    const char *value = machine_getenv(values->machine, name);
    if (!value || (!*value && !placeholder->takes_empty))
        return NULL;
    if (!*value || strlen(value) > NAME_MAX || strpbrk(value, "/\\"))
        *ret_odd = name;
    return value;
}

static const char *cuda_of(struct arena *arena, const struct fill_values *values,
                           const struct placeholder *placeholder, const char **lacks)
{
    const char *cuda = NULL;
    if (!placeholder->framework)
        return values->cuda;
    const char *name = arena_strndup(arena, placeholder->framework, placeholder->framework_length);
    if (!values->cuda_of(values->data, name, &cuda))
        *lacks = name;
    return cuda;
}

/* "12", "8" and "128" of "12.8.1". */
static bool add_part(struct text *out, const struct placeholder *placeholder, const char *cuda,
                     struct filled *ret)
{
    size_t major = cuda ? strspn(cuda, "0123456789") : 0;
    size_t minor = major && cuda[major] == '.' ? strspn(cuda + major + 1, "0123456789") : 0;
    if (!major || major > VALUE_MAX || minor > VALUE_MAX ||
        (placeholder->part != PART_MAJOR && !minor))
        return false;
    if (placeholder->part != PART_MINOR)
        text_add_bytes(out, cuda, major);
    if (placeholder->part == PART_MAJOR)
        return true;
    if (placeholder->is_nearest) {
        ret->minor_at = out->length;
        ret->minor_length = minor;
    }
    text_add_bytes(out, cuda + major + 1, minor);
    return true;
}

struct filled fill_path(struct arena *arena, const char *path, const struct fill_values *values)
{
    CLEANUP_TEXT struct text out = {0};
    struct filled ret = {.path = path};
    struct placeholder found;
    const char *at;
    if (!strchr(path, '{'))
        return ret;
    for (; (at = strchr(path, '{')) && read_placeholder(at, &found); path = at + found.length) {
        text_add_bytes(&out, path, (size_t)(at - path));
        const char *value = variable_of(arena, values, &found, &ret.odd_variable);
        if (ret.odd_variable)
            return (struct filled){.odd_variable = ret.odd_variable};
        if (value)
            text_add(&out, value);
        else if (!add_part(&out, &found, cuda_of(arena, values, &found, &ret.lacks), &ret))
            return (struct filled){.lacks = ret.lacks};
    }
    text_add(&out, path);
    ret.path = arena_strdup(arena, text_get(&out));
    return ret;
}
