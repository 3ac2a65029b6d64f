#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A sentence may quote a file's bytes; none of them may steer a terminal. */
static void neutralise(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
}

int error_set(struct error *err, int code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        neutralise(err->text);
    }
    return code;
}

int error_prefix(struct error *err, int code, const char *format, ...)
{
    if (err) {
        char old[sizeof err->text];
        memcpy(old, err->text, sizeof old);
        va_list args;
        va_start(args, format);
        int used = vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        if (used >= 0) {
            strncat(err->text, ": ", sizeof err->text - strlen(err->text) - 1);
            strncat(err->text, old, sizeof err->text - strlen(err->text) - 1);
        }
        neutralise(err->text);
    }
    return code;
}
