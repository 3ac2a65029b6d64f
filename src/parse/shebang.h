/* The first lines of a script: which program the kernel, or the shell trick of Python's installers,
 * would start for it. */
#ifndef PARSE_SHEBANG_H
#define PARSE_SHEBANG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { SHEBANG_HEAD = 2048 }; /* bytes of a script that are enough */

struct shebang {
    const char *program; /* absolute path, or a name where one of the two below says whose */
    bool is_on_path;     /* `/usr/bin/env NAME`: looked up on PATH */
    bool is_beside;      /* below the folder of the script itself, links resolved (uv's
                            relocatable environments) */
};

/* `data` is the head of the file. False where it is no script, or one whose interpreter is not
 * told. "#!/bin/sh" is followed by the line `'''exec' PYTHON "$0" "$@"` where the path of Python
 * is too long for the kernel or has blanks (pip, distlib, uv); other shell scripts give the shell.
 * Strings come from `arena`. */
bool shebang_parse(const char *data, size_t length, struct arena *arena, struct shebang *ret);

#endif
