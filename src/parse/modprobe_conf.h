/* Lines of modprobe.d(5), the kernel's command line, and the driver's own list of parameters. */
#ifndef PARSE_MODPROBE_CONF_H
#define PARSE_MODPROBE_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* One parameter or one instruction; spans of the data. */
struct modprobe_line {
    struct span command; /* "options", "blacklist", "install", "alias", ... */
    struct span module;
    struct span rest; /* what follows, without blanks around it */
};
/* The next line that is an instruction about a module; comments and empty lines are left out, and a
 * line that ends in a backslash goes on in the next (its break stays in `rest`). False at the end.
 * *cursor starts as 0. */
bool modprobe_next(const char *data, size_t size, size_t *cursor, struct modprobe_line *ret);

/* The next "name=value" or "name" of an options line or of a kernel's command line; a value in
 * double quotes may hold blanks. False at the end. `value.data` is NULL for a name alone. */
bool modprobe_word(struct span *rest, struct span *ret_name, struct span *ret_value);

#endif
