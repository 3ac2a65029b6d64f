/* NAME.pth in a site folder (Lib/site.py, addpackage): a line is a folder to search, or code when
 * it begins with "import"; "#" begins a comment. */
#ifndef PARSE_PTH_H
#define PARSE_PTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { PTH_LINES_MAX = 1000, PTH_LINE_SHOWN = 200 };

struct pth_line {
    bool is_code;
    const char *text; /* a folder as written, or code cut to PTH_LINE_SHOWN bytes (valid UTF-8) */
};

struct pth {
    struct pth_line *items;
    size_t count, capacity;
    bool is_cut; /* there were more lines than are kept */
};

/* Strings come from `arena`, the array is the caller's: pth_done(). Folders with control bytes are
 * left out. */
void pth_parse(const char *data, size_t length, struct arena *arena, struct pth *ret);
void pth_done(struct pth *pth);

/* The distribution that a .pth file with code is known to belong to, by its name; normalised, from
 * `arena`; NULL where the name does not tell. */
char *pth_package(const char *name, struct arena *arena);

#endif
