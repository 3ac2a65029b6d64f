/* The small languages inside conda's records: channels and dependencies. */
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "parse/conda_meta.h"

static bool is_word(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool is_alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_alnum && (!c || !strchr("._-", c)))
            return false;
    }
    return length > 0;
}

static bool is_platform(const char *text)
{
    static const char *const starts[] = {"linux-", "osx-", "win-", "freebsd-", "emscripten-"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts(text, starts[i]))
            return true;
    return !strcmp(text, "noarch");
}

/* Cuts the last part off; NULL when there is none. */
static char *last_part(char *path)
{
    size_t length = strlen(path);
    while (length && path[length - 1] == '/')
        path[--length] = '\0';
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : length ? path : NULL;
}

static void cut_platform(char *path)
{
    char *last = last_part(path);
    if (last && last > path && is_platform(last))
        last[-1] = '\0';
}

/* Takes "/label/NAME" off the end: a part of the channel that it stands in, which conda names with
 * it. NULL where there is none. */
static const char *cut_label(char *path)
{
    char *label = strstr(path, "/label/");
    if (!label)
        return NULL;
    *label = '\0';
    char *name = label + strlen("/label/"), *last = last_part(name);
    return last ? name : NULL;
}

char *conda_channel(const char *channel, struct arena *arena)
{
    if (!channel)
        return NULL;
    char *path = arena_strndup(arena, channel, strcspn(channel, "?#"));
    char *scheme = strstr(path, "://");
    if (scheme) { /* with the address go name and password before "@" */
        path = strchr(scheme + 3, '/');
        if (!path)
            return NULL;
        path++;
    }
    cut_platform(path);
    const char *label = cut_label(path);
    char *last = last_part(path);
    if (!last || !is_word(last, strlen(last)) || (label && !is_word(label, strlen(label))))
        return NULL;
    /* a token is the part behind "t": never a channel */
    if (last - path >= 2 && last[-2] == 't' && (last - path == 2 || last[-3] == '/'))
        return NULL;
    /* the channels behind the name "defaults": pkgs/main, pkgs/r, ... */
    if (last - path >= 5 && !memcmp(last - 5, "pkgs/", 5))
        return arena_strdup(arena, "defaults");
    return label ? arena_printf(arena, "%s/label/%s", last, label) : last;
}
