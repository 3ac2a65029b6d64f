#include "parse/mountinfo.h"

#include <string.h>

#include "base/span.h"

static bool is_octal(const char *at)
{
    return at[0] >= '0' && at[0] <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' &&
           at[2] <= '7';
}

/* Blanks, tabs, newlines and backslashes stand as \ooo. */
static char *decoded(struct span span, struct arena *arena)
{
    char *text = arena_strndup(arena, span.data, span.length), *to = text;
    for (const char *from = text; *from; to++) {
        if (*from == '\\' && strlen(from) > 3 && is_octal(from + 1) &&
            (from[1] != '0' || from[2] != '0' || from[3] != '0')) {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return text;
}

bool parse_mount_line(const char *data, size_t size, size_t *cursor, struct arena *arena,
                      struct mount_line *ret)
{
    enum { ROOT = 3, PATH, OPTIONS, FIXED };
    struct span line, word[FIXED], type, source, super;
    *ret = (struct mount_line){0};
    if (!span_line(data, size, cursor, &line))
        return false;
    for (size_t i = 0; i < FIXED; i++)
        if (!span_word(&line, &word[i]))
            return true;
    /* optional fields ("shared:1") up to a lone "-" */
    do
        if (!span_word(&line, &type))
            return true;
    while (!span_equal(type, "-"));
    if (!span_word(&line, &type) || !span_word(&line, &source) || *word[PATH].data != '/')
        return true;
    if (!span_word(&line, &super))
        super = (struct span){"", 0};
    *ret = (struct mount_line){
        .root = decoded(word[ROOT], arena),
        .path = decoded(word[PATH], arena),
        .type = arena_strndup(arena, type.data, type.length),
        .source = decoded(source, arena),
        .options = arena_strndup(arena, word[OPTIONS].data, word[OPTIONS].length),
        .super_options = decoded(super, arena),
    };
    return true;
}

bool mount_option(const char *options, const char *word)
{
    struct span rest = {options, strlen(options)}, option;
    while (span_split(&rest, ',', &option))
        if (span_equal(option, word))
            return true;
    return false;
}
