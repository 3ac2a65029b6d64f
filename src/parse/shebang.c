#include "parse/shebang.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"

static bool is_plain(struct span word)
{
    for (size_t i = 0; i < word.length; i++)
        if ((unsigned char)word.data[i] < 0x20 || word.data[i] == 0x7f)
            return false;
    return word.length > 0;
}

static char *copy(struct span word, struct arena *arena)
{
    return is_plain(word) ? arena_strndup(arena, word.data, word.length) : NULL;
}

/* env(1): options and assignments stand before the name. */
static bool take_env(struct span rest, struct arena *arena, struct shebang *ret)
{
    struct span word;
    while (span_word(&rest, &word)) {
        if (word.data[0] == '-' || memchr(word.data, '=', word.length))
            continue;
        ret->program = copy(word, arena);
        ret->is_on_path = ret->program && ret->program[0] != '/';
        return ret->program != NULL;
    }
    return false;
}

/* The next word of a line of shell, quotes taken away: only what installers write. */
static bool take_quoted(struct span *rest, struct span *ret)
{
    *rest = span_trim(*rest);
    if (!rest->length)
        return false;
    char quote = rest->data[0];
    if (quote != '"' && quote != '\'')
        return span_word(rest, ret);
    const char *end = memchr(rest->data + 1, quote, rest->length - 1);
    if (!end)
        return false;
    *ret = (struct span){rest->data + 1, (size_t)(end - rest->data - 1)};
    rest->length -= (size_t)(end + 1 - rest->data);
    rest->data = end + 1;
    return true;
}

/* '''exec' /long/python "$0" "$@", or with "$(dirname -- "$(realpath -- "$0")")"/'python' where the
 * environment may be moved. */
static bool take_exec(struct span line, struct arena *arena, struct shebang *ret)
{
    struct span word;
    if (!span_cut_prefix(&line, "'''exec'") && !span_cut_prefix(&line, "'''exec' "))
        return false;
    struct span rest = span_trim(line);
    if (span_cut_prefix(&rest, "\"$(dirname ")) {
        if (!span_cut_after(&rest, "\"/"))
            return false;
        ret->is_beside = true;
    }
    if (!take_quoted(&rest, &word))
        return false;
    ret->program = copy(word, arena);
    return ret->program && (ret->is_beside || ret->program[0] == '/');
}

static bool is_shell(struct span program)
{
    static const char *const shells[] = {"/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/sh",
                                         "/usr/bin/bash"};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (span_equal(program, shells[i]))
            return true;
    return false;
}

bool shebang_parse(const char *data, size_t length, struct arena *arena, struct shebang *ret)
{
    *ret = (struct shebang){0};
    size_t cursor = 0;
    struct span line, program;
    if (!span_line(data, length, &cursor, &line) || !span_cut_prefix(&line, "#!") ||
        !span_word(&line, &program))
        return false;
    char *path = copy(program, arena);
    if (!path || path[0] != '/')
        return false;
    if (text_ends(path, "/env"))
        return take_env(line, arena, ret);
    if (is_shell(program) && span_line(data, length, &cursor, &line) && take_exec(line, arena, ret))
        return true;
    *ret = (struct shebang){.program = path};
    return true;
}
