#include "engine/slot_type.h"

#include <string.h>

#include "base/pep440.h"

enum { VALUE_MAX = 4096 };

static const struct {
    const char *name;
    enum slot_type type;
} types[] = {
    {"path", SLOT_PATH}, {"package", SLOT_PACKAGE}, {"version", SLOT_VERSION}, {"word", SLOT_WORD},
    {"spec", SLOT_SPEC}, {"url", SLOT_URL},         {"line", SLOT_LINE},
};

bool slot_type_named(const char *name, size_t length, enum slot_type *ret)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) {
            *ret = types[i].type;
            return true;
        }
    }
    return false;
}

static bool is_alnum(char c) /* ASCII, whatever the locale */
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool only(const char *value, size_t length, const char *also)
{
    for (size_t i = 0; i < length; i++)
        if (!is_alnum(value[i]) && (!value[i] || !strchr(also, value[i])))
            return false;
    return true;
}

/* A path may hold spaces and any letters, but nothing that a terminal or a reader could take for
 * something else. It must not pass for an option. */
static bool is_path(const char *value)
{
    CLEANUP_TEXT struct text safe = {0};
    size_t length = strlen(value);
    if (!length || value[0] == '-' || !utf8_valid(value, length))
        return false;
    text_add_safe(&safe, value, length, false);
    return strcmp(text_get(&safe), value) == 0;
}

/* Length of a PEP 503 name at the start: letters and digits, with runs of "._-" inside. 0: none. */
static size_t name_length(const char *value)
{
    size_t n = 0;
    while (value[n] && only(value + n, 1, "._-"))
        n++;
    return n && is_alnum(value[0]) && is_alnum(value[n - 1]) ? n : 0;
}

/* Length of "[extra,extra]" at the start, 0 without; false where it is malformed. */
static bool extras_length(const char *value, size_t *ret)
{
    *ret = 0;
    if (*value != '[')
        return true;
    const char *p = value;
    do {
        size_t n = name_length(++p);
        if (!n)
            return false;
        p += n;
    } while (*p == ',');
    *ret = (size_t)(p + 1 - value);
    return *p == ']';
}

static bool is_package(const char *value, size_t *ret_length)
{
    size_t name = name_length(value), extras;
    if (!name || !extras_length(value + name, &extras))
        return false;
    *ret_length = name + extras;
    return true;
}

static bool is_spec(const char *value)
{
    size_t length;
    if (!is_package(value, &length))
        return false;
    const char *specifier = value + length;
    return *specifier && only(specifier, strlen(specifier), "._+-!~<>=*,") &&
           pep440_match(specifier, "1") >= 0;
}

static bool is_url(const char *value)
{
    static const char scheme[] = "https://";
    if (!text_starts(value, scheme))
        return false;
    const char *host = value + sizeof scheme - 1;
    size_t n = strcspn(host, "/?#");
    return n && is_alnum(*host) && only(host, n, ".-:") &&
           only(host + n, strlen(host + n), "/._~:?#@!$&()*+,;=%-");
}

bool slot_fits(enum slot_type type, const char *value)
{
    size_t length = strlen(value);
    if (!length || length > VALUE_MAX)
        return false;
    switch (type) {
    case SLOT_PATH:
        return is_path(value);
    case SLOT_PACKAGE: {
        size_t used;
        return is_package(value, &used) && !value[used];
    }
    case SLOT_VERSION:
        return only(value, length, "._+-!") && value[0] != '-' && pep440_valid(value);
    case SLOT_WORD:
        return only(value, length, "._+:/@=-") && value[0] != '-';
    case SLOT_SPEC:
        return is_spec(value);
    case SLOT_URL:
        return is_url(value);
    case SLOT_TEXT:
    case SLOT_LINE:
        break;
    }
    return false;
}

bool shell_plain(const char *word)
{
    /* a leading '=' is an expansion of zsh */
    return *word && *word != '=' && only(word, strlen(word), "._+:/@=,%-");
}

void shell_quote(struct text *out, const char *word)
{
    if (shell_plain(word)) {
        text_add(out, word);
        return;
    }
    text_add_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *word);
    }
    text_add_char(out, '\'');
}
