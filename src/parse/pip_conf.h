/* pip.conf: settings of pip, an INI file as Python's configparser reads it. */
#ifndef PARSE_PIP_CONF_H
#define PARSE_PIP_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct pip_setting {
    const char *section; /* "global", "install", ... */
    const char *name;    /* lower case, with "-" for "_" */
    struct span value;   /* one line of it; options with several values have one a line */
};

/* Calls back for each line of a value, in order; texts are good until the call ends. False when a
 * line is none of such a file; the others were handed on. */
bool pip_conf_each(const char *data, size_t length,
                   void (*each)(void *context, const struct pip_setting *setting), void *context);

#endif
