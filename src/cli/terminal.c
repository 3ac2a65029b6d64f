/* Standard output and standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"

int complain(int status, const char *format, ...)
{
    char words[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    CLEANUP_TEXT struct text line = {0};
    text_add_safe(&line, words, strlen(words), false);
    fprintf(stderr, "gpudoctor: %s\n", text_get(&line));
    return status;
}

int complain_session(int code, const struct error *err)
{
    return complain(code == SESSION_INPUT ? STATUS_USAGE : STATUS_BROKEN, "%s", err->text);
}

static size_t terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && strtol(columns, NULL, 10) >= 20)
        return (size_t)strtol(columns, NULL, 10);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 100;
}

/* The character set that the locale's name tells: setlocale() would read a third of a megabyte, and
 * fail where that locale is not installed. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
        locale = getenv(names[i]);
    const char *set = locale ? strchr(locale, '.') : NULL;
    size_t length = set ? strcspn(set, "@") : 0;
    return (length == 6 && strncasecmp(set, ".UTF-8", length) == 0) ||
           (length == 5 && strncasecmp(set, ".utf8", length) == 0);
}

bool style_for_output(const struct options *options, struct style *ret)
{
    bool terminal = isatty(STDOUT_FILENO) && !options->output;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    ret->unicode = is_utf8();
    ret->terminal = terminal;
    ret->width = terminal || getenv("COLUMNS") ? terminal_width() : 100;
    ret->colour = terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
    if (!options->color || strcmp(options->color, "auto") == 0)
        return true;
    ret->colour = strcmp(options->color, "always") == 0;
    if (!ret->colour && strcmp(options->color, "never") != 0) {
        complain(STATUS_USAGE, "--color %s: must be auto, always or never", options->color);
        return false;
    }
    return true;
}
