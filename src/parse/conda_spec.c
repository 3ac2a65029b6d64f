/* Specifications of conda packages (conda's MatchSpec), as far as records and pins use them. */
#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "parse/conda_meta.h"

enum { SPEC_MAX = 1000 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_name(struct span text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = lower(text.data[i]);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && c != '.' && c != '_' && c != '-')
            return false;
    }
    return text.length > 0;
}

static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 && *text != '\t')
            return true;
    return false;
}

static char *copy(struct span text, struct arena *arena)
{
    return arena_strndup(arena, text.data, text.length);
}

/* "=1.26" means 1.26 and whatever follows it, unlike "==1.26"; with a build behind it ("=1.26=py*")
 * 1.26 alone, as conda takes it apart. */
static const char *version_text(struct span version, bool has_build, struct arena *arena)
{
    bool is_fuzzy = version.length > 1 && version.data[0] == '=' && version.data[1] != '=';
    if (span_equal(version, "*") || span_equal(version, "=*"))
        return "";
    if (!is_fuzzy)
        return copy(version, arena);
    bool is_plain =
        !has_build && version.data[version.length - 1] != '*' && !span_has(version, ",");
    return arena_printf(arena, "%.*s%s", (int)version.length - 1, version.data + 1,
                        is_plain ? ".*" : "");
}

static const char *build_text(struct span build, struct arena *arena)
{
    return build.length && !span_equal(build, "*") ? copy(build, arena) : NULL;
}

static bool is_comparison(char c)
{
    return c == '<' || c == '>' || c == '!' || c == '~';
}

/* Takes the build off the end of "1.26=py*", "=1.26=py*" and "==1.26=py_0". */
static struct span cut_build(struct span *version)
{
    size_t start = 0;
    while (start < version->length && version->data[start] == '=')
        start++;
    struct span rest = {version->data + start, version->length - start}, build = {0};
    if (!version->length || is_comparison(*version->data) || span_has(rest, ",") ||
        !span_has(rest, "="))
        return build;
    build = rest;
    span_cut_after(&build, "=");
    version->length = (size_t)(build.data - 1 - version->data);
    return build;
}

/* Words up to the first that begins no further condition are the version (">= 1.2, <2"), the next
 * one is the build. */
static void take_version(struct span rest, struct arena *arena, struct conda_spec *ret)
{
    CLEANUP_TEXT struct text joined = {0};
    struct span word = {0};
    while (span_word(&rest, &word)) {
        bool goes_on = !joined.length || strchr("<>=!~,|", joined.data[joined.length - 1]) ||
                       strchr("<>=!~,|", *word.data);
        if (!goes_on)
            break;
        text_add_bytes(&joined, word.data, word.length);
        word.length = 0;
    }
    struct span version = {text_get(&joined), joined.length};
    struct span build = word.length ? word : cut_build(&version);
    if (version.length)
        ret->specifier = version_text(version, build.length > 0, arena);
    ret->build = build_text(build, arena);
}

/* "[version='>=1.2,<2',build=py*]": commas within quotes part nothing. */
static void take_brackets(struct span rest, struct arena *arena, struct conda_spec *ret)
{
    while (rest.length) {
        size_t length = 0;
        char quote = '\0';
        for (; length < rest.length && (quote || !strchr(",]", rest.data[length])); length++) {
            char c = rest.data[length];
            if (quote ? c == quote : c == '\'' || c == '"')
                quote = quote ? '\0' : c;
        }
        struct span value = {rest.data, length}, key;
        if (span_split(&value, '=', &key) && value.length) {
            key = span_trim(key);
            value = span_trim(value);
            if (value.length > 1 && (value.data[0] == '\'' || value.data[0] == '"') &&
                value.data[value.length - 1] == value.data[0])
                value = (struct span){value.data + 1, value.length - 2};
            if (span_equal(key, "version"))
                ret->specifier = version_text(span_trim(value), false, arena);
            else if (span_equal(key, "build"))
                ret->build = build_text(span_trim(value), arena);
        }
        length += length < rest.length;
        rest = (struct span){rest.data + length, rest.length - length};
    }
}

bool conda_spec_parse(const char *text, struct arena *arena, struct conda_spec *ret)
{
    *ret = (struct conda_spec){.specifier = ""};
    if (strlen(text) > SPEC_MAX || has_control(text))
        return false;
    const char *bracket = strchr(text, '['), *channel = strstr(text, "::");
    struct span rest = {text, bracket ? (size_t)(bracket - text) : strlen(text)};
    if (channel && (!bracket || channel < bracket))
        span_cut_after(&rest, "::");
    rest = span_trim(rest);
    size_t length = 0;
    while (length < rest.length && !strchr(" \t<>=!~", rest.data[length]))
        length++;
    struct span name = {rest.data, length};
    if (!is_name(name))
        return false;
    char *copied = copy(name, arena);
    for (char *c = copied; *c; c++)
        *c = lower(*c);
    ret->name = copied;
    take_version((struct span){rest.data + length, rest.length - length}, arena, ret);
    if (bracket)
        take_brackets((struct span){bracket + 1, strlen(bracket + 1)}, arena, ret);
    return true;
}

char *conda_dependency(const char *depend, struct arena *arena, const char **ret_specifier)
{
    struct conda_spec spec;
    if (!conda_spec_parse(depend, arena, &spec))
        return NULL;
    *ret_specifier = spec.build ? arena_printf(arena, "%s %s",
                                               *spec.specifier ? spec.specifier : "*", spec.build)
                                : spec.specifier;
    return arena_strdup(arena, spec.name);
}
