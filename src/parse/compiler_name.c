#include "parse/compiler_name.h"

#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"

enum { NAME_CAP = 255, MAJOR_MAX = 99 };

static bool is_version(const char *text, size_t length)
{
    bool digit = false;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (!is_digit && (text[i] != '.' || !digit))
            return false;
        digit = is_digit;
    }
    return digit && length < 24;
}

int compiler_major(const char *version)
{
    size_t n = version ? strspn(version, "0123456789") : 0;
    uint64_t major;
    if (n == 0 || (version[n] && version[n] != '.') ||
        !span_number((struct span){version, n}, MAJOR_MAX, &major))
        return 0;
    return (int)major;
}

/* The last part that is one of the names; what is before it is the target. */
static void take_name(const char *text, size_t length, struct arena *arena,
                      struct compiler_name *ret)
{
    static const struct {
        const char *name, *family;
    } names[] = {
        {"clang++", "clang"}, {"clang", "clang"}, {"g++", "gcc"},
        {"gcc", "gcc"},       {"c++", NULL},      {"cc", NULL},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i].name);
        if (length < n || memcmp(text + length - n, names[i].name, n) != 0 ||
            (length > n && text[length - n - 1] != '-'))
            continue;
        ret->name = names[i].name;
        ret->family = names[i].family;
        if (length > n + 1)
            ret->target = arena_strndup(arena, text, length - n - 1);
        return;
    }
}

void parse_compiler_name(const char *name, struct arena *arena, struct compiler_name *ret)
{
    static const char *const wrappers[] = {"ccache", "sccache", "distcc", "icecc", "colorgcc"};
    *ret = (struct compiler_name){0};
    size_t length = strnlen(name, NAME_CAP);
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
        ret->wrapper = ret->wrapper || strcmp(name, wrappers[i]) == 0;
    const char *dash = memrchr(name, '-', length);
    size_t tail = dash ? length - (size_t)(dash - name) - 1 : 0;
    if (tail && is_version(dash + 1, tail)) {
        ret->version = arena_strndup(arena, dash + 1, tail);
        length = (size_t)(dash - name);
    }
    take_name(name, length, arena, ret);
    if (!ret->name)
        ret->version = NULL;
}

char *parse_version_literal(const char *data, size_t size, int major, struct arena *arena)
{
    char start[16]; /* any int with a NUL before and a dot behind it */
    start[0] = '\0';
    int n = snprintf(start + 1, sizeof start - 1, "%d.", major) + 1;
    struct span rest = {data, size};
    for (;;) {
        const char *at = rest.length ? memmem(rest.data, rest.length, start, (size_t)n) : NULL;
        if (!at)
            return NULL;
        at++;
        size_t left = (size_t)(data + size - at), length = strnlen(at, left);
        size_t dots = 0;
        for (size_t i = 0; i < length; i++)
            dots += at[i] == '.';
        if (length < left && length < VERSION_LITERAL_MAX - 2 && dots == 2 &&
            is_version(at, length))
            return arena_strndup(arena, at, length);
        rest = (struct span){at, left};
    }
}
