/* Versions that stand in libraries as text. */
#ifndef LIBRARY_LITERAL_H
#define LIBRARY_LITERAL_H

#include "library/library_row.h"

/* What the constants of the file say by the library's pattern; NULL where it has none, or they say
 * nothing. A file is searched once. */
const char *literal_version(struct library_rows *rows, const struct library_spec *family,
                            const char *path, const struct loader_file *file);

#endif
