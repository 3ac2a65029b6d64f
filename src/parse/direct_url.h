/* direct_url.json: where a distribution that comes from no index was installed from (PEP 610). */
#ifndef PARSE_DIRECT_URL_H
#define PARSE_DIRECT_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct direct_url {
    const char *origin; /* "vcs", "archive", "folder" or "editable"; a constant */
    const char *url;    /* without credentials; a path for what lies on this machine; may be NULL */
};

/* False when it is no such file. Strings come from `arena`. */
bool direct_url_parse(const char *data, size_t length, struct arena *arena, struct direct_url *ret);

#endif
