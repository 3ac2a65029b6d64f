/* make.log, which DKMS keeps of the build of a module. */
#ifndef PARSE_DKMS_LOG_H
#define PARSE_DKMS_LOG_H

#include <stddef.h>

#include "base/arena.h"

struct dkms_log {
    char *kernel;  /* release that it was built for, from the first line; NULL unknown */
    char *failure; /* first line that tells why it failed, cut to 300 bytes; NULL: none does */
};

/* Strings come from the arena; they may be no valid UTF-8. */
void parse_dkms_log(const char *data, size_t size, struct arena *arena, struct dkms_log *ret);

#endif
