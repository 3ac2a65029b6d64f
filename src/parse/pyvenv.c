#include "parse/pyvenv.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* A trimmed copy; NULL when it is empty or holds control bytes. */
static char *take(const char *text, size_t length, struct arena *arena)
{
    while (length && is_space(*text)) {
        text++;
        length--;
    }
    while (length && is_space(text[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return NULL;
    return length ? arena_strndup(arena, text, length) : NULL;
}

/* virtualenv writes "3.12.3.final.0": keeps what is a version number of Python. */
static char *cut_version(char *version)
{
    size_t end = 0;
    for (int fields = 0; fields < 3; fields++) {
        size_t digits = strspn(version + end, "0123456789");
        if (!digits)
            break;
        end += digits;
        if (version[end] != '.')
            break;
        end++;
    }
    while (end && version[end - 1] == '.')
        end--;
    version[end] = '\0';
    return end ? version : NULL;
}

/* venv writes repr() of it: 'name'. */
static const char *unquote(char *value)
{
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '\'' || value[0] == '"') && value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        value++;
    }
    return *value ? value : NULL;
}

static void take_value(const char *key, char *value, struct pyvenv *ret)
{
    if (!strcasecmp(key, "home"))
        ret->home = value;
    else if (!strcasecmp(key, "uv"))
        ret->uv = value;
    else if (!strcasecmp(key, "virtualenv"))
        ret->virtualenv = value;
    else if (!strcasecmp(key, "prompt"))
        ret->prompt = unquote(value);
    else if (!strcasecmp(key, "include-system-site-packages"))
        ret->has_system_site = !strcasecmp(value, "true");
    else if (!strcasecmp(key, "version") || !strcasecmp(key, "version_info"))
        ret->version = cut_version(value);
}

void pyvenv_parse(const char *data, size_t length, struct arena *arena, struct pyvenv *ret)
{
    *ret = (struct pyvenv){0};
    size_t cursor = 0, line_length;
    const char *line;
    while (text_next_line(data, length, &cursor, &line, &line_length)) {
        const char *equals = memchr(line, '=', line_length);
        if (!equals)
            continue;
        size_t before = (size_t)(equals - line);
        char *key = take(line, before, arena);
        char *value = take(equals + 1, line_length - before - 1, arena);
        if (key && value)
            take_value(key, value, ret);
    }
}
