/* Where an environment keeps its packages. */
#ifndef PYTHON_SITE_H
#define PYTHON_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "machine/machine.h"

struct site_list {
    const char **items;
    size_t count, capacity;
    int error; /* first negative errno of a place that could not be looked at; 0 none */
};

/* Site folders below `prefix` that exist, in the order of Python's search; the array is the
 * caller's: site_list_done(). `python` ("3.12.3", NULL unknown) chooses among several
 * lib/python3.X; without it, or where it has no folder, all of them are meant. `kind` is that of
 * the environment table; a "folder" is its own site. */
void site_folders(const struct machine *machine, struct arena *arena, const char *prefix,
                  const char *kind, const char *python, struct site_list *ret);
void site_list_done(struct site_list *list);

/* "3.12" of the file that PREFIX/bin/python3 leads to; NULL where its name does not tell. */
char *site_interpreter(const struct machine *machine, struct arena *arena, const char *prefix);

/* The newest lib/python3.X below `prefix` that has a site folder, as "3.X"; NULL without one, "3"
 * where only Debian's lib/python3/dist-packages is there. */
char *site_newest(const struct machine *machine, struct arena *arena, const char *prefix);

/* Whether the folder holds *.dist-info by itself (pip install --target). */
bool site_is_bare(const struct machine *machine, struct arena *arena, const char *path);

enum { SITE_ENTRIES_MAX = 50000 };

#endif
