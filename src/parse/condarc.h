/* condarc: the settings of conda and mamba that say which packages are chosen and where
 * environments are kept. */
#ifndef PARSE_CONDARC_H
#define PARSE_CONDARC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct condarc_value {
    const char *name;  /* "channels", "override_virtual_packages.cuda", ...; from the arena */
    const char *value; /* addresses without credentials */
    size_t position;   /* from 0, among the values of this name */
};

/* Calls back for each setting of a condarc that matters here, in the order of the file. False when
 * it is no YAML, or no map. */
bool condarc_parse(const char *data, size_t length, struct arena *arena,
                   void (*each)(void *context, const struct condarc_value *value), void *context);

#endif
