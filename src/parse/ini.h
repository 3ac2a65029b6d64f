/* INI files as WSL reads them (/etc/wsl.conf, .wslconfig), line by line. */
#ifndef PARSE_INI_H
#define PARSE_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/opt.h"
#include "base/span.h"

/* Spans of the file's own text. Names are compared without regard to case. */
struct ini_line {
    struct span section; /* empty in front of the first [section] */
    struct span key;
    struct span value; /* without quotes around it and without a comment behind it */
};

struct ini {
    const char *data;
    size_t size, cursor;
    struct span section;
    size_t lines, bad; /* of all that are neither blank nor a comment, and those that are no INI */
};

void ini_start(struct ini *ini, struct span text);
/* The next KEY=VALUE; false at the end. */
bool ini_next(struct ini *ini, struct ini_line *ret);
bool ini_is(const struct ini_line *line, const char *section, const char *key);
/* true, false, 1, 0 in any case; unknown for anything else. */
struct opt ini_bool(const struct ini_line *line);
/* An amount of memory in bytes: "8GB", "512MB", "1073741824"; unknown for anything else. */
struct opt ini_memory(const struct ini_line *line);

#endif
