/* pyvenv.cfg: "key = value" lines that make a folder a virtual environment. Python itself reads
 * only `home` and `include-system-site-packages` (Lib/site.py); the rest is written by venv,
 * virtualenv and uv for people. */
#ifndef PARSE_PYVENV_H
#define PARSE_PYVENV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct pyvenv {
    const char *home;       /* folder of the base interpreter; NULL where it is not given */
    const char *version;    /* "3.12.3": digits and dots alone */
    const char *uv;         /* version of uv where that made it */
    const char *virtualenv; /* version of virtualenv where that made it */
    const char *prompt;     /* name in the shell's prompt, without quotes; NULL for the default */
    bool has_system_site;
};

/* Strings come from `arena`. Lines that are not understood are passed over, as Python does; a
 * value with control bytes counts as not given. */
void pyvenv_parse(const char *data, size_t length, struct arena *arena, struct pyvenv *ret);

#endif
