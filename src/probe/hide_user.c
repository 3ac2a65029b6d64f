#include "probe/hide_user.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

enum { NAME_MIN = 3 }; /* a shorter one may be anything */
static const char mark[] = "<user>";

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Folders of Windows' Users folder that belong to nobody. */
static bool is_shared(const char *name, size_t length)
{
    static const char *const names[] = {"Public", "Default", "All Users", "Shared", "root"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncasecmp(names[i], name, length) == 0)
            return true;
    return false;
}

static bool same(const char *text, const char *part, size_t length)
{
    return text && strlen(text) == length && memcmp(text, part, length) == 0;
}

/* What the component behind `before` (the path up to it) says of people. */
static bool is_user(const char *path, size_t start, size_t length, const char *home,
                    const char *name)
{
    size_t end = start ? start - 1 : 0, from = end;
    while (from && !is_separator(path[from - 1]))
        from--;
    bool under_home = (end - from == 4 && from <= 1 && memcmp(path + from, "home", 4) == 0) ||
                      (end - from == 5 && strncasecmp(path + from, "Users", 5) == 0);
    if (length == 0 || is_shared(path + start, length))
        return false;
    if (under_home || (length >= NAME_MIN && same(name, path + start, length)))
        return true;
    return same(home, path, start + length) && strchr(home + 1, '/');
}

const char *hide_user(const struct probe_context *context, const char *path)
{
    CLEANUP_TEXT struct text out = {0};
    struct machine_user user;
    if (!path)
        return NULL;
    const char *home = machine_home(context->machine);
    machine_user(context->machine, &user);
    for (size_t at = 0; path[at];) {
        size_t n = strcspn(path + at, "/\\");
        bool hidden = is_user(path, at, n, home, user.known ? user.name : NULL);
        if (hidden)
            text_add(&out, mark);
        else
            text_add_bytes(&out, path + at, n);
        at += n;
        if (path[at])
            text_add_char(&out, path[at++]);
    }
    return arena_strdup(context->arena, text_get(&out));
}

const char *hide_user_in_text(const struct probe_context *context, const char *text)
{
    static const char between[] = " \t'\"`()<>=,;";
    CLEANUP_TEXT struct text out = {0};
    while (text && *text) {
        size_t n = strcspn(text, between);
        const char *word = arena_strndup(context->arena, text, n);
        text_add(&out, strchr(word, '/') || strchr(word, '\\') ? hide_user(context, word) : word);
        text += n;
        n = strspn(text, between);
        text_add_bytes(&out, text, n);
        text += n;
    }
    return text ? arena_strdup(context->arena, text_get(&out)) : NULL;
}
