/* Which Python a program starts, and the environment that it belongs to. Nothing is run. */
#ifndef PYTHON_LAUNCHER_PROGRAM_H
#define PYTHON_LAUNCHER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe.h"

struct program {
    const char *interpreter; /* Python that would run, as it is named; NULL not known */
    const char *prefix;      /* folder of its environment, links resolved; NULL not known */
    const char *via;         /* file, link, shebang, shim or argv */
    bool is_seen;            /* the interpreter was looked for */
    bool is_present;         /* it is there */
};

/* The next program of that name on PATH; *at begins as 0. NULL when there is none left. */
char *program_next(struct probe_context *context, const char *name, size_t *at);

/* What the file at `path` starts: a Python, or a script of one. False where that is not told. */
bool program_resolve(struct probe_context *context, const char *path, struct program *ret);

/* The folder above the one that `path` lies in (PREFIX of PREFIX/bin/python), links in the folder's
 * path resolved; NULL where that is gone. */
char *program_prefix_above(struct probe_context *context, const char *path);
/* `path`, or the working folder with `path` behind it; NULL without one. */
const char *program_absolute(struct probe_context *context, const char *path);
/* The folder part of a path; "/" has none. */
char *program_folder(struct arena *arena, const char *path);

/* launcher_pyenv.c: the prefix that a script in ~/.pyenv/shims leads to; NULL for the system's. */
char *program_pyenv_prefix(struct probe_context *context, const char *shim);

#endif
