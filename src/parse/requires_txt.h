/* requires.txt of an egg-info folder: requirements as setuptools writes them beside PKG-INFO, a
 * line each, in sections "[extra]", "[:marker]" and "[extra:marker]". */
#ifndef PARSE_REQUIRES_TXT_H
#define PARSE_REQUIRES_TXT_H

#include "parse/metadata.h"

/* Adds to the requirements of `ret`. A line that is no requirement is left out, and so is
 * everything in a section whose name cannot be read. */
void requires_txt_parse(const char *data, size_t length, struct arena *arena, struct metadata *ret);

#endif
